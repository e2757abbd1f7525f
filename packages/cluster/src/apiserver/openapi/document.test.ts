import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { builtinResources, everyBuiltinResource } from '../resources/builtins.ts'
import type { ResourceInfo } from '../resources/resource.ts'
import { openApiV2 } from './document-v2.ts'
import { Descriptions } from './descriptions.ts'
import { documentPaths, openApiV3, type OpenApiSource } from './document.ts'

/** What kube-apiserver v1.36.3 serves, written by tools/extract-resources.ts: hashes of the built-in documents, custom ones in full. */
const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`testdata/${name}`, import.meta.url), 'utf8'))
const { 'openapi/v2': hashV2, ...hashes } = read('documents.json') as Readonly<
  Record<string, string>
>
/** The same of one that serves every version: those that are not served by default, and the v2 document. */
const { 'openapi/v2': everyHashV2, ...everyHashes } = read('every.json') as Readonly<
  Record<string, string>
>
const custom = read('custom.json') as Readonly<Record<string, unknown>>

const descriptions = new Descriptions()
const source: OpenApiSource = {
  infos: builtinResources(),
  customKind: () => undefined,
  descriptions,
  version: '1.36',
}

test('the index has the paths of the real one', () => {
  assert.deepEqual(documentPaths(source), Object.keys(hashes).toSorted())
})

for (const [path, hash] of Object.entries(hashes)) {
  test(`${path} equals the real document`, () => {
    const made = JSON.stringify(canonical(openApiV3(source, path)))
    assert.equal(createHash('sha256').update(made).digest('hex'), hash)
  })
}

test('documents of versions that are not served by default equal the real ones', () => {
  const all = { ...source, infos: everyBuiltinResource() }
  const paths = Object.keys({ ...hashes, ...everyHashes }).filter((it) => !it.includes('example.'))
  assert.deepEqual(documentPaths(all), paths.toSorted())
  for (const [path, hash] of Object.entries(everyHashes)) {
    const made = JSON.stringify(canonical(openApiV3(all, path)))
    assert.equal(createHash('sha256').update(made).digest('hex'), hash, path)
  }
  const made = JSON.stringify(canonical(openApiV2(all)))
  assert.equal(createHash('sha256').update(made).digest('hex'), everyHashV2)
})

test('what is not served has no document', () => {
  assert.equal(openApiV3(source, 'apis/apps/v9'), undefined)
  assert.equal(openApiV3(source, 'apis/none.example.com'), undefined)
  assert.equal(openApiV3(source, ''), undefined)
})

const WIDGET = {
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  listKind: 'WidgetList',
  plural: 'widgets',
  singular: 'widget',
  scope: 'Namespaced',
  shortNames: [],
  categories: [],
  verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
  subresources: [
    {
      name: 'status',
      kind: 'Widget',
      group: 'example.com',
      version: 'v1',
      verbs: ['get', 'patch', 'update'],
    },
    {
      name: 'scale',
      kind: 'Scale',
      group: 'autoscaling',
      version: 'v1',
      verbs: ['get', 'patch', 'update'],
    },
  ],
  storageVersion: 'v1',
  storageKey: 'example.com/widgets',
  custom: true,
} as const satisfies ResourceInfo

const OLD_WIDGET: ResourceInfo = { ...WIDGET, version: 'v1beta1', subresources: [] }
const GADGET: ResourceInfo = {
  ...WIDGET,
  kind: 'Gadget',
  listKind: 'GadgetList',
  plural: 'gadgets',
  scope: 'Cluster',
  subresources: [],
}

const SCHEMAS: ReadonlyMap<ResourceInfo, Readonly<Record<string, unknown>>> = new Map<
  ResourceInfo,
  Readonly<Record<string, unknown>>
>([
  [
    WIDGET,
    {
      description: 'A widget.',
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          description: 'what',
          required: ['size'],
          properties: {
            replicas: { type: 'integer', format: 'int32', default: 1, minimum: 0 },
            size: {
              type: 'string',
              enum: ['a', 'b'],
              'x-kubernetes-validations': [{ rule: "self != 'c'" }],
            },
            any: { 'x-kubernetes-int-or-string': true, nullable: true },
            raw: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            emb: {
              type: 'object',
              'x-kubernetes-embedded-resource': true,
              'x-kubernetes-preserve-unknown-fields': true,
            },
            ports: {
              type: 'array',
              'x-kubernetes-list-type': 'map',
              'x-kubernetes-list-map-keys': ['port'],
              items: {
                type: 'object',
                required: ['port'],
                properties: { port: { type: 'integer' } },
              },
            },
            m: { type: 'object', additionalProperties: { type: 'string' } },
            n: { type: 'string', nullable: true },
            x: {
              type: 'object',
              oneOf: [{ required: ['p'] }, { required: ['q'] }],
              properties: { p: { type: 'string', pattern: '^a' }, q: { type: 'number' } },
            },
          },
        },
        status: { type: 'object', properties: { replicas: { type: 'integer' } } },
      },
    },
  ],
  [OLD_WIDGET, { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }],
  [GADGET, { type: 'object' }],
])

