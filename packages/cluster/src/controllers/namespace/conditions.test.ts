import assert from 'node:assert/strict'
import test from 'node:test'
import type { Namespace } from 'kubewright/kinds/core/v1'
import { conditionsDiffer, type Remains, terminationConditions } from './conditions.ts'

const NOW = Date.UTC(2026, 0, 1)
const EMPTY: Remains = {
  byResource: new Map(),
  byFinalizer: new Map(),
  discoveryError: undefined,
  errors: [],
}
const namespace: Namespace = { metadata: { name: 'n' }, spec: {} }

test('a namespace that is empty says so five times', () => {
  const conditions = terminationConditions(namespace, EMPTY, NOW)
  assert.deepEqual(
    conditions.map((it) => [it.type, it.status, it.reason]),
    [
      ['NamespaceDeletionDiscoveryFailure', 'False', 'ResourcesDiscovered'],
      ['NamespaceDeletionGroupVersionParsingFailure', 'False', 'ParsedGroupVersions'],
      ['NamespaceDeletionContentFailure', 'False', 'ContentDeleted'],
      ['NamespaceContentRemaining', 'False', 'ContentRemoved'],
      ['NamespaceFinalizersRemaining', 'False', 'ContentHasNoFinalizers'],
    ],
  )
})

test('what is left is listed in order, with its number', () => {
  const remains: Remains = {
    ...EMPTY,
    byResource: new Map([
      ['pods.', 2],
      ['deployments.apps', 1],
    ]),
    byFinalizer: new Map([
      ['b/x', 1],
      ['a/y', 3],
    ]),
    errors: ['second', 'first'],
  }
  const said = terminationConditions(namespace, remains, NOW).map((it) => it.message)
  assert.deepEqual(said.slice(2), [
    'Failed to delete all resource types, 2 remaining: first, second',
    'Some resources are remaining: deployments.apps has 1 resource instances, pods. has 2 resource instances',
    'Some content in the namespace has finalizers remaining: a/y in 3 resource instances, b/x in 1 resource instances',
  ])
})

test('times stay while statuses do, and only new words are worth a write', () => {
  const first = terminationConditions(namespace, EMPTY, NOW)
  const later = terminationConditions(
    { ...namespace, status: { conditions: first } },
    EMPTY,
    NOW + 60_000,
  )
  assert.deepEqual(later, first)
  assert.equal(conditionsDiffer(first, later), false)
  const full = terminationConditions(
    { ...namespace, status: { conditions: first } },
    { ...EMPTY, byResource: new Map([['pods.', 1]]) },
    NOW + 60_000,
  )
  assert.equal(conditionsDiffer(first, full), true)
  assert.equal(
    full.find((it) => it.type === 'NamespaceContentRemaining')!.lastTransitionTime,
    '2026-01-01T00:01:00Z',
  )
})
