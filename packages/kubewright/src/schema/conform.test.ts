import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { conform } from './conform.ts'
import { copyJson, equalJson, isList, isObject } from './json.ts'
import type { JsonSchema } from './json-schema.ts'
import { type SchemaNode, compileSchema } from './schema-node.ts'

const STRING: JsonSchema = { type: 'string' }

const object = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  properties,
})

interface Case {
  readonly title: string
  readonly schema: JsonSchema
  readonly given: unknown
  readonly made: unknown
  readonly unknown?: readonly string[]
}

const cases: readonly Case[] = [
  {
    title: 'fields that are not declared go, and are told',
    schema: object({
      a: object({ b: STRING }),
      list: { type: 'array', items: object({ c: STRING }) },
    }),
    given: { a: { b: '1', x: 1 }, list: [{ c: '1', x: 1 }], x: { y: 1 } },
    made: { a: { b: '1' }, list: [{ c: '1' }] },
    unknown: ['a.x', 'list[0].x', 'x'],
  },
  {
    title: 'a null that may not be is dropped, or gives way to the default; one that may be stays',
    schema: object({
      foo: { ...STRING, default: 'default' },
      bar: { ...STRING, nullable: true },
      baz: STRING,
      both: { ...STRING, nullable: true, default: 'd' },
    }),
    given: { foo: null, bar: null, baz: null, both: null },
    made: { foo: 'default', bar: null, both: null },
  },
  {
    title: 'a null item stays, unless items have a default',
    schema: object({
      plain: { type: 'array', items: STRING },
      filled: { type: 'array', items: { ...STRING, default: 'd' } },
    }),
    given: { plain: ['a', null], filled: ['a', null] },
    made: { plain: ['a', null], filled: ['a', 'd'] },
  },
  {
    title: 'names that every object seems to have are names like any other',
    schema: JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string","default":"d"},"constructor":{"type":"string","default":"e"}}}',
    ) as JsonSchema,
    given: JSON.parse('{"toString":"x"}') as unknown,
    made: JSON.parse('{"__proto__":"d","constructor":"e"}') as unknown,
    unknown: ['toString'],
  },
  {
    title: 'a default inside an object applies only where that object is',
    schema: object({
      absent: object({ b: { type: 'integer', default: 1 } }),
      given: { ...object({ b: { type: 'integer', default: 1 } }), default: {} },
      map: {
        type: 'object',
        additionalProperties: object({ b: { type: 'integer', default: 1 } }),
      },
    }),
    given: { map: { x: {} } },
    made: { map: { x: { b: 1 } }, given: { b: 1 } },
  },
  {
    title: 'what is preserved is kept, but what is declared beneath it is not',
    schema: object({
      free: {
        type: 'object',
        'x-kubernetes-preserve-unknown-fields': true,
        properties: {
          k: object({ z: STRING }),
          l: { type: 'array', items: object({ q: STRING }) },
        },
      },
    }),
    given: { free: { any: { x: null }, k: { z: '1', y: 1 }, l: [{ q: '1', r: 1 }] } },
    made: { free: { any: { x: null }, k: { z: '1' }, l: [{ q: '1' }] } },
    unknown: ['free.k.y', 'free.l[0].r'],
  },
  {
    title: 'additionalProperties: true keeps names and nothing in them',
    schema: object({ a: { type: 'object', additionalProperties: true } }),
    given: { a: { x: 1, y: { z: 1 }, w: [{ v: 1 }] } },
    made: { a: { x: 1, y: {}, w: [{}] } },
    unknown: ['a.y.z', 'a.w[0].v'],
  },
  {
    title: 'embedded objects keep kind, apiVersion and metadata',
    schema: object({
      e: { ...object({ spec: object({}) }), 'x-kubernetes-embedded-resource': true },
    }),
    given: { e: { apiVersion: 'v1', kind: 'A', metadata: { x: 1 }, spec: { x: 1 } } },
    made: { e: { apiVersion: 'v1', kind: 'A', metadata: { x: 1 }, spec: {} } },
    unknown: ['e.spec.x'],
  },
]

for (const { title, schema, given, made, unknown } of cases)
  test(title, () => {
    const paths: string[] = []
    assert.deepEqual(conform(compileSchema(schema), freeze(given), { unknown: paths }), made)
    assert.deepEqual(paths, unknown ?? [])
  })

