import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { exactInteger, parseExact, stringifyExact } from './exact-json.ts'

test('integers of 64 bits come back as they were written', () => {
  const texts = [
    '{"a":9007199254740993,"b":[-9223372036854775808,9223372036854775807],"c":1}',
    '[1,2.5,"9007199254740993"]',
    '9007199254740993',
  ]
  for (const text of texts) assert.equal(stringifyExact(parseExact(text)), text)
  assert.deepEqual(parseExact('{"a":9007199254740993}'), { a: 9007199254740993n })
  assert.deepEqual(parseExact('[9007199254740991]'), [9007199254740991])
})

test('what is no integer of 64 bits is the nearest number, as in Go', () => {
  const nearest: readonly (readonly [text: string, again: string])[] = [
    ['[18446744073709551615]', '[18446744073709552000]'],
    ['[9223372036854775808]', '[9223372036854776000]'],
    ['[123456789012345678.5]', '[123456789012345680]'],
    ['[12345678901234567890123]', '[1.2345678901234568e+22]'],
    ['[1.0,1e3,-0]', '[1,1000,0]'],
  ]
  for (const [text, again] of nearest) assert.equal(stringifyExact(parseExact(text)), again)
  assert.equal(exactInteger('12'), 12)
})

test('any 64-bit integer survives, wherever it stands', () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })), (integers) => {
      const text = `{"a":[${integers.join(',')}],"b":"1234567890123456789"}`
      assert.equal(stringifyExact(parseExact(text)), text)
      const pretty = stringifyExact(parseExact(text), 2)
      assert.deepEqual(parseExact(pretty), parseExact(text))
    }),
  )
})

test('errors are those of JSON', () => {
  assert.throws(() => parseExact('{"a":1234567890123456789'), SyntaxError)
  const round: Record<string, unknown> = {}
  round['self'] = round
  assert.throws(() => stringifyExact(round), /circular/)
})
