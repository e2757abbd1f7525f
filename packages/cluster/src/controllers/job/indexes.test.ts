import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import {
  countIndexes,
  countShared,
  firstMissing,
  hasIndex,
  indexesText,
  parseIndexes,
  withIndexes,
} from './indexes.ts'

test('indexes are written as Kubernetes writes them', () => {
  const written = (...list: number[]): string => indexesText(withIndexes([], list))
  assert.equal(written(), '')
  assert.equal(written(3), '3')
  assert.equal(written(3, 4), '3,4')
  assert.equal(written(5, 3, 4, 9, 1), '1,3-5,9')
  assert.equal(indexesText(parseIndexes('1,3-5,x,7-12', 10)), '1,3-5,7-9')
})

test('intervals do what plain sets do', () => {
  const numbers = fc.uniqueArray(fc.nat(30))
  const property = fc.property(numbers, numbers, fc.nat(10), (a, b, count) => {
    const [left, right] = [withIndexes([], a), withIndexes([], b)]
    const both = new Set([...a, ...b])
    const union = withIndexes(left, b)
    assert.equal(countIndexes(union), both.size)
    assert.equal(countShared(left, right), a.filter((it) => b.includes(it)).length)
    for (let index = 0; index < 31; index++) assert.equal(hasIndex(union, index), both.has(index))
    const missing = Array.from({ length: 25 }, (_, it) => it).filter((it) => !both.has(it))
    assert.deepEqual(firstMissing(union, count, 25), missing.slice(0, count))
    assert.deepEqual(parseIndexes(indexesText(union), 31), union)
  })
  fc.assert(property)
})
