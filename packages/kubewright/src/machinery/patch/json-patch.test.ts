import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import type { JsonValue } from './json.ts'
import { applyJsonPatch, decodeJsonPatch, maxJsonPatchOperations } from './json-patch.ts'
import { PatchError } from './patch-error.ts'

interface PatchCase {
  readonly document: JsonValue
  readonly patch: JsonValue
  readonly result?: JsonValue
  readonly error?: string
}

function check({ document, patch, result, error }: PatchCase): void {
  const before = JSON.stringify(document)
  const run = (): JsonValue => applyJsonPatch(document, decodeJsonPatch(patch))
  if (error === undefined) assert.deepEqual(run(), result)
  else assert.throws(run, { name: 'PatchError', message: error })
  assert.equal(JSON.stringify(document), before, 'the document is left as it was')
}

/** What json-patch v4 answers. */
const cases = JSON.parse(
  readFileSync(new URL('testdata/json-patch.json', import.meta.url), 'utf8'),
) as PatchCase[]

test(`json-patch's answers to ${cases.length} patches`, () => {
  assert.ok(cases.length > 300)
  cases.forEach(check)
})

/** RFC 6902, appendix A; where json-patch differs from the RFC its answer stands. */
const appendix: Readonly<Record<string, PatchCase>> = {
  'A.1 adding an object member': {
    document: { foo: 'bar' },
    patch: [{ op: 'add', path: '/baz', value: 'qux' }],
    result: { baz: 'qux', foo: 'bar' },
  },
  'A.2 adding an array element': {
    document: { foo: ['bar', 'baz'] },
    patch: [{ op: 'add', path: '/foo/1', value: 'qux' }],
    result: { foo: ['bar', 'qux', 'baz'] },
  },
  'A.3 removing an object member': {
    document: { baz: 'qux', foo: 'bar' },
    patch: [{ op: 'remove', path: '/baz' }],
    result: { foo: 'bar' },
  },
  'A.4 removing an array element': {
    document: { foo: ['bar', 'qux', 'baz'] },
    patch: [{ op: 'remove', path: '/foo/1' }],
    result: { foo: ['bar', 'baz'] },
  },
  'A.5 replacing a value': {
    document: { baz: 'qux', foo: 'bar' },
    patch: [{ op: 'replace', path: '/baz', value: 'boo' }],
    result: { baz: 'boo', foo: 'bar' },
  },
  'A.6 moving a value': {
    document: { foo: { bar: 'baz', waldo: 'fred' }, qux: { corge: 'grault' } },
    patch: [{ op: 'move', from: '/foo/waldo', path: '/qux/thud' }],
    result: { foo: { bar: 'baz' }, qux: { corge: 'grault', thud: 'fred' } },
  },
  'A.7 moving an array element': {
    document: { foo: ['all', 'grass', 'cows', 'eat'] },
    patch: [{ op: 'move', from: '/foo/1', path: '/foo/3' }],
    result: { foo: ['all', 'cows', 'eat', 'grass'] },
  },
  'A.8 testing a value: success': {
    document: { baz: 'qux', foo: ['a', 2, 'c'] },
    patch: [
      { op: 'test', path: '/baz', value: 'qux' },
      { op: 'test', path: '/foo/1', value: 2 },
    ],
    result: { baz: 'qux', foo: ['a', 2, 'c'] },
  },
  'A.9 testing a value: error': {
    document: { baz: 'qux' },
    patch: [{ op: 'test', path: '/baz', value: 'bar' }],
    error: 'testing value /baz failed: test failed',
  },
  'A.10 adding a nested member object': {
    document: { foo: 'bar' },
    patch: [{ op: 'add', path: '/child', value: { grandchild: {} } }],
    result: { foo: 'bar', child: { grandchild: {} } },
  },
  'A.11 ignoring unrecognized elements': {
    document: { foo: 'bar' },
    patch: [{ op: 'add', path: '/baz', value: 'qux', xyz: 123 }],
    result: { foo: 'bar', baz: 'qux' },
  },
  'A.12 adding to a nonexistent target': {
    document: { foo: 'bar' },
    patch: [{ op: 'add', path: '/baz/bat', value: 'qux' }],
    error: 'add operation does not apply: doc is missing path: "/baz/bat": missing value',
  },
  'A.14 escape ordering': {
    document: { '/': 9, '~1': 10 },
    patch: [{ op: 'test', path: '/~01', value: 10 }],
    result: { '/': 9, '~1': 10 },
  },
  'A.15 comparing strings and numbers': {
    document: { '/': 9, '~1': 10 },
    patch: [{ op: 'test', path: '/~01', value: '10' }],
    error: 'testing value /~01 failed: test failed',
  },
  'A.16 adding an array value': {
    document: { foo: ['bar'] },
    patch: [{ op: 'add', path: '/foo/-', value: ['abc', 'def'] }],
    result: { foo: ['bar', ['abc', 'def']] },
  },
}

