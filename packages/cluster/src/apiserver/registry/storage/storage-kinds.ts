import type { UnknownObject } from 'kubewright/machinery'
import { ensureObject, fillAbsent, itemsAt, objectAt, textsAt } from '../fields.ts'
import { statusOnly, whole, specChanged, countGeneration } from '../generic/whole-and-status.ts'
import type { Draft, Strategy } from '../strategy.ts'
import * as rules from './storage-validation.ts'
import * as warnings from './storage-warnings.ts'
import { canonicalAmount } from '../core/resource-list.ts'

/** StorageClass (kubernetes/pkg/registry/storage/storageclass/strategy.go). */
export const STORAGE_CLASS: Strategy = Object.freeze({
  applyDefaults: (object: Draft) =>
    fillAbsent(object, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
  validate: rules.validateStorageClass,
  validateUpdate: rules.validateStorageClassUpdate,
  warningsOnCreate: warnings.storageClassWarnings,
  warningsOnUpdate: warnings.storageClassWarnings,
})

function defaultDriver(object: Draft): void {
  const spec = ensureObject(object, 'spec')
  fillAbsent(spec, {
    attachRequired: true,
    podInfoOnMount: false,
    storageCapacity: false,
    fsGroupPolicy: 'ReadWriteOnceWithFSType',
    requiresRepublish: false,
    seLinuxMount: false,
  })
  if (textsAt(spec, 'volumeLifecycleModes').length === 0)
    spec['volumeLifecycleModes'] = ['Persistent']
}

/** The feature VolumeLimitScaling is off in v1.36. */
const dropDisabled = (object: Draft): void => {
  delete objectAt(object, 'spec')?.['preventPodSchedulingIfMissing']
}

/** CSIDriver: its generation counts from the first change on (kubernetes/pkg/registry/storage/csidriver/strategy.go). */
export const CSI_DRIVER: Strategy = Object.freeze({
  applyDefaults: defaultDriver,
  validate: rules.validateDriver,
  validateUpdate: rules.validateDriverUpdate,
  warningsOnCreate: (object: Draft) => warnings.driverWarnings(object),
  warningsOnUpdate: warnings.driverUpdateWarnings,
  prepareForCreate: dropDisabled,
  prepareForUpdate: (object: Draft, old: UnknownObject) => {
    dropDisabled(object)
    countGeneration(object, old, specChanged)
  },
  allowUnconditionalUpdate: false,
})

/** CSINode (kubernetes/pkg/registry/storage/csinode/strategy.go). */
export const CSI_NODE: Strategy = Object.freeze({
  applyDefaults: (object: Draft) => {
    const spec = ensureObject(object, 'spec')
    spec['drivers'] ??= null
    for (const driver of itemsAt(spec, 'drivers')) driver['topologyKeys'] ??= null
  },
  validate: rules.validateCsiNode,
  validateUpdate: rules.validateCsiNodeUpdate,
  allowUnconditionalUpdate: false,
})

/** CSIStorageCapacity (kubernetes/pkg/registry/storage/csistoragecapacity/strategy.go). */
export const CSI_STORAGE_CAPACITY: Strategy = Object.freeze({
  applyDefaults: (object: Draft) => {
    canonicalAmount(object, 'capacity')
    canonicalAmount(object, 'maximumVolumeSize')
  },
  validate: rules.validateCapacity,
  validateUpdate: rules.validateCapacityUpdate,
  warningsOnCreate: warnings.capacityWarnings,
  warningsOnUpdate: warnings.capacityWarnings,
  allowUnconditionalUpdate: false,
})

/** VolumeAttachment (kubernetes/pkg/registry/storage/volumeattachment/strategy.go). */
export const VOLUME_ATTACHMENT: Strategy = Object.freeze({
  ...whole({ emptyStatus: { attached: false } }),
  validate: rules.validateAttachment,
  validateUpdate: rules.validateAttachmentUpdate,
  allowUnconditionalUpdate: false,
  subresources: {
    status: {
      ...statusOnly({ statusKeeps: 'metadata' }),
      validateUpdate: rules.validateAttachment,
      allowUnconditionalUpdate: false,
    },
  },
})

/** VolumeAttributesClass (kubernetes/pkg/registry/storage/volumeattributesclass/strategy.go). */
export const VOLUME_ATTRIBUTES_CLASS: Strategy = Object.freeze({
  validate: rules.validateAttributes,
  validateUpdate: rules.validateAttributesUpdate,
})
