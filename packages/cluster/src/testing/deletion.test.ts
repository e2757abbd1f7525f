import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Deployment, ReplicaSet } from 'kubewright/kinds/apps/v1'
import {
  ConfigMap,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ServiceAccount,
} from 'kubewright/kinds/core/v1'
import { StorageClass } from 'kubewright/kinds/storage.k8s.io/v1'
import { kindOf, type Kind, ownerReference, type UnknownObject } from 'kubewright/machinery'
import { CustomResourceDefinition } from 'kubewright/kinds/apiextensions.k8s.io/v1'
import { type Cluster, startCluster } from './cluster.ts'
import { deployment, here, template } from './objects.fixture.ts'

let cluster: Cluster
before(async () => {
  cluster = await startCluster()
})
after(() => cluster.close())

/** A config map that belongs to others. */
async function owned(
  name: string,
  owners: readonly { readonly kind: Kind; readonly object: UnknownObject | ConfigMap }[],
  blocking: boolean = true,
): Promise<ConfigMap> {
  const ownerReferences = owners.map(({ kind, object }) => ({
    ...ownerReference(kind, object),
    blockOwnerDeletion: blocking,
  }))
  return cluster.client.create(ConfigMap, { metadata: { ...here(name), ownerReferences } })
}

const plain = (name: string): Promise<ConfigMap> =>
  cluster.client.create(ConfigMap, { metadata: here(name) })

const of = (object: ConfigMap): { readonly kind: Kind; readonly object: ConfigMap } => ({
  kind: ConfigMap,
  object,
})

test('what is owned goes after its owner, whole trees of it', async () => {
  const { client } = cluster
  await client.create(Deployment, deployment('tree', 2))
  await cluster.until(Deployment, 'default/tree', (it) => it.status?.readyReplicas === 2)
  await client.delete(Deployment, here('tree'))
  const where = { namespace: 'default', labelSelector: 'app=tree' }
  await cluster.untilList(ReplicaSet, where, (sets) => sets.length === 0)
  await cluster.untilList(Pod, where, (pods) => pods.length === 0)
})

test('a foreground deletion keeps the owner until what blocks it has gone', async () => {
  const { client } = cluster
  const top = await plain('top')
  const held = await client.patch(ConfigMap, here('top'), { type: 'merge', body: {} })
  assert.equal(held.metadata.uid, top.metadata.uid)
  const child = await owned('child', [of(top)])
  await client.patch(ConfigMap, here('child'), {
    type: 'merge',
    body: { metadata: { finalizers: ['example.com/hold'] } },
  })
  await client.delete(ConfigMap, here('top'), { propagation: 'Foreground' })
  await cluster.until(
    ConfigMap,
    'default/child',
    (it) => it.metadata.deletionTimestamp !== undefined,
  )
  const waiting = await client.get(ConfigMap, here('top'))
  assert.deepEqual(waiting.metadata.finalizers, ['foregroundDeletion'])
  await client.patch(ConfigMap, here('child'), {
    type: 'merge',
    body: { metadata: { finalizers: null } },
  })
  await cluster.untilGone(ConfigMap, 'default/child')
  await cluster.untilGone(ConfigMap, 'default/top')
  assert.ok(child.metadata.uid)
})

test('a deletion that orphans leaves what was owned, without an owner', async () => {
  const { client } = cluster
  await client.create(Deployment, deployment('orphans', 1))
  await cluster.until(Deployment, 'default/orphans', (it) => it.status?.readyReplicas === 1)
  await client.delete(Deployment, here('orphans'), { propagation: 'Orphan' })
  await cluster.untilGone(Deployment, 'default/orphans')
  const where = { namespace: 'default', labelSelector: 'app=orphans' }
  const [set] = await cluster.untilList(
    ReplicaSet,
    where,
    ([it]) => it !== undefined && !it.metadata.ownerReferences?.length,
  )
  const pods = await client.list(Pod, where)
  assert.equal(pods.items.length, 1)
  await client.delete(ReplicaSet, here(set!.metadata.name!))
  await cluster.untilList(Pod, where, (left) => left.length === 0)
})

test('an owner that never was takes nothing with it but what names it', async () => {
  const ghost: ConfigMap = {
    metadata: { ...here('ghost'), uid: '00000000-0000-4000-8000-000000000000' },
  }
  const real = await plain('real')
  await owned('lost', [of(ghost)])
  await owned('half-lost', [of(ghost), of(real)])
  await cluster.untilGone(ConfigMap, 'default/lost')
  const left = await cluster.until(
    ConfigMap,
    'default/half-lost',
    (it) => it.metadata.ownerReferences?.length === 1,
  )
  assert.equal(left.metadata.ownerReferences![0]!.uid, real.metadata.uid)
})

