import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { MAX_DEPTH, tooDeepAt } from './nesting.ts'

const objects = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
const lists = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

test('a text may nest as deep as the limit, and no deeper', () => {
  assert.equal(tooDeepAt(objects(MAX_DEPTH)), undefined)
  assert.equal(tooDeepAt(lists(MAX_DEPTH)), undefined)
  assert.equal(tooDeepAt(objects(MAX_DEPTH + 1)), '{')
  assert.equal(tooDeepAt(lists(MAX_DEPTH + 1)), '[')
  assert.equal(tooDeepAt(`{"a":${lists(MAX_DEPTH)}}`), '[')
})

test('what closes is not counted, and neither is a text that ends too early', () => {
  assert.equal(tooDeepAt(`[${'[],'.repeat(3000)}1]`), undefined)
  assert.equal(tooDeepAt('{"a":"'.padEnd(5000, '[')), undefined)
})

test('brackets in strings do not nest', () => {
  const brackets = '['.repeat(2 * MAX_DEPTH)
  fc.assert(
    fc.property(fc.string(), fc.string(), (before, after) => {
      const text = JSON.stringify({ [before + brackets]: [before + brackets + after, '\\'] })
      assert.equal(tooDeepAt(text), undefined)
      assert.equal(tooDeepAt(text + brackets), '[')
    }),
  )
})
