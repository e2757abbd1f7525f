import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UnknownObject } from 'kubewright/machinery'
import type { Draft } from '../strategy.ts'
import { validateAttachmentUpdate, validateCsiNodeUpdate } from './storage-validation.ts'

const updated = (spec: object): Draft => ({ metadata: { name: 'a' }, spec }) as unknown as Draft
const stored = (spec: object): UnknownObject => updated(spec) as unknown as UnknownObject

/** As kube-apiserver v1.36.3 quotes them. */
test('what stays is quoted by the names of the internal types', () => {
  const [driver] = validateCsiNodeUpdate(
    updated({ drivers: [{ name: 'd.example.com', nodeID: 'm', topologyKeys: ['zone'] }] }),
    stored({ drivers: [{ name: 'd.example.com', nodeID: 'n', topologyKeys: null }] }),
  )
  assert.deepEqual(driver?.value, {
    Name: 'd.example.com',
    NodeID: 'm',
    TopologyKeys: ['zone'],
    Allocatable: null,
  })
  const attachment = (nodeName: string): object => ({
    attacher: 'a.example.com',
    nodeName,
    source: { persistentVolumeName: 'pv' },
  })
  const [spec] = validateAttachmentUpdate(updated(attachment('m')), stored(attachment('n')))
  assert.deepEqual(spec?.value, {
    Attacher: 'a.example.com',
    Source: { PersistentVolumeName: 'pv', InlineVolumeSpec: null },
    NodeName: 'm',
  })
})
