import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FieldError, type UnknownObject, apiVersionOf } from 'kubewright/machinery'
import {
  CoercionError,
  type CustomResourceDefinition,
  MetadataError,
  canonicalJson,
} from 'kubewright/schema'
import type { Draft, Strategy, StrategyContext } from '../registry/strategy.ts'
import { applyCrdDefaults } from './crd-defaults.ts'
import { type CustomResource, customResourceCache, customResources } from './custom-resources.ts'
import { causesOf, recorded } from './testdata/recorded.ts'

/** A context in which nothing is looked up; strategies of custom resources only warn. */
function warning(warnings: string[]): StrategyContext {
  return { warn: (text: string) => warnings.push(text) } as unknown as StrategyContext
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null)
    Object.values(Object.freeze(value)).forEach(freeze)
  return value
}

const sorted = (texts: readonly string[] | undefined): readonly string[] =>
  [...(texts ?? [])].sort()

interface CreateCase {
  readonly definition?: CustomResourceDefinition
  readonly spec?: unknown
  readonly metadata?: object
  readonly kind?: string
  readonly refused?: string
  readonly causes?: readonly string[]
  readonly stored?: unknown
  readonly warnings?: readonly string[]
}

const [create, ...creates] = recorded<CreateCase>('./creates.jsonl')
const created = versionsOf(create?.definition)[0] as CustomResource

function versionsOf(definition: CustomResourceDefinition | undefined): readonly CustomResource[] {
  const crd = structuredClone(definition as CustomResourceDefinition)
  applyCrdDefaults(crd)
  return customResources(crd)
}

test(`${creates.length} creates come to what a real server makes of them`, () => {
  for (const it of creates) assert.deepEqual(createOutcome(it), expectedOutcome(it), label(it.spec))
})

const label = (value: unknown): string => JSON.stringify(value) ?? 'no spec'

function expectedOutcome(it: CreateCase): object {
  if (it.refused !== undefined) return { refused: it.refused }
  const warnings = sorted(it.warnings)
  if (it.causes) return { causes: it.causes, warnings }
  return { stored: canonicalJson(it.stored ?? it.spec), warnings }
}

function createOutcome(it: CreateCase): object {
  const { definition: _, refused: __, causes: ___, stored: ____, warnings: _____, ...given } = it
  const body = freeze({
    apiVersion: apiVersionOf(created.info),
    kind: created.info.kind,
    ...given,
    metadata: { name: 'x', namespace: 'default', ...it.metadata },
  })
  const warnings: string[] = []
  const context = warning(warnings)
  const read = reading(body)
  if (read instanceof Error) return { refused: read.message }
  const { object, problems } = read
  created.strategy.prepareForCreate?.(object, context)
  const errors = created.strategy.validate?.(object, context) as readonly FieldError[]
  if (errors.length > 0)
    return { causes: causesOf(errors), warnings: sorted([...problems, ...warnings]) }
  const said = created.strategy.warningsOnCreate?.(object, context) ?? []
  return {
    stored: canonicalJson(object['spec']),
    warnings: sorted([...problems, ...warnings, ...said]),
  }
}

function reading(
  body: Record<string, unknown>,
): ReturnType<CustomResource['body']['read']> | Error {
  try {
    return created.body.read(body)
  } catch (error) {
    if (error instanceof MetadataError || error instanceof CoercionError) return error
    throw error
  }
}

interface UpdateCase {
  readonly definition?: CustomResourceDefinition
  readonly old: UnknownObject
  readonly next: UnknownObject
  readonly subresource: string
  readonly causes?: readonly string[]
  readonly spec?: unknown
  readonly status?: unknown
  readonly generation?: number
  readonly warnings?: readonly string[]
}

const [update, ...updates] = recorded<UpdateCase>('./updates.jsonl')
const updated = versionsOf(update?.definition)[1] as CustomResource

test(`${updates.length} updates tolerate what a real server tolerates (KEP-4008)`, () => {
  for (const it of updates) {
    const what = `${it.subresource}: ${label(it.old)} → ${label(it.next)}`
    assert.deepEqual(updateOutcome(it), expectedUpdate(it), what)
  }
})

