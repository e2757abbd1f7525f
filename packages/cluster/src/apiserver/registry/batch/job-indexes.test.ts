import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { readIndexes, sharedIndex } from './job-indexes.ts'

/** Writes indexes as the job controller does. */
function written(indexes: readonly number[]): string {
  const runs: [number, number][] = []
  for (const index of indexes.toSorted((a, b) => a - b)) {
    const last = runs.at(-1)
    if (last && last[1] + 1 === index) last[1] = index
    else runs.push([index, index])
  }
  return runs.map(([a, b]) => (a === b ? `${a}` : `${a}-${b}`)).join(',')
}

const indexes = fc.uniqueArray(fc.nat(30))

test('counts what a list of indexes names', () => {
  fc.assert(fc.property(indexes, (own) => assert.equal(readIndexes(written(own), 31), own.length)))
})

test('finds the first index that two lists share', () => {
  fc.assert(
    fc.property(indexes, indexes, (a, b) => {
      const shared = a.filter((it) => b.includes(it)).toSorted((x, y) => x - y)[0]
      assert.equal(sharedIndex(written(a), written(b), 31), shared)
    }),
  )
})

test('says what is wrong in the words of Kubernetes', () => {
  const problems = ['0-1-2', 'a', '9', '2-1', '3,1'].map((it) => readIndexes(it, 5))
  assert.deepEqual(problems, [
    `the fragment "0-1-2" violates the requirement that an index interval can have at most two parts separated by '-'`,
    'cannot convert string to integer for index: "a"',
    'too large index: "9"',
    'non-increasing order, previous: 2, current: 1',
    'non-increasing order, previous: 3, current: 1',
  ])
})
