import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { listBytes } from './list-text.ts'

test('a list is its parts, one after the other, in UTF-8', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.array(fc.string({ unit: 'binary' })),
      fc.string(),
      (a, tails, b) => {
        const wanted = `${a}${tails.map((it) => `{${it}`).join(',')}${b}`
        assert.deepEqual(listBytes(a, tails, b), Buffer.from(wanted))
      },
    ),
  )
})
