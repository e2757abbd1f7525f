import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { createApiServer } from '@kubewright/cluster/apiserver'
import { firstDifference } from './compare.ts'
import { normalise } from './normalise.ts'
import { play } from './play.ts'
import { prepareOne } from './prepare.ts'
import type { Recording } from './record.ts'
import { diffText, literal } from './show.ts'
import { fetchWire } from './wire.ts'

/** Answers of kube-apiserver v1.36.3, written by `main.ts --record`. */
const recordings = readFileSync(new URL('testdata/recorded.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((it) => it !== '')
  .map((it) => JSON.parse(it) as Recording)

const server = createApiServer()
const wire = fetchWire('kubewright', server.fetch, server.close)

before(() => prepareOne(wire))
after(() => wire.close())

for (const { sequence, place, answers } of recordings) {
  test(`as the real server answered: ${sequence.title}`, async () => {
    const actual = normalise(await play(wire, sequence, place), sequence, Date.now())
    const difference = firstDifference(sequence, answers, actual)
    if (difference) assert.fail(`${literal(sequence)}\n${diffText(difference)}`)
  })
}
