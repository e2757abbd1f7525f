import type { UnknownObject } from 'kubewright/machinery'
import { ensureObject, fillAbsent, fillEmpty, keep, objectAt, textAt } from '../fields.ts'
import { statusOnly, whole } from '../generic/whole-and-status.ts'
import type { Draft, Strategy, StrategyContext } from '../strategy.ts'
import { defaultClaim } from './persistent-volume-claim-defaults.ts'
import { claimWarnings } from './persistent-volume-claim-warnings.ts'
import { volumeWarnings } from '../storage/storage-warnings.ts'
import { alignDataSources } from './claim-sources.ts'
import { validateClaim, validateClaimUpdate } from './persistent-volume-claim-validation.ts'
import { validateClaimStatus } from './persistent-volume-claim-status-validation.ts'
import { validateVolume, validateVolumeUpdate } from './persistent-volume-validation.ts'
import { nowText } from './now-text.ts'
import { canonicalResources } from './resource-list.ts'
import { defaultVolumeSource } from './volume-defaults.ts'

/** SetDefaults_PersistentVolume. */
function defaultVolume(object: Draft): void {
  const spec = ensureObject(object, 'spec')
  fillEmpty(spec, { persistentVolumeReclaimPolicy: 'Retain' })
  fillAbsent(spec, { volumeMode: 'Filesystem' })
  canonicalResources(spec, 'capacity')
  defaultVolumeSource(spec)
  fillEmpty(ensureObject(object, 'status'), { phase: 'Pending' })
}

/** The time of a phase is that of the write that changed it, unless the writer says when. */
function prepareVolumeStatus(object: Draft, old: UnknownObject, context: StrategyContext): void {
  keep(object, old, 'spec')
  const status = ensureObject(object, 'status')
  const before = objectAt(old, 'status') ?? {}
  const time = status['lastPhaseTransitionTime']
  const moved = textAt(status, 'phase') !== textAt(before, 'phase')
  if (!moved && !time) keep(status, before, 'lastPhaseTransitionTime')
  if (moved && (!time || time === before['lastPhaseTransitionTime'])) {
    status['lastPhaseTransitionTime'] = nowText(context)
  }
}

/** PersistentVolume (kubernetes/pkg/registry/core/persistentvolume/strategy.go). */
export const PERSISTENT_VOLUME: Strategy = Object.freeze({
  applyDefaults: defaultVolume,
  prepareForCreate: (object: Draft, context: StrategyContext) => {
    object['status'] = { phase: 'Pending', lastPhaseTransitionTime: nowText(context) }
  },
  validate: validateVolume,
  prepareForUpdate: (object: Draft, old: UnknownObject) => keep(object, old, 'status'),
  validateUpdate: validateVolumeUpdate,
  warningsOnCreate: volumeWarnings,
  warningsOnUpdate: volumeWarnings,
  resetFields: [['f:status']],
  subresources: { status: { ...statusOnly(), prepareForUpdate: prepareVolumeStatus } },
})

const claim = whole({ emptyStatus: { phase: 'Pending' } })

/** PersistentVolumeClaim (kubernetes/pkg/registry/core/persistentvolumeclaim/strategy.go). */
export const PERSISTENT_VOLUME_CLAIM: Strategy = Object.freeze({
  applyDefaults: defaultClaim,
  ...claim,
  validate: validateClaim,
  validateUpdate: validateClaimUpdate,
  warningsOnCreate: claimWarnings,
  warningsOnUpdate: claimWarnings,
  prepareForCreate: (object: Draft, context: StrategyContext) => {
    alignDataSources(ensureObject(object, 'spec'))
    return claim.prepareForCreate(object, context)
  },
  prepareForUpdate: (object: Draft, old: UnknownObject, context: StrategyContext) => {
    alignDataSources(ensureObject(object, 'spec'), objectAt(old, 'spec'))
    return claim.prepareForUpdate(object, old, context)
  },
  subresources: { status: { ...statusOnly(), validateUpdate: validateClaimStatus } },
  // A new claim lies there without the phase that it is read with.
  unsettled: () => true,
})
