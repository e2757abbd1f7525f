import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { referenceFolder } from '../reference/build.ts'
import { CASES } from './cases/all.ts'
import { prepare } from './prepare.ts'
import { judge, places } from './run.ts'
import { diffText, literal } from './show.ts'
import { startOurs, startReal } from './servers.ts'

const isBuilt = ['etcd', 'kube-apiserver'].every((it) =>
  existsSync(path.join(referenceFolder(), 'bin', it)),
)

test(
  'a real kube-apiserver and ours answer the table of cases alike',
  {
    skip:
      !isBuilt &&
      'needs a real kube-apiserver: node conformance/reference/build.ts etcd kube-apiserver',
  },
  async () => {
    const real = await startReal()
    const ours = await startOurs()
    try {
      const pair = { real, ours }
      await prepare(pair)
      const nextPlace = places('t')
      const verdicts = await Promise.all(CASES.map((it) => judge(pair, it, nextPlace)))
      const found = verdicts.flatMap((it) => (it.kind === 'different' ? [it.finding] : []))
      const shown = found.map((it) => `${literal(it.sequence)}\n${diffText(it.difference)}`)
      assert.equal(found.length, 0, shown.join('\n\n'))
    } finally {
      await ours.close()
      await real.close()
    }
  },
)