for (const [name, testCase] of Object.entries(appendix))
  test(`RFC 6902 ${name}`, () => check(testCase))

test('replace of a missing member adds it, remove of one does not pass', () => {
  check({ document: {}, patch: [{ op: 'replace', path: '/a', value: 1 }], result: { a: 1 } })
  const error = "error in remove for path: '/a': Unable to remove nonexistent key: a: missing value"
  check({ document: {}, patch: [{ op: 'remove', path: '/a' }], error })
})

test('a copied value is a value of its own', () => {
  check({
    document: { a: { x: 1 } },
    patch: [
      { op: 'add', path: '/a/y', value: 2 },
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'add', path: '/b/z', value: 3 },
    ],
    result: { a: { x: 1, y: 2 }, b: { x: 1, y: 2, z: 3 } },
  })
})

test('values of the patch are not changed by later operations', () => {
  const value = { list: [1] }
  const patch = [
    { op: 'add', path: '/a', value },
    { op: 'add', path: '/a/list/-', value: 2 },
  ]
  check({ document: {}, patch, result: { a: { list: [1, 2] } } })
  assert.deepEqual(value, { list: [1] })
})

test('what is not a list of operations is refused as a bad request', () => {
  const text = 'json: cannot unmarshal object into Go value of type jsonpatch.Patch'
  assert.throws(() => decodeJsonPatch({}), { reason: 'BadRequest', code: 400, message: text })
  assert.throws(() => decodeJsonPatch(['x']), { reason: 'BadRequest' })
})

test('more than ten thousand operations are too large', () => {
  const operation = { op: 'test', path: '/a' }
  const patch = Array.from({ length: maxJsonPatchOperations + 1 }, () => operation)
  assert.equal(decodeJsonPatch(patch.slice(1)).length, maxJsonPatchOperations)
  const message =
    'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001'
  assert.throws(() => decodeJsonPatch(patch), { reason: 'TooLarge', code: 413, message })
})

test('a document survives any patch unchanged', () => {
  const pointer = fc
    .array(fc.constantFrom('a', 'b', '0', '1', '-'), { minLength: 1, maxLength: 3 })
    .map((tokens) => `/${tokens.join('/')}`)
  const operation = fc.record({
    op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'),
    path: pointer,
    from: pointer,
    value: fc.jsonValue({ maxDepth: 2 }),
  })
  const key = fc.constantFrom('a', 'b')
  const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3 },
      fc.constant<JsonValue>(1),
      fc.dictionary(key, tie('tree')),
      fc.array(tie('tree'), { maxLength: 3 }),
    ),
  }))
  const run = (document: JsonValue, patch: JsonValue): void => {
    const before = JSON.stringify([document, patch])
    try {
      applyJsonPatch(document, decodeJsonPatch(patch))
    } catch (error) {
      assert.ok(error instanceof PatchError)
    }
    assert.equal(JSON.stringify([document, patch]), before)
  }
  fc.assert(fc.property(tree, fc.array(operation, { maxLength: 4 }), run as never))
})

test('copies that double each time end at the server’s limit of copied bytes', () => {
  const doubling = Array.from({ length: 40 }, (_, i) => ({
    op: 'copy',
    from: '/a',
    path: `/a/${i}`,
  }))
  assert.throws(() => applyJsonPatch({ a: { text: 'some' } }, decodeJsonPatch(doubling)), {
    name: 'PatchError',
    reason: 'Unprocessable',
    message:
      /^Unable to complete the copy, the accumulated size increase of copy is \d+, exceeding the limit 3145728$/,
  })
})