for (const [path, wanted] of Object.entries(custom)) {
  test(`${path} equals the real document`, () => {
    const infos = [...builtinResources(), WIDGET, OLD_WIDGET, GADGET]
    const customKind = (it: ResourceInfo) => ({ schema: SCHEMAS.get(it)! })
    const made = openApiV3({ ...source, infos, customKind }, path)
    assert.deepEqual(withoutOwners(canonical(made)), withoutOwners(wanted))
  })
}

test('the version 2 document equals the real one', () => {
  const infos = [...builtinResources(), WIDGET, OLD_WIDGET, GADGET]
  const customKind = (it: ResourceInfo) => ({ schema: SCHEMAS.get(it)! })
  const made = canonical(openApiV2({ ...source, infos, customKind }))
  assert.equal(createHash('sha256').update(JSON.stringify(made)).digest('hex'), hashV2)
})

test('less is said in version 2 where more would mislead', () => {
  const custom = {
    type: 'object',
    description: 'A widget.',
    required: ['a', 'b'],
    properties: {
      a: { type: 'string', nullable: true, default: 'x' },
      b: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
      c: { type: 'array', items: { type: 'string' }, 'x-kubernetes-preserve-unknown-fields': true },
      d: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: {} },
    },
  }
  const customKind = () => ({ schema: custom, selectableFields: ['.spec.a'] })
  const { definitions } = openApiV2({
    infos: [WIDGET],
    customKind,
    descriptions,
    version: '1.36',
  }) as {
    definitions: Record<string, { properties: Record<string, unknown> }>
  }
  const { properties, ...rest } = definitions['com.example.v1.Widget']!
  assert.deepEqual(rest, {
    type: 'object',
    description: 'A widget.',
    required: ['b'],
    'x-kubernetes-group-version-kind': [{ group: 'example.com', kind: 'Widget', version: 'v1' }],
    'x-kubernetes-selectable-fields': [{ fieldPath: '.spec.a' }],
  })
  assert.deepEqual(properties.a, {})
  assert.deepEqual(properties.b, { 'x-kubernetes-int-or-string': true })
  assert.deepEqual(properties.c, { 'x-kubernetes-preserve-unknown-fields': true })
  assert.deepEqual(canonical(properties.d), {
    type: 'object',
    required: ['kind', 'apiVersion'],
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
    },
    'x-kubernetes-embedded-resource': true,
  })
})

test("an author's descriptions stay", () => {
  const schema = { type: 'object', description: 'A widget.' }
  const made = openApiV3(
    { infos: [WIDGET], customKind: () => ({ schema }), descriptions, version: '1.36' },
    'apis/example.com/v1',
  )
  assert.match(JSON.stringify(made), /"description":"A widget\."/)
})

test('what every object has is described, in both versions', () => {
  const found = {
    infos: [WIDGET],
    customKind: () => ({ schema: { type: 'object' } }),
    descriptions,
    version: '1',
  }
  const v3 = openApiV3(found, 'apis/example.com/v1') as { readonly components: unknown }
  const v2 = openApiV2(found) as { readonly definitions: unknown }
  const schemas = (v3.components as { readonly schemas: unknown }).schemas
  for (const all of [schemas, v2.definitions] as readonly Record<string, Described>[]) {
    const own = all['com.example.v1.Widget']!.properties
    for (const name of ['apiVersion', 'kind', 'metadata']) assert.ok(own[name]!.description, name)
    const meta = all['io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta']!.properties
    for (const [name, it] of Object.entries(meta)) assert.ok(it.description, name)
  }
})

interface Described {
  readonly properties: Readonly<Record<string, { readonly description?: string }>>
}

/** Keys sorted, descriptions left out. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (value === null || typeof value !== 'object') return value
  const kept = Object.entries(value)
    .filter(([key, each]) => !(key === 'description' && typeof each === 'string'))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(kept.map(([key, each]) => [key, canonical(each)]))
}

/** A real server lists DeleteOptions also for versions that it no longer serves. */
function withoutOwners(document: unknown): unknown {
  const copy = structuredClone(document) as {
    components: { schemas: Record<string, Record<string, unknown>> }
  }
  delete copy.components.schemas['io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions']![
    'x-kubernetes-group-version-kind'
  ]
  return copy
}
