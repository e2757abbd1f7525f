import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CrdNames, CrdStatus, CustomResourceDefinition } from 'kubewright/schema'
import type { Draft } from '../registry/strategy.ts'
import { applyCrdDefaults } from './crd-defaults.ts'
import { markForDeletion, nextStatus, terminatingStatus } from './crd-status.ts'

const NOW = '2026-01-01T00:00:00Z'
const LATER = '2026-01-02T00:00:00Z'

function definition(
  name: string,
  names: Partial<CrdNames> = {},
  change: Partial<CustomResourceDefinition['spec']> = {},
): CustomResourceDefinition {
  const kind = name.charAt(0).toUpperCase() + name.slice(1, -1)
  const group = change.group ?? 'example.com'
  const crd: CustomResourceDefinition = {
    metadata: { name: `${name}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: name, kind, ...names },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object' } },
        },
      ],
      ...change,
    },
  }
  applyCrdDefaults(crd)
  return crd
}

const told = (status: CrdStatus): Record<string, string> =>
  Object.fromEntries(
    (status.conditions ?? []).map((it) => [it.type, `${it.status} ${it.reason}: ${it.message}`]),
  )

const settled = (
  crd: CustomResourceDefinition,
  others: readonly CustomResourceDefinition[] = [],
): CustomResourceDefinition => ({ ...crd, status: nextStatus(crd, others, NOW) })

test('a definition whose names are free is established', () => {
  const { status } = settled(definition('cats', { shortNames: ['ct'], categories: ['all'] }))
  assert.deepEqual(status, {
    storedVersions: ['v1'],
    acceptedNames: {
      plural: 'cats',
      singular: 'cat',
      shortNames: ['ct'],
      kind: 'Cat',
      listKind: 'CatList',
      categories: ['all'],
    },
    conditions: [
      {
        type: 'NamesAccepted',
        status: 'True',
        reason: 'NoConflicts',
        message: 'no conflicts found',
        lastTransitionTime: NOW,
      },
      {
        type: 'Established',
        status: 'True',
        reason: 'InitialNamesAccepted',
        message: 'the initial names have been accepted',
        lastTransitionTime: NOW,
      },
    ],
  })
})

test('a status at rest stays the very same', () => {
  const crd = settled(definition('cats'))
  assert.equal(nextStatus(crd, [crd], LATER), crd.status)
})

test('names that another definition of the group has are not given away', () => {
  const cats = settled(definition('cats', { shortNames: ['c'] }))
  const clash = definition('cows', { singular: 'cat', shortNames: ['c', 'cw'], kind: 'Cat' })
  const status = nextStatus(clash, [cats], NOW)
  assert.deepEqual(told(status), {
    NamesAccepted: 'False ListKindConflict: "CatList" is already in use',
    Established: 'False NotAccepted: not all names are accepted',
  })
  assert.deepEqual(status.acceptedNames, { plural: 'cows', kind: '' })
})

test('the same names in another group are free', () => {
  const cats = settled(definition('cats'))
  const others = settled(definition('cats', {}, { group: 'other.example.com' }), [cats])
  assert.equal(told(others.status ?? {})['Established']?.slice(0, 4), 'True')
})

test('freed names are taken, and a definition once established stays so', () => {
  const cats = settled(definition('cats', { shortNames: ['c'] }))
  const cows = settled(definition('cows', { shortNames: ['c'] }), [cats])
  assert.equal(
    told(cows.status ?? {})['NamesAccepted'],
    'False ShortNamesConflict: "c" is already in use',
  )
  const after = nextStatus(cows, [], LATER)
  assert.equal(told(after)['NamesAccepted'], 'True NoConflicts: no conflicts found')
  assert.equal(
    told(after)['Established'],
    'True InitialNamesAccepted: the initial names have been accepted',
  )
})

test('a CA bundle that holds no certificate keeps a definition from being established', () => {
  const crd = definition(
    'cats',
    {},
    {
      conversion: {
        strategy: 'Webhook',
        webhook: {
          clientConfig: { url: 'https://hook.example.com', caBundle: 'YQ==' },
          conversionReviewVersions: ['v1'],
        },
      },
    },
  )
  assert.equal(
    told(nextStatus(crd, [], NOW))['Established'],
    'False InvalidCABundle: The conversion webhook CABundle is invalid',
  )
})

test('definitions in Kubernetes’ own groups say whether they were approved (KEP-1111)', () => {
  const states: readonly (readonly [string | undefined, string])[] = [
    [
      undefined,
      'False MissingAnnotation: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
    ],
    ['unapproved, test', 'False UnapprovedAnnotation: not approved: "unapproved, test"'],
    ['https://example.com/1', 'True ApprovedAnnotation: approved in https://example.com/1'],
    [
      'yes',
      'False InvalidAnnotation: protected groups must have approval annotation "api-approved.kubernetes.io" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111',
    ],
  ]
  for (const [text, expected] of states) {
    const crd = definition('cats', {}, { group: 'cats.k8s.io' })
    const annotations = text === undefined ? {} : { 'api-approved.kubernetes.io': text }
    const status = nextStatus({ ...crd, metadata: { ...crd.metadata, annotations } }, [], NOW)
    assert.equal(told(status)['KubernetesAPIApprovalPolicyConformant'], expected)
  }
})

test('a schema that is not structural is told, and the telling goes with it', () => {
  const crd = definition('cats')
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: 'object', properties: { a: {}, b: {} } } },
  }
  const bad = settled({ ...crd, spec: { ...crd.spec, versions: [version] } })
  assert.equal(
    told(bad.status ?? {})['NonStructuralSchema'],
    'True Violations: [spec.versions[0].schema.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object fields, spec.versions[0].schema.openAPIV3Schema.properties[b].type: Required value: must not be empty for specified object fields]',
  )
  const mended = nextStatus({ ...bad, spec: crd.spec }, [], LATER)
  assert.equal(told(mended)['NonStructuralSchema'], undefined)
})

test('a definition that goes is held by its finalizer, and tells how far its objects are', () => {
  const draft = structuredClone(settled(definition('cats'))) as unknown as Draft
  markForDeletion(draft, LATER)
  markForDeletion(draft, LATER)
  assert.deepEqual(draft.metadata.finalizers, ['customresourcecleanup.apiextensions.k8s.io'])
  const crd = draft as unknown as CustomResourceDefinition
  assert.equal(
    told(crd.status ?? {})['Terminating'],
    'True InstanceDeletionPending: CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  )
  assert.equal(
    told(terminatingStatus(crd, 'completed', LATER))['Terminating'],
    'False InstanceDeletionCompleted: removed all instances',
  )
})