const expectedUpdate = (it: UpdateCase): object => ({
  warnings: sorted(it.warnings?.filter((text) => !text.startsWith('unknown field'))),
  ...(it.causes
    ? { causes: it.causes }
    : {
        content: canonicalJson({ spec: it.spec ?? null, status: it.status ?? null }),
        generation: it.generation,
      }),
})

function updateOutcome(it: UpdateCase): object {
  const warnings: string[] = []
  const context = warning(warnings)
  const { strategy } = updated
  const part = (it.subresource ? strategy.subresources?.[it.subresource] : strategy) as Strategy
  const old = updated.fromStorage(freeze(it.old))
  const { object } = updated.decode(freeze(it.next))
  part.prepareForUpdate?.(object, old, context)
  const errors = part.validateUpdate?.(object, old, context) as readonly FieldError[]
  const said = { warnings: sorted(warnings) }
  if (errors.length > 0) return { ...said, causes: causesOf(errors) }
  const content = { spec: object['spec'] ?? null, status: object['status'] ?? null }
  return { ...said, content: canonicalJson(content), generation: object.metadata.generation }
}

const TWO_VERSIONS: CustomResourceDefinition = {
  metadata: { name: 'ys.example.com', uid: 'u', generation: 1 },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'ys', kind: 'Y', shortNames: ['y'], categories: ['all'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        deprecated: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: { a: { type: 'string', default: 'd' }, b: { type: 'string' } },
              },
            },
          },
        },
        selectableFields: [{ jsonPath: '.spec.a' }],
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.replicas',
            statusReplicasPath: '.status.replicas',
            labelSelectorPath: '.status.selector',
          },
        },
      },
      {
        name: 'v2',
        served: true,
        storage: false,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { a: { type: 'string' } } } },
          },
        },
      },
      { name: 'v3', served: false, storage: false },
    ],
  },
}

test('each served version is told as discovery tells it', () => {
  const [v1, v2, ...more] = versionsOf(TWO_VERSIONS) as [CustomResource, CustomResource]
  assert.equal(more.length, 0)
  assert.deepEqual(v1.info, {
    group: 'example.com',
    version: 'v1',
    kind: 'Y',
    listKind: 'YList',
    plural: 'ys',
    singular: 'y',
    scope: 'Namespaced',
    shortNames: ['y'],
    categories: ['all'],
    verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
    subresources: [
      { name: 'status', kind: 'Y', group: 'example.com', version: 'v1', verbs: PART_VERBS },
      { name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: PART_VERBS },
    ],
    storageVersion: 'v1',
    storageKey: 'example.com/ys',
    custom: true,
  })
  assert.equal(v1.deprecation, 'example.com/v1 Y is deprecated; use example.com/v2 Y')
  assert.equal(v2.deprecation, undefined)
  assert.deepEqual(v2.info.subresources, [])
})

const PART_VERBS = ['get', 'patch', 'update']

const stored = freeze<UnknownObject>({
  apiVersion: 'example.com/v1',
  kind: 'Y',
  metadata: { name: 'y', generation: 1 },
  spec: { a: 'x', b: 'y' },
})

test('another version shows what it knows; a stored object that fits is not copied', () => {
  const [v1, v2] = versionsOf(TWO_VERSIONS) as [CustomResource, CustomResource]
  assert.equal(v1.fromStorage(stored), stored)
  const seen = v2.fromStorage(stored)
  assert.deepEqual(seen, { ...stored, apiVersion: 'example.com/v2', spec: { a: 'x' } })
  assert.deepEqual(v2.toStorage(seen as unknown as Draft), {
    ...seen,
    apiVersion: 'example.com/v1',
  })
})

test('defaults that the stored version has gained show in every version', () => {
  const [v1, v2] = versionsOf(TWO_VERSIONS) as [CustomResource, CustomResource]
  const bare = freeze<UnknownObject>({ ...stored, spec: {} })
  assert.deepEqual(v1.fromStorage(bare)['spec'], { a: 'd' })
  assert.deepEqual(v2.fromStorage(bare)['spec'], { a: 'd' })
})

test('field selectors read scalars, and nothing as the empty text', () => {
  const [v1] = versionsOf(TWO_VERSIONS) as [CustomResource]
  const select = v1.selectableFields['spec.a'] as (object: UnknownObject) => string
  assert.equal(select(stored), 'x')
  assert.equal(select({ ...stored, spec: {} }), '')
})

