import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resolveFieldPath } from './field-path.ts'
import { compileSchema } from './schema-node.ts'

const node = compileSchema({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        'a.b': { type: 'string' },
        size: { type: 'integer' },
        map: { type: 'object', additionalProperties: { type: 'string' } },
      },
    },
  },
})

const found: readonly (readonly [text: string, path: string, type: string])[] = [
  ['.spec.size', 'spec.size', 'integer'],
  ["['spec'].size", 'spec.size', 'integer'],
  [".spec['a.b']", 'spec.a.b', 'string'],
  ['.spec.map.key', 'spec.map[key]', 'string'],
  [".spec.map['it\\'s']", "spec.map[it's]", 'string'],
]

for (const [text, path, type] of found)
  test(`${text} leads to ${path}`, () => {
    const resolved = resolveFieldPath(node, text)
    assert.ok(resolved.ok)
    assert.deepEqual([resolved.path, resolved.node.type, resolved.root], [path, type, 'spec'])
  })

const refused: readonly (readonly [text: string, error: string])[] = [
  ['spec', 'expected [ or . but got: spec'],
  ['.spec.absent', 'does not refer to a valid field'],
  ['.spec.size.more', 'does not refer to a valid field'],
  ['.spec.', 'unexpected end of JSON path'],
  ['.spec[0]', 'expected single quoted string but got 0'],
  [".spec['size'", 'unexpected end of JSON path'],
  [".spec['a\\q']", 'invalid string literal: invalid escape char \\q'],
]

for (const [text, error] of refused)
  test(`${text} leads nowhere: ${error}`, () => {
    assert.deepEqual(resolveFieldPath(node, text), { ok: false, error })
  })

test('brackets can be ruled out', () => {
  const options = { arrayNotation: false }
  assert.deepEqual(resolveFieldPath(node, ".spec['size']", options), {
    ok: false,
    error: 'array notation is not allowed',
  })
})

test('a long wrong path is refused at once', () => {
  const path = resolveFieldPath(compileSchema({ type: 'object' }), `['${'\\a'.repeat(10_000)}`)
  assert.ok(!path.ok)
  assert.match(path.error, /^expected single quoted string but got '/)
})
