import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { Node, PersistentVolume, PersistentVolumeClaim, Pod } from 'kubewright/kinds/core/v1'
import { Event } from 'kubewright/kinds/events.k8s.io/v1'
import { StorageClass, VolumeAttachment } from 'kubewright/kinds/storage.k8s.io/v1'
import { findCondition } from 'kubewright/machinery'
import { startCluster } from './cluster.ts'
import { here, template } from './objects.fixture.ts'

const cluster = await startCluster({ nodes: 2 })
after(() => cluster.close())
const { client } = cluster

const claim = (storageClassName: string, accessMode: string = 'ReadWriteOnce') =>
  ({
    accessModes: [accessMode],
    storageClassName,
    resources: { requests: { storage: '1Gi' } },
  }) as never

const using = (name: string, claimName: string = name): never =>
  ({
    metadata: here(name),
    spec: {
      ...template(name).spec,
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
    },
  }) as never

const waitsBecause = async (name: string): Promise<string> => {
  const pod = await cluster.until(Pod, `default/${name}`, (it) =>
    Boolean(findCondition(it.status?.conditions, 'PodScheduled')?.message),
  )
  return findCondition(pod.status?.conditions, 'PodScheduled')!.message!
}

const NOT_HELPFUL =
  'no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.'

test('a claim that waits for its consumer is made for the node that its pod gets', async () => {
  await client.create(StorageClass, {
    metadata: { name: 'late' },
    provisioner: 'example.com/late',
    volumeBindingMode: 'WaitForFirstConsumer',
  })
  await client.create(PersistentVolumeClaim, { metadata: here('late'), spec: claim('late') })
  await cluster.untilList(Event, { namespace: 'default' }, (all) =>
    all.some((it) => it.reason === 'WaitForFirstConsumer'),
  )
  await client.create(Pod, using('late'))
  const pod = await cluster.until(Pod, 'default/late', (it) => it.status?.phase === 'Running')
  const bound = await client.get(PersistentVolumeClaim, here('late'))
  assert.equal(bound.status?.phase, 'Bound')
  const { annotations = {} } = bound.metadata
  assert.deepEqual(annotations, {
    'pv.kubernetes.io/bind-completed': 'yes',
    'pv.kubernetes.io/bound-by-controller': 'yes',
    'volume.beta.kubernetes.io/storage-provisioner': 'example.com/late',
    'volume.kubernetes.io/selected-node': pod.spec.nodeName,
    'volume.kubernetes.io/storage-provisioner': 'example.com/late',
  })
  assert.equal(pod.status?.nominatedNodeName, undefined)
})

test('a pod waits for claims that are not there, or not bound, and says so', async () => {
  await client.create(Pod, using('early', 'nowhere'))
  assert.equal(
    await waitsBecause('early'),
    `0/2 nodes are available: persistentvolumeclaim "nowhere" not found. not found`,
  )
  await client.create(PersistentVolumeClaim, { metadata: here('unbound'), spec: claim('') })
  await client.create(Pod, using('unbound'))
  assert.equal(
    await waitsBecause('unbound'),
    `0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found`,
  )
  await client.create(PersistentVolume, {
    metadata: { name: 'by-hand' },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      hostPath: { path: '/mnt/x' },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            {
              matchExpressions: [
                { key: 'kubernetes.io/hostname', operator: 'In', values: ['node-2'] },
              ],
            },
          ],
        },
      },
    },
  })
  const pod = await cluster.until(Pod, 'default/unbound', (it) => Boolean(it.spec.nodeName))
  assert.equal(pod.spec.nodeName, 'node-2', 'where the volume is')
})

test('a free volume is bound where it can be reached, before one is made', async () => {
  await client.create(StorageClass, {
    metadata: { name: 'local' },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode: 'WaitForFirstConsumer',
  })
  await client.create(PersistentVolumeClaim, { metadata: here('local'), spec: claim('local') })
  await client.create(Pod, using('local'))
  assert.equal(
    await waitsBecause('local'),
    `0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind. ${NOT_HELPFUL}`,
  )
  const values = ['node-1']
  const terms = [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values }] }]
  await client.create(PersistentVolume, {
    metadata: { name: 'disk' },
    spec: {
      capacity: { storage: '2Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'local',
      local: { path: '/disks/1' },
      nodeAffinity: { required: { nodeSelectorTerms: terms } },
    } as never,
  })
  const pod = await cluster.until(Pod, 'default/local', (it) => Boolean(it.spec.nodeName))
  assert.equal(pod.spec.nodeName, 'node-1')
  const bound = await client.get(PersistentVolumeClaim, here('local'))
  assert.equal(bound.spec?.volumeName, 'disk')
})

