import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { stringifyExact } from 'kubewright/base'
import { parseBody } from './body.ts'

const read = (text: string): unknown => parseBody(text, 'application/yaml', false).value

/** Scalars, and what a kube-apiserver v1.36.3 stored in their place. */
const SCALARS: readonly (readonly [yaml: string, json: string])[] = [
  ['9007199254740993', '9007199254740993'],
  ['1.0', '1'],
  ['0x1F', '31'],
  ['0o17', '15'],
  ['017', '15'],
  ['1_000', '1000'],
  ['18446744073709551615', '18446744073709552000'],
  ['1e3', '1000'],
  ['9223372036854775808', '9223372036854776000'],
  ['0b11', '3'],
  ['12:30:45', '"12:30:45"'],
  ['yes', 'true'],
  ['~', 'null'],
  ['2001-01-01', '"2001-01-01"'],
  ['!!binary aGk=', '"hi"'],
  ['!!set {a, b}', '{"a":null,"b":null}'],
  ['!!omap [a: 1]', '[{"a":1}]'],
  ['!!float 1', '1'],
  ['!!str 1', '"1"'],
  ['!!int "5"', '5'],
  ['+1', '1'],
  ['.5', '0.5'],
  ['1.', '1'],
  ['1e400', '"1e400"'],
  ['=', '"="'],
  ['<<', '"<<"'],
  ['on', 'true'],
  ['y', 'true'],
  ['0x8000000000000000', '9223372036854776000'],
  ['-0x1', '-1'],
  ['-0', '0'],
  ['1__0', '10'],
  ['0o8', '"0o8"'],
  ['_0', '"_0"'],
  ['_', '"_"'],
  ['1_', '1'],
  ['+_1', '1'],
  ['._5', '"._5"'],
  ['.5_0', '0.5'],
  ['.5_', '".5_"'],
  ['_.5', '"_.5"'],
  ['+.5_0', '0.5'],
  ['0_x1', '1'],
  ['', 'null'],
  ['0777777777777777777777', '9223372036854775807'],
  ['1e', '"1e"'],
  ['0x', '"0x"'],
  ['!!bool "yes"', 'true'],
  ['123456789012345678901234567890', '1.2345678901234568e+29'],
  ['YES', 'true'],
  ['oN', '"oN"'],
  ['NULL', 'null'],
  ['09', '9'],
  ['1:20', '"1:20"'],
  ['"\\x41"', '"A"'],
  ['&a b', '"b"'],
  ['!a b', '"b"'],
]

/** Texts, and what a real server said of them. */
const WRONG: readonly (readonly [yaml: string, sentence: string])[] = [
  ['a: b\n  c: d', 'yaml: line 2: mapping values are not allowed in this context'],
  ['a: b: c', 'yaml: mapping values are not allowed in this context'],
  ['- a\nb: c', "yaml: line 1: did not find expected '-' indicator"],
  ['a\nb: c', 'yaml: line 2: mapping values are not allowed in this context'],
  ["a: 'x", 'yaml: found unexpected end of stream'],
  ['a: [1\nb: 2', "yaml: line 1: did not find expected ',' or ']'"],
  ['a:\n  - b\n c: d', 'yaml: line 2: did not find expected key'],
  ['a: b\nc', "yaml: line 3: could not find expected ':'"],
  ['a: "x\\q"', 'yaml: found unknown escape character'],
  ['a: {b: c\nd: e}', "yaml: line 1: did not find expected ',' or '}'"],
  ['a: &x b\nc: *y', "yaml: unknown anchor 'y' referenced"],
  ['a:\n\tb: c', 'yaml: line 2: found character that cannot start any token'],
  ['x: 1\na: @b', 'yaml: line 2: found character that cannot start any token'],
  ['x: 1\na: [1,,2]', 'yaml: line 1: did not find expected node content'],
  ['x: 1\na: {b', "yaml: line 2: did not find expected ',' or '}'"],
  ['x: 1\na: {b\n', "yaml: line 2: did not find expected ',' or '}'"],
  ["x: 1\na: 'b", 'yaml: line 2: found unexpected end of stream'],
  ['a: ]', 'yaml: did not find expected node content'],
  ['a: 1\n\n\n  b: 2', 'yaml: line 4: mapping values are not allowed in this context'],
  ['\u0001: a', 'yaml: control characters are not allowed'],
  ['a: [', 'yaml: line 1: did not find expected node content'],
  ['&a [*a]', "yaml: anchor 'a' value contains itself"],
  ['a: &a {b: &b [*a]}', "yaml: anchor 'a' value contains itself"],
  ['%YAML 9.9\n---\na: b', 'yaml: found incompatible YAML document'],
  ['a: !!binary x', 'yaml: !!binary value contains invalid base64 data'],
  ['? [a]\n: b', 'yaml: invalid map key: []interface {}{"a"}'],
  ['a: .inf', 'json: unsupported value: +Inf'],
  ['a: [-.Inf]', 'json: unsupported value: -Inf'],
  ['a: {b: .nan}', 'json: unsupported value: NaN'],
  [`a: ${'['.repeat(11_000)}${']'.repeat(11_000)}`, 'yaml: exceeded max depth of 10000'],
]

describe('YAML as Go reads it', () => {
  for (const [yaml, json] of SCALARS) {
    test(`${JSON.stringify(yaml)} is ${json}`, () => {
      assert.equal(stringifyExact(read(`{a: ${yaml}}`)), `{"a":${json}}`)
    })
  }

  for (const [yaml, message] of WRONG) {
    test(`${JSON.stringify(yaml.slice(0, 30))} is refused in Go's words`, () => {
      assert.throws(() => read(yaml), { name: 'SyntaxProblem', message })
    })
  }

  test('only the first document counts, and what is nothing is null', () => {
    assert.deepEqual(read('a: b\n---\nc: d'), { a: 'b' })
    assert.deepEqual(read('{a: b}}'), { a: 'b' })
    assert.equal(read(''), null)
    assert.equal(read('~'), null)
  })

  test('aliases are followed, but not into an explosion', () => {
    assert.deepEqual(read('a: &x {b: c}\nd: *x\n<<: *x'), { a: { b: 'c' }, d: { b: 'c' }, b: 'c' })
    const many = Array.from({ length: 500 }, () => '*x').join(', ')
    assert.equal((read(`a: &x y\nb: [${many}]`) as { b: string[] }).b.length, 500)
    const letters = [...'abcdefghi']
    const bomb = letters.map((it, i) => {
      const item = i === 0 ? 'x' : `*${letters[i - 1]}`
      return `${it}: &${it} [${Array.from({ length: 9 }, () => item).join(', ')}]`
    })
    assert.throws(() => read(bomb.join('\n')), {
      message: 'yaml: document contains excessive aliasing',
    })
  })
})
