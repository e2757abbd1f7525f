import { ensureObject, fillEmpty, itemsAt, objectAt, type Fields } from '../fields.ts'
import { specChanged, statusOnly, whole } from '../generic/whole-and-status.ts'
import type { Draft, Strategy } from '../strategy.ts'
import { canonicalAmount } from '../core/resource-list.ts'

function defaultRequest(request: Fields): void {
  fillEmpty(request, { allocationMode: 'ExactCount' })
  if (request['allocationMode'] === 'ExactCount') fillEmpty(request, { count: 1 })
}

/** SetDefaults_ExactDeviceRequest, SetDefaults_DeviceSubRequest (kubernetes/pkg/apis/resource/v1/defaults.go). */
function defaultClaimSpec(spec: Fields): void {
  for (const request of itemsAt(ensureObject(spec, 'devices'), 'requests')) {
    const exactly = objectAt(request, 'exactly')
    if (exactly) defaultRequest(exactly)
    for (const each of itemsAt(request, 'firstAvailable')) defaultRequest(each)
  }
}

/** ResourceClaim (kubernetes/pkg/registry/resource/resourceclaim/strategy.go). */
export const RESOURCE_CLAIM: Strategy = Object.freeze({
  applyDefaults: (object: Draft) => defaultClaimSpec(ensureObject(object, 'spec')),
  ...whole({ emptyStatus: {} }),
  subresources: { status: statusOnly({ statusKeeps: 'metadata' }) },
})

/** ResourceClaimTemplate. */
export const RESOURCE_CLAIM_TEMPLATE: Strategy = Object.freeze({
  applyDefaults: (object: Draft) => {
    const spec = ensureObject(object, 'spec')
    ensureObject(spec, 'metadata')
    defaultClaimSpec(ensureObject(spec, 'spec'))
  },
})

/** DeviceClass. */
export const DEVICE_CLASS: Strategy = Object.freeze({ ...whole({ counts: specChanged }) })

function defaultSlice(object: Draft): void {
  const spec = ensureObject(object, 'spec')
  const pool = ensureObject(spec, 'pool')
  pool['generation'] ??= 0
  for (const device of itemsAt(spec, 'devices')) {
    const capacity = objectAt(device, 'capacity')
    for (const name in capacity) canonicalAmount(objectAt(capacity, name), 'value')
  }
}

/** ResourceSlice. */
export const RESOURCE_SLICE: Strategy = Object.freeze({
  applyDefaults: defaultSlice,
  ...whole({ counts: specChanged }),
  selectableFields: {
    'spec.nodeName': (it) => String(objectAt(it, 'spec')?.['nodeName'] ?? ''),
    'spec.driver': (it) => String(objectAt(it, 'spec')?.['driver'] ?? ''),
  },
} satisfies Strategy)
