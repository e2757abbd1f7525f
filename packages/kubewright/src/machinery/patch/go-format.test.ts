import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatGo, formatGoNumber, formatGoSyntax, goTypeName, quoteGo } from './go-format.ts'

test('values print as with %v', () => {
  assert.equal(formatGo({ b: [1, 'x', null], a: { c: true } }), 'map[a:map[c:true] b:[1 x <nil>]]')
  assert.equal(formatGo(null), '<nil>')
})

test('values print in Go syntax as with %#v', () => {
  assert.equal(
    formatGoSyntax({ a: [1, 'x"'], b: null }),
    'map[string]interface {}{"a":[]interface {}{1, "x\\""}, "b":interface {}(nil)}',
  )
})

test('types are those of decoded JSON', () => {
  const types = [1, 1.5, 'x', true, null, [], {}].map(goTypeName)
  const expected = ['int64', 'float64', 'string', 'bool', '<nil>']
  assert.deepEqual(types, [...expected, '[]interface {}', 'map[string]interface {}'])
})

test('numbers turn to exponents where Go does', () => {
  const printed = [0.0001, 0.00001, 1e20, 1e21, 1.5e-7, -2].map(formatGoNumber)
  assert.deepEqual(printed, ['0.0001', '1e-05', '100000000000000000000', '1e+21', '1.5e-07', '-2'])
})

test('strings are quoted as strconv.Quote does', () => {
  assert.equal(quoteGo('a"\\\n\u0001\u007fé\u200b😀'), String.raw`"a\"\\\n\x01\x7fé\u200b😀"`)
})