test('scale shows and writes the numbers at its paths', () => {
  const [v1] = versionsOf(TWO_VERSIONS) as [CustomResource]
  const scale = v1.strategy.projections?.['scale']
  assert.ok(scale)
  const object: UnknownObject = {
    ...stored,
    spec: { replicas: 3 },
    status: { replicas: 2, selector: 'a=b' },
  }
  assert.deepEqual(scale.read(object), {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name: 'y' },
    spec: { replicas: 3 },
    status: { replicas: 2, selector: 'a=b' },
  })
  assert.throws(
    () => scale.read(stored),
    /the spec replicas field "\.spec\.replicas" does not exist/,
  )
  assert.deepEqual(scale.readForReview?.(stored)['spec'], {})
  const unset = scale.readForWrite?.(stored)
  assert.throws(
    () => scale.write({ metadata: {} } as Draft, unset as unknown as Draft),
    /the spec replicas field "\.spec\.replicas" cannot be empty/,
  )
  const draft = { ...structuredClone(object) } as unknown as Draft
  scale.write(draft, { metadata: {}, spec: { replicas: 5 } } as Draft)
  assert.deepEqual(draft['spec'], { replicas: 5 })
})

test('a conversion webhook is asked once for all that need it, and metadata stays the object’s own', async () => {
  const definition: CustomResourceDefinition = {
    ...TWO_VERSIONS,
    spec: { ...TWO_VERSIONS.spec, conversion: { strategy: 'Webhook' } },
  }
  const asked: (readonly UnknownObject[])[] = []
  const [, v2] = customResources(definition, {
    webhook: () => async (objects, apiVersion) => {
      asked.push(objects)
      return objects.map((it) => ({
        ...it,
        apiVersion,
        metadata: { ...it.metadata, labels: { a: 'b' }, generation: 99 },
        spec: { a: 'converted', gone: true },
      }))
    },
  }) as [CustomResource, CustomResource]
  const already: UnknownObject = { ...stored, apiVersion: 'example.com/v2' }
  assert.deepEqual(await v2.convert([stored, already]), [
    {
      apiVersion: 'example.com/v2',
      kind: 'Y',
      metadata: { name: 'y', generation: 1, labels: { a: 'b' } },
      spec: { a: 'converted' },
    },
    already,
  ])
  assert.deepEqual(asked, [[stored]])
  assert.throws(() => v2.fromStorage(stored), /converts by a webhook/)
})

const refusals: readonly (readonly [answer: Partial<UnknownObject>, message: string])[] = [
  [
    { apiVersion: 'example.com/v9' },
    'conversion webhook for example.com/v1, Kind=Y returned invalid converted object at index 0: invalid groupVersion (expected example.com/v2, received example.com/v9)',
  ],
  [
    { metadata: { name: 'other' } },
    'conversion webhook for example.com/v1, Kind=Y returned invalid converted object at index 0: must have the same name: y != other',
  ],
]

for (const [answer, message] of refusals)
  test(`an answer that is not what was asked for: ${message}`, async () => {
    const definition: CustomResourceDefinition = {
      ...TWO_VERSIONS,
      spec: { ...TWO_VERSIONS.spec, conversion: { strategy: 'Webhook' } },
    }
    const [, v2] = customResources(definition, {
      webhook: () => async (objects, apiVersion) =>
        objects.map((it) => ({ ...it, apiVersion, ...answer })),
    }) as [CustomResource, CustomResource]
    await assert.rejects(v2.convert([stored]), { message })
  })

test('what was made of a definition is kept until its generation moves', () => {
  const cached = customResourceCache()
  const [first] = cached(TWO_VERSIONS)
  assert.equal(cached({ ...TWO_VERSIONS, status: { conditions: [] } })[0], first)
  const going = cached({
    ...TWO_VERSIONS,
    metadata: { ...TWO_VERSIONS.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
  })[0]
  assert.equal(going?.terminating, true)
  assert.equal(going?.strategy, first?.strategy)
  const metadata = { ...TWO_VERSIONS.metadata, generation: 2 }
  assert.notEqual(cached({ ...TWO_VERSIONS, metadata })[0], first)
})
