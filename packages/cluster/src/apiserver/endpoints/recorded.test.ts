import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { playRecording } from '../testing/recording.ts'

const folder = new URL('./testdata/', import.meta.url)

for (const name of readdirSync(folder).filter((it) => it.endsWith('.recorded'))) {
  test(`answers as kube-apiserver v1.36.3 was recorded: ${name.replace('.recorded', '')}`, () =>
    playRecording(fileURLToPath(new URL(name, folder)), {
      featureGates: { ShardedListAndWatch: true },
    }))
}
