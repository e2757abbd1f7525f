import assert from 'node:assert/strict'
import test from 'node:test'
import type { PersistentVolume, PersistentVolumeClaim } from 'kubewright/kinds/core/v1'
import { findVolume, provisionedVolume, volumePhase } from './binding.ts'

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
  assert.equal(name(claim({ volumeName: 'large' }), fit, large), 'large')
  assert.equal(name(claim({ volumeName: 'taken' }), fit, taken), undefined)
})

test('the phase of a volume follows its claim', () => {
  const bound = volume('v', '1Gi', { claimRef: { namespace: 'n', name: 'data', uid: 'uid-data' } })
  assert.equal(volumePhase(volume('v', '1Gi'), undefined), 'Available')
  assert.equal(volumePhase(bound, claim({ volumeName: 'v' })), 'Bound')
  assert.equal(volumePhase(bound, undefined), 'Released')
  assert.equal(
    volumePhase(bound, { ...claim(), metadata: { ...claim().metadata, uid: 'another' } }),
    'Released',
  )
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
