import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { MAX_DEPTH, survey } from './nesting.ts'

test('a survey tells small integers from what must be read with care, and does not look into strings', () => {
  const plain = ['{}', '{"a":1,"b":[-12,0]}', '{"a":"1.5 1e3 12345678901234567890"}', '["\\"1.5"]']
  for (const text of [...plain, '123456789012345', '[true,false,null]']) {
    assert.equal(survey(text).plainNumbers, true, text)
  }
  for (const text of [
    '1.5',
    '{"a":1e3}',
    '[-1E3]',
    '[0.0]',
    '1234567890123456',
    '{"a":"b","c":2.0}',
  ]) {
    assert.equal(survey(text).plainNumbers, false, text)
  }
})

test('what a survey takes for plain, JSON.parse reads without loss', () => {
  fc.assert(
    fc.property(fc.json({ noUnicodeString: false } as never), (text) => {
      if (!survey(text).plainNumbers) return
      const numbers: unknown[] = []
      JSON.parse(text, (_, value: unknown) => {
        if (typeof value === 'number') numbers.push(value)
        return value
      })
      assert.ok(numbers.every((it) => Number.isSafeInteger(it)))
    }),
  )
})

test('the first bracket that is too deep is told', () => {
  const text = `${'['.repeat(MAX_DEPTH)}{"a":1}${']'.repeat(MAX_DEPTH)}`
  assert.equal(survey(text).tooDeep, '{')
  assert.equal(survey(text.replace('{"a":1}', '"{"')).tooDeep, undefined)
})