test('a claim for one pod alone is not given to a second', async () => {
  await client.create(StorageClass, { metadata: { name: 'now' }, provisioner: 'example.com/now' })
  const spec = claim('now', 'ReadWriteOncePod')
  await client.create(PersistentVolumeClaim, { metadata: here('alone'), spec })
  await cluster.until(PersistentVolumeClaim, 'default/alone', (it) => it.status?.phase === 'Bound')
  await client.create(Pod, using('first', 'alone'))
  await cluster.until(Pod, 'default/first', (it) => it.status?.phase === 'Running')
  await client.create(Pod, using('second', 'alone'))
  assert.equal(
    await waitsBecause('second'),
    '0/2 nodes are available: 2 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod. no new claims to deallocate, preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.',
  )
  await client.delete(Pod, here('first'))
  await cluster.until(Pod, 'default/second', (it) => it.status?.phase === 'Running')
})

test('a volume made by hand that nothing can delete says so', async () => {
  await client.create(PersistentVolume, {
    metadata: { name: 'stuck' },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Delete',
      hostPath: { path: '/mnt/stuck' },
      claimRef: { namespace: 'default', name: 'gone', uid: 'gone' },
    },
  })
  const failed = await cluster.until(
    PersistentVolume,
    'stuck',
    (it) => it.status?.phase === 'Failed',
  )
  assert.equal(
    failed.status?.message,
    'host_path deleter only supports /tmp/.+ but received provided /mnt/stuck',
  )
})

test('claims of the default class get folders below a root, where there is one', async () => {
  await using local = await startCluster({
    volumeRoot: '/var/volumes',
    defaultStorageClass: 'standard',
  })
  await local.until(StorageClass, 'standard', () => true)
  await local.client.create(PersistentVolumeClaim, {
    metadata: here('data'),
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  })
  await local.client.create(Pod, using('data'))
  await local.until(Pod, 'default/data', (it) => it.status?.phase === 'Running')
  const [volume] = (await local.client.list(PersistentVolume)).items
  assert.deepEqual(volume?.spec?.hostPath, {
    path: `/var/volumes/${volume?.metadata.name}`,
    type: 'DirectoryOrCreate',
  })
})

test('an ephemeral volume has a claim of its own, which ends with its pod', async () => {
  const template = { spec: claim('now') }
  const { spec } = using('scratch') as { readonly spec: object }
  const volumes = [{ name: 'data', ephemeral: { volumeClaimTemplate: template } }]
  await client.create(Pod, { metadata: here('scratch'), spec: { ...spec, volumes } as never })
  const pod = await cluster.until(Pod, 'default/scratch', (it) => it.status?.phase === 'Running')
  const made = await client.get(PersistentVolumeClaim, here('scratch-data'))
  assert.equal(made.metadata.ownerReferences?.[0]?.uid, pod.metadata.uid)
  await client.delete(Pod, here('scratch'))
  await cluster.untilGone(PersistentVolumeClaim, 'default/scratch-data')
})

test('a claim that asks for more gets it, where its class allows that', async () => {
  await client.create(StorageClass, {
    metadata: { name: 'growing' },
    provisioner: 'example.com/growing',
    allowVolumeExpansion: true,
  })
  await client.create(PersistentVolumeClaim, { metadata: here('growing'), spec: claim('growing') })
  const isBound = (it: PersistentVolumeClaim): boolean => it.status?.phase === 'Bound'
  await cluster.until(PersistentVolumeClaim, 'default/growing', isBound)
  const body = { spec: { resources: { requests: { storage: '3Gi' } } } }
  await client.patch(PersistentVolumeClaim, here('growing'), { type: 'merge', body })
  const grown = await cluster.until(
    PersistentVolumeClaim,
    'default/growing',
    (it) => it.status?.capacity?.['storage'] === '3Gi',
  )
  const volume = await client.get(PersistentVolume, grown.spec!.volumeName!)
  assert.equal(volume.spec?.capacity?.['storage'], '3Gi')
})

test('volumes of drivers are attached to the nodes of their pods, and let go', async () => {
  await client.create(PersistentVolumeClaim, { metadata: here('attached'), spec: claim('now') })
  await client.create(Pod, using('attached'))
  const pod = await cluster.until(Pod, 'default/attached', (it) => it.status?.phase === 'Running')
  const { spec } = await client.get(PersistentVolumeClaim, here('attached'))
  const isOurs = (it: VolumeAttachment): boolean =>
    it.spec.source.persistentVolumeName === spec!.volumeName
  const all = await cluster.untilList(VolumeAttachment, {}, (found) =>
    found.some((it) => isOurs(it) && it.status?.attached === true),
  )
  const { attacher, nodeName } = all.find(isOurs)!.spec
  const source = { persistentVolumeName: 'elsewhere' }
  await client.create(VolumeAttachment, {
    metadata: { name: 'by-hand' },
    spec: { attacher: 'example.com.other', nodeName, source },
  })
  assert.deepEqual([attacher, nodeName], ['example.com.now', pod.spec.nodeName])
  await cluster.until(Node, nodeName, (it) =>
    Boolean(it.status?.volumesAttached?.some((one) => one.name.endsWith(spec!.volumeName!))),
  )
  await client.delete(Pod, here('attached'))
  const left = await cluster.untilList(VolumeAttachment, {}, (found) => !found.some(isOurs))
  assert.ok(left.some((it) => it.metadata.name === 'by-hand'))
})