test('two that own one another go together', async () => {
  const { client } = cluster
  const left = await plain('left')
  const right = await owned('right', [of(left)])
  await client.patch(ConfigMap, here('left'), {
    type: 'merge',
    body: {
      metadata: {
        ownerReferences: [{ ...ownerReference(ConfigMap, right), blockOwnerDeletion: true }],
      },
    },
  })
  await client.delete(ConfigMap, here('left'), { propagation: 'Foreground' })
  await cluster.untilGone(ConfigMap, 'default/left')
  await cluster.untilGone(ConfigMap, 'default/right')
})

test('custom resources own and are owned from the moment they exist', async () => {
  const { client } = cluster
  const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' }
  const schema = {
    openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  }
  await client.create(CustomResourceDefinition, {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names,
      versions: [{ name: 'v1', served: true, storage: true, schema: schema as never }],
    },
  })
  await cluster.until(CustomResourceDefinition, 'widgets.example.com', (it) =>
    (it.status?.conditions ?? []).some(
      (one) => one.type === 'Established' && one.status === 'True',
    ),
  )
  const Widget = kindOf('example.com/v1', 'Widget', 'widgets', 'Namespaced')
  const widget = await client.create(Widget, { metadata: here('w') })
  await owned('of-widget', [{ kind: Widget, object: widget }])
  await client.delete(Widget, here('w'))
  await cluster.untilGone(ConfigMap, 'default/of-widget')
  const top = await plain('of-map')
  const ownerReferences = [ownerReference(ConfigMap, top)]
  await client.create(Widget, { metadata: { ...here('child'), ownerReferences } })
  await client.delete(ConfigMap, here('of-map'))
  await cluster.untilGone(Widget, 'default/child')
})

test('a namespace is emptied before it goes, and says what holds it', async () => {
  const { client } = cluster
  await client.create(Namespace, { metadata: { name: 'doomed' } })
  await cluster.until(ServiceAccount, 'doomed/default', () => true)
  const { spec } = deployment('busy', 2)
  await client.create(Deployment, {
    metadata: { namespace: 'doomed', name: 'busy' },
    ...(spec && { spec }),
  })
  await cluster.until(Deployment, 'doomed/busy', (it) => it.status?.readyReplicas === 2)
  const finalizers = ['example.com/hold']
  await client.create(ConfigMap, { metadata: { namespace: 'doomed', name: 'held', finalizers } })
  await client.delete(Namespace, 'doomed')
  const holding = await cluster.until(Namespace, 'doomed', (it) =>
    (it.status?.conditions ?? []).some(
      (one) => one.type === 'NamespaceFinalizersRemaining' && one.status === 'True',
    ),
  )
  assert.equal(holding.status!.phase, 'Terminating')
  const said = (type: string): string | undefined =>
    holding.status!.conditions!.find((it) => it.type === type)?.message
  assert.equal(
    said('NamespaceContentRemaining'),
    'Some resources are remaining: configmaps. has 1 resource instances',
  )
  assert.equal(
    said('NamespaceFinalizersRemaining'),
    'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
  )
  await client.patch(ConfigMap, 'doomed/held', {
    type: 'merge',
    body: { metadata: { finalizers: null } },
  })
  await cluster.untilGone(Namespace, 'doomed')
  assert.equal((await client.list(Pod, { namespace: 'doomed' })).items.length, 0)
})

test('claims are bound, kept while a pod uses them, and their volumes go with them', async () => {
  const { client } = cluster
  await client.create(StorageClass, {
    metadata: { name: 'quick' },
    provisioner: 'example.com/quick',
  })
  const spec = {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'quick',
    resources: { requests: { storage: '1Gi' } },
  } as const
  await client.create(PersistentVolumeClaim, { metadata: here('data'), spec })
  const bound = await cluster.until(
    PersistentVolumeClaim,
    'default/data',
    (it) => it.status?.phase === 'Bound',
  )
  const volume = bound.spec!.volumeName!
  await cluster.until(PersistentVolume, volume, (it) => it.status?.phase === 'Bound')
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }]
  await client.create(Pod, { metadata: here('user'), spec: { ...template('user').spec, volumes } })
  await cluster.until(Pod, 'default/user', (it) => it.status?.phase === 'Running')
  await client.delete(PersistentVolumeClaim, here('data'))
  const held = await client.get(PersistentVolumeClaim, here('data'))
  assert.deepEqual(held.metadata.finalizers, ['kubernetes.io/pvc-protection'])
  await client.delete(Pod, here('user'))
  await cluster.untilGone(PersistentVolumeClaim, 'default/data')
  await cluster.untilGone(PersistentVolume, volume)
})

test('pods of a node that is gone are removed', async () => {
  const { client } = cluster
  await client.create(Node, { metadata: { name: 'lost' }, spec: {} })
  await client.create(Pod, {
    metadata: here('alone'),
    spec: { ...template('alone').spec, nodeName: 'lost' },
  })
  await client.delete(Node, 'lost')
  await cluster.untilGone(Pod, 'default/alone')
})
