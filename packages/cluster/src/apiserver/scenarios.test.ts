import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { runTranscript } from './testing/transcript.ts'

const folder = new URL('./testdata/', import.meta.url)

for (const name of readdirSync(folder).filter((it) => it.endsWith('.golden'))) {
  test(`scenario ${name.replace('.golden', '')}`, () =>
    runTranscript(fileURLToPath(new URL(name, folder))))
}
