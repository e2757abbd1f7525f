import assert from 'node:assert/strict'
import { test } from 'node:test'
import { goJson } from './json-text.ts'
import { yamlText } from './yaml-text.ts'

/** Answers of kube-apiserver v1.36.3. */
const STATUS = `apiVersion: v1
code: 422
details:
  causes:
  - field: resourceVersionMatch
    message: 'Forbidden: resourceVersionMatch is forbidden unless resourceVersion
      is provided'
    reason: FieldValueForbidden
  - field: resourceVersionMatch
    message: 'Unsupported value: "Other": supported values: "Exact", "NotOlderThan",
      ""'
    reason: FieldValueNotSupported
`

test('long texts are broken at spaces, and quoted as little as can be', () => {
  const causes = [
    {
      reason: 'FieldValueForbidden',
      field: 'resourceVersionMatch',
      message: 'Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    },
    {
      reason: 'FieldValueNotSupported',
      message: 'Unsupported value: "Other": supported values: "Exact", "NotOlderThan", ""',
      field: 'resourceVersionMatch',
    },
  ]
  assert.equal(yamlText({ details: { causes }, code: 422, apiVersion: 'v1' }), STATUS)
})

const SCALARS: readonly (readonly [unknown, string])[] = [
  ['*/5 * * * *', "'*/5 * * * *'"],
  ['2026-11-30T21:14:04Z', '"2026-11-30T21:14:04Z"'],
  ['1', '"1"'],
  ['true', '"true"'],
  ['', '""'],
  ['null', '"null"'],
  ['0x1f', '"0x1f"'],
  ['1:30', '"1:30"'],
  ['a: b', "'a: b'"],
  ['a:b', 'a:b'],
  ['- a', "'- a'"],
  ["it's", "it's"],
  [' a', "' a'"],
  ['a\tb', '"a\\tb"'],
  ['a\nb\n', '|\n  a\n  b'],
  ['a\nb', '|-\n  a\n  b'],
  ['\u{1f600}', '"\\U0001F600"'],
  [1e21, '1e+21'],
  [1.5, '1.5'],
  [null, 'null'],
  [[], '[]'],
  [{}, '{}'],
  [[['a']], '\n- - a'],
  [[{ b: 1, a: [2] }], '\n- a:\n  - 2\n  b: 1'],
]

for (const [value, text] of SCALARS) {
  test(`${JSON.stringify(value)} as a member`, () => {
    assert.equal(yamlText({ k: value }), `k:${text.startsWith('\n') ? '' : ' '}${text}\n`)
  })
}

test('keys stand in their natural order, and a lone dot is no reason for quotes', () => {
  assert.equal(
    yamlText({ a10: 1, a9: 1, b: 1, '.': {}, 'f:a': {}, 'k:{"name":"main"}': 1 }),
    '.: {}\na9: 1\na10: 1\nb: 1\nf:a: {}\nk:{"name":"main"}: 1\n',
  )
})

test('JSON escapes what HTML would take for its own', () => {
  assert.equal(goJson('{"a":"<none> & \u2028"}'), '{"a":"\\u003cnone\\u003e \\u0026 \\u2028"}')
  const plain = '{"a":"b"}'
  assert.equal(goJson(plain), plain)
})