test('a whole object has kind, apiVersion and metadata, whatever its schema says', () => {
  const node = compileSchema(object({ spec: object({}) }))
  const given = {
    apiVersion: 'a/v1',
    kind: 'A',
    metadata: { name: 'a' },
    spec: { x: 1 },
    status: {},
  }
  const unknown: string[] = []
  assert.deepEqual(conform(node, given, { resource: true, unknown }), {
    apiVersion: 'a/v1',
    kind: 'A',
    metadata: { name: 'a' },
    spec: {},
  })
  assert.deepEqual(unknown, ['spec.x', 'status'])
})

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null)
    Object.values(Object.freeze(value)).forEach(freeze)
  return value
}

const names = fc.constantFrom('a', 'b', 'c')

const schemas = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small' },
    fc.record(
      { type: fc.constant('string'), nullable: fc.boolean(), default: fc.constantFrom('x', 'y') },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(names, tie('schema'), { maxKeys: 3, noNullPrototype: true }),
        nullable: fc.boolean(),
        default: fc.constant({}),
        'x-kubernetes-preserve-unknown-fields': fc.constant(true),
      },
      { requiredKeys: ['type', 'properties'] },
    ),
    fc.record({ type: fc.constant('object'), additionalProperties: tie('schema') }),
    fc.record({ type: fc.constant('array'), items: tie('schema') }),
  ) as fc.Arbitrary<JsonSchema>,
})).schema

const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>('s', null, 1),
    fc.dictionary(names, tie('value'), { maxKeys: 3, noNullPrototype: true }),
    fc.array(tie('value'), { maxLength: 2 }),
  ),
})).value

test('the one walk does what pruning, dropping nulls and defaulting do one after the other', () => {
  fc.assert(
    fc.property(schemas, values, (schema, value) => {
      const node = compileSchema(schema)
      assert.deepEqual(conform(node, freeze(value)), threeWalks(node, value))
    }),
    { numRuns: 500 },
  )
})

test('what needs no change comes back as it is', () => {
  fc.assert(
    fc.property(schemas, values, (schema, value) => {
      const node = compileSchema(schema)
      const once = freeze(conform(node, value))
      const twice = conform(node, once)
      assert.ok(!equalJson(once, twice) || once === twice)
    }),
    { numRuns: 500 },
  )
})

/** The three walks of apiextensions-apiserver, written as plainly as can be. */
function threeWalks(node: SchemaNode, value: unknown): unknown {
  const copy = { it: copyJson(value) }
  prune(node, copy.it)
  dropNulls(node, copy.it)
  fill(node, copy.it)
  return copy.it
}

type Loose = Record<string, unknown>

function prune(node: SchemaNode | undefined, value: unknown): void {
  if (isList(value))
    for (const it of value) {
      if (node?.preserve) keep(node.items, it)
      else prune(node?.items, it)
    }
  if (!isObject(value)) return
  for (const name of Object.keys(value)) {
    const known = node?.properties.get(name) ?? node?.additional
    if (typeof known === 'object') prune(known, value[name])
    else if (!node?.preserve) delete (value as Loose)[name]
  }
}

function keep(node: SchemaNode | undefined, value: unknown): void {
  if (node) prune({ ...node, preserve: true }, value)
}

const childOf = (node: SchemaNode | undefined, name: string): SchemaNode | undefined => {
  const known = node?.properties.get(name) ?? node?.additional
  return typeof known === 'object' ? known : undefined
}

function dropNulls(node: SchemaNode | undefined, value: unknown): void {
  if (isList(value)) for (const it of value) dropNulls(node?.items, it)
  if (!isObject(value)) return
  for (const name of Object.keys(value)) {
    const child = childOf(node, name)
    const drops = value[name] === null && child && !child.nullable && child.default === undefined
    if (drops) delete (value as Loose)[name]
    else dropNulls(child, value[name])
  }
}

function fill(node: SchemaNode | undefined, value: unknown): void {
  if (!node) return
  const isGap = (it: unknown, child: SchemaNode | undefined): boolean =>
    it === null && child !== undefined && !child.nullable
  if (isList(value)) {
    for (const [i, it] of value.entries()) {
      if (isGap(it, node.items)) (value as unknown[])[i] = copyJson(node.items?.default ?? null)
      fill(node.items, value[i])
    }
    return
  }
  if (!isObject(value)) return
  for (const [name, child] of node.properties) {
    if (child.default === undefined) continue
    if (!(name in value) || isGap(value[name], child))
      (value as Loose)[name] = copyJson(child.default)
  }
  for (const name of Object.keys(value)) {
    const child = childOf(node, name)
    if (isGap(value[name], child) && !node.properties.has(name))
      (value as Loose)[name] = copyJson(child?.default ?? null)
    fill(child, value[name])
  }
}
