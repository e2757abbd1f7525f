import assert from 'node:assert/strict'
import { test } from 'node:test'
import { controller, kind, s } from 'kubewright'
import { Deployment } from 'kubewright/kinds/apps/v1'
import { ConfigMap, Pod, Secret } from 'kubewright/kinds/core/v1'
import { rbacObjects, rulesFor } from './rbac.ts'

const Cache = kind('cache.example.com/v1', 'Cache', { spec: { size: s.integer() }, status: {} })
const READ = ['get', 'list', 'watch']
const WRITE = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch']
const nothing = (): void => {}

test('a controller may write what it owns, read what it watches, and tell events', () => {
  const cache = controller(Cache)
    .owns(Deployment)
    .owns(ConfigMap)
    .watches(Pod, () => [])
    .reads(Secret)
    .reconcile(nothing)
  assert.deepEqual(rulesFor([cache]), [
    { apiGroups: [''], resources: ['configmaps'], verbs: WRITE },
    { apiGroups: [''], resources: ['pods', 'secrets'], verbs: READ },
    { apiGroups: ['apps'], resources: ['deployments'], verbs: WRITE },
    { apiGroups: ['cache.example.com'], resources: ['caches'], verbs: WRITE },
    { apiGroups: ['cache.example.com'], resources: ['caches/finalizers'], verbs: ['update'] },
    {
      apiGroups: ['cache.example.com'],
      resources: ['caches/status'],
      verbs: ['get', 'patch', 'update'],
    },
    { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
  ])
})

test('what several controllers need is added up, and what was asked for comes last', () => {
  const one = controller(Cache, { name: 'one' })
    .watches(Pod, () => [])
    .reconcile(nothing)
  const two = controller(Cache, { name: 'two' }).owns(Pod).reconcile(nothing)
  const extra = { apiGroups: ['batch'], resources: ['jobs'], verbs: ['create'] }
  const rules = rulesFor([one, two], [extra])
  assert.deepEqual(
    rules.filter((it) => it.resources?.includes('pods')),
    [{ apiGroups: [''], resources: ['pods'], verbs: WRITE }],
  )
  assert.deepEqual(rules.at(-1), extra)
  assert.deepEqual(rulesFor([two, one], [extra]), rules, 'the order of controllers does not matter')
})

test('roles are bound to the service account of the project', () => {
  const objects = Object.values(rbacObjects('cache-operator', [])) as readonly {
    readonly kind: string
    readonly metadata: { readonly name: string; readonly namespace?: string }
    readonly roleRef?: { readonly kind: string; readonly name: string }
    readonly subjects?: readonly object[]
  }[]
  const subject = {
    kind: 'ServiceAccount',
    name: 'cache-operator-controller-manager',
    namespace: 'cache-operator-system',
  }
  assert.ok(objects.some((it) => it.kind === 'ServiceAccount' && it.metadata.name === subject.name))
  const bindings = objects.filter((it) => it.roleRef)
  assert.equal(bindings.length, 3)
  for (const { roleRef, subjects, metadata } of bindings) {
    assert.deepEqual(subjects, [subject])
    const role = objects.find(
      (it) => it.kind === roleRef!.kind && it.metadata.name === roleRef!.name,
    )
    assert.ok(role, `${metadata.name} names a role that is there`)
    assert.equal(role.metadata.namespace, metadata.namespace)
  }
})
