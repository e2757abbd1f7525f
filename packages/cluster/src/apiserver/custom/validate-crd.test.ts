import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameIsDnsSubdomain } from 'kubewright/machinery'
import type { CustomResourceDefinition } from 'kubewright/schema'
import { validateObjectMeta } from '../registry/generic/object-meta.ts'
import { applyCrdDefaults } from './crd-defaults.ts'
import { causesOf, recorded } from './testdata/recorded.ts'
import { validateCrd } from './validate-crd.ts'

interface Case {
  readonly name: string
  readonly definition: CustomResourceDefinition
  readonly causes: readonly string[]
}

for (const { name, definition, causes } of recorded<Case>('./definitions.jsonl'))
  test(`a new definition (${name}) is refused for ${causes.length} causes`, () => {
    applyCrdDefaults(definition)
    const errors = [
      ...validateObjectMeta(definition.metadata, 'Cluster', nameIsDnsSubdomain),
      ...validateCrd(definition),
    ]
    const unlike = 'must be spec.names.plural+"."+spec.group'
    assert.deepEqual(causesOf(errors), causes)
    assert.ok(causes.length > 0 || !errors.some((it) => it.detail === unlike))
  })

const established = (change: (crd: Draft) => void): readonly string[] => {
  const old: CustomResourceDefinition = {
    metadata: { name: 'ys.example.com', resourceVersion: '1' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'ys', singular: 'y', kind: 'Y', listKind: 'YList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: DEAR } } },
        },
        {
          name: 'v2',
          served: true,
          storage: false,
          schema: { openAPIV3Schema: { type: 'object' } },
        },
      ],
      conversion: { strategy: 'None' },
    },
    status: { storedVersions: ['v1'], conditions: [{ type: 'Established', status: 'True' }] },
  }
  const next = structuredClone(old) as unknown as Draft
  change(next)
  return causesOf(validateCrd(next as unknown as CustomResourceDefinition, old))
}

type Draft = {
  spec: Record<string, unknown> & {
    names: Record<string, unknown>
    versions: Record<string, unknown>[]
  }
}

/** A rule that costs too much for a new definition, though not for all rules together. */
const DEAR = {
  type: 'string',
  maxLength: 15_000,
  'x-kubernetes-validations': [{ rule: 'self.contains(self)' }],
} as const

test('an update may keep what is too dear by now, and not change what names and stores objects', () => {
  assert.deepEqual(
    established(() => {}),
    [],
  )
  assert.deepEqual(
    established((it) => {
      it.spec['scope'] = 'Cluster'
      it.spec['group'] = 'other.example.com'
      Object.assign(it.spec.names, { kind: 'Z', plural: 'zs', listKind: 'ZList' })
    }),
    [
      'FieldValueInvalid|spec.group|Invalid value: "other.example.com": field is immutable',
      'FieldValueInvalid|spec.names.kind|Invalid value: "Z": field is immutable',
      'FieldValueInvalid|spec.names.plural|Invalid value: "zs": field is immutable',
      'FieldValueInvalid|spec.scope|Invalid value: "Cluster": field is immutable',
    ],
  )
})

test('a version in which objects may be stored cannot go', () => {
  assert.deepEqual(
    established((it) => {
      it.spec.versions = [{ ...it.spec.versions[1], storage: true }]
    }),
    [
      'FieldValueInvalid|status.storedVersions[0]|Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions',
      'FieldValueInvalid|status.storedVersions|Invalid value: ["v1"]: must have the storage version v2',
    ],
  )
})

test('a bad CA bundle is refused once the definition is established', () => {
  const webhook = {
    clientConfig: { url: 'https://hook.example.com', caBundle: 'YQ==' },
    conversionReviewVersions: ['v1'],
  }
  assert.deepEqual(
    established((it) => {
      it.spec['conversion'] = { strategy: 'Webhook', webhook }
    }),
    [
      'FieldValueInvalid|spec.conversion.webhookClientConfig.caBundle|Invalid value: "YQ==": unable to load root certificates: unable to parse bytes as PEM block',
    ],
  )
})
