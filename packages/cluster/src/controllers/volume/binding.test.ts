import assert from 'node:assert/strict'
import test from 'node:test'
import type { PersistentVolume, PersistentVolumeClaim } from 'kubewright/kinds/core/v1'
import { findVolume, mismatch, volumeFate } from './binding.ts'
import { provisionedVolume } from './provisioner.ts'

const claim = (spec: PersistentVolumeClaim['spec'] = {}): PersistentVolumeClaim => ({
  metadata: { name: 'data', namespace: 'n', uid: 'uid-data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '5Gi' } }, ...spec },
})

const volume = (
  name: string,
  storage: string,
  spec: PersistentVolume['spec'] = {},
): PersistentVolume => ({
  metadata: { name, labels: { name } },
  spec: { capacity: { storage }, accessModes: ['ReadWriteOnce', 'ReadOnlyMany'], ...spec },
  status: { phase: 'Available' },
})

test('a claim gets the smallest free volume that is large enough, of its class and modes', () => {
  const name = (
    it: PersistentVolumeClaim,
    ...volumes: readonly PersistentVolume[]
  ): string | undefined => findVolume(it, volumes)?.metadata.name
  const [small, fit, large] = [volume('small', '1Gi'), volume('fit', '6Gi'), volume('large', '1Ti')]
  assert.equal(name(claim(), large, small, fit), 'fit')
  assert.equal(name(claim(), small), undefined)
  assert.equal(name(claim({ storageClassName: 'gold' }), fit), undefined)
  assert.equal(name(claim({ accessModes: ['ReadWriteMany'] }), fit), undefined)
  assert.equal(name(claim({ selector: { matchLabels: { name: 'large' } } }), fit, large), 'large')
  assert.equal(name(claim({ volumeMode: 'Block' }), fit), undefined)
  const taken = volume('taken', '6Gi', { claimRef: { namespace: 'n', name: 'other', uid: 'x' } })
  assert.equal(name(claim(), taken, large), 'large')
  const kept = volume('kept', '9Gi', { claimRef: { namespace: 'n', name: 'data' } })
  assert.equal(name(claim(), fit, kept), 'kept')
  const lean = volume('lean', '9Gi', { accessModes: ['ReadWriteOnce'] })
  assert.equal(name(claim(), fit, lean), 'lean', 'fewer modes come before less room')
  const released = { ...fit, status: { phase: 'Released' as const } }
  assert.equal(name(claim(), released, large), 'large')
  assert.equal(findVolume(claim(), [fit, large], (it) => it !== fit)?.metadata.name, 'large')
  assert.equal(findVolume(claim(), [fit], undefined, true), undefined, 'it waits for its pod')
  assert.equal(findVolume(claim(), [fit, kept], undefined, true)?.metadata.name, 'kept')
})

test('a claim that names its volume is told what does not fit', () => {
  const why = (spec: PersistentVolumeClaim['spec'], size: string = '9Gi'): string | undefined =>
    mismatch(volume('v', size), claim(spec))
  assert.equal(why({}), undefined)
  assert.equal(why({}, '1Gi'), 'requested PV is too small')
  assert.equal(why({ storageClassName: 'gold' }), 'storageClassName does not match')
  assert.equal(why({ volumeMode: 'Block' }), 'incompatible volumeMode')
  assert.equal(why({ accessModes: ['ReadWriteMany'] }), 'incompatible accessMode')
})

test('the phase of a volume follows its claim', () => {
  const fate = (it: PersistentVolume, owner: PersistentVolumeClaim | undefined): string =>
    volumeFate(it, owner).is
  const bound = volume('v', '1Gi', { claimRef: { namespace: 'n', name: 'data', uid: 'uid-data' } })
  assert.equal(fate(volume('v', '1Gi'), undefined), 'Available')
  assert.equal(fate(bound, claim({ volumeName: 'v' })), 'Bound')
  assert.equal(fate(bound, undefined), 'Released')
  assert.equal(
    fate(bound, { ...claim(), metadata: { ...claim().metadata, uid: 'another' } }),
    'Released',
  )
})

test('a volume whose claim took another one is free again, or goes if it was made for it', () => {
  const claimRef = { namespace: 'n', name: 'data', uid: 'uid-data' }
  const kept = volume('v', '1Gi', { claimRef, persistentVolumeReclaimPolicy: 'Delete' })
  assert.deepEqual(volumeFate(kept, claim()), { is: 'expected', mismatched: false })
  assert.deepEqual(volumeFate(kept, claim({ volumeMode: 'Block' })), {
    is: 'expected',
    mismatched: true,
  })
  const elsewhere = claim({ volumeName: 'w' })
  assert.deepEqual(volumeFate(kept, elsewhere), { is: 'unbound' })
  const annotations = { 'pv.kubernetes.io/provisioned-by': 'example.com/disk' }
  const made = { ...kept, metadata: { ...kept.metadata, annotations } }
  assert.deepEqual(volumeFate(made, elsewhere), { is: 'Released' })
})

test('a provisioned volume is the claim in another form', () => {
  const made = provisionedVolume(claim({ storageClassName: 'gold' }), {
    metadata: { name: 'gold' },
    provisioner: 'example.com/disk',
    reclaimPolicy: 'Retain',
  })
  assert.equal(made.metadata!.name, 'pvc-uid-data')
  assert.equal(made.spec!.persistentVolumeReclaimPolicy, 'Retain')
  assert.deepEqual(made.spec!.capacity, { storage: '5Gi' })
  assert.equal(
    findVolume(claim({ storageClassName: 'gold' }), [made as PersistentVolume])?.metadata.name,
    'pvc-uid-data',
  )
})
