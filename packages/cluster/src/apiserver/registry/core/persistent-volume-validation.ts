import {
  forbiddenField,
  formatQuantity,
  invalidValue,
  isDns1123Subdomain,
  notSupported,
  quantitySign,
  required,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import { has, objectAt, same, textAt, textsAt, type Fields, type Readable } from '../fields.ts'
import { checkName, checkOneOf, requireText, type Errors } from '../generic/checks.ts'
import { unifiedDiff } from '../generic/unified-diff.ts'
import type { Draft } from '../strategy.ts'
import { checkAccessModes } from './persistent-volume-claim-validation.ts'
import { amountOf, resourcesAt } from './resource-list.ts'
import { checkNodeSelector } from './scheduling-validation.ts'

/** What each kind of volume needs to be found by; kinds that need more than names are not judged further here. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  hostPath: ['path'],
  gcePersistentDisk: ['pdName'],
  awsElasticBlockStore: ['volumeID'],
  glusterfs: ['endpoints', 'path'],
  flocker: [],
  nfs: ['server', 'path'],
  rbd: ['image'],
  quobyte: ['registry', 'volume'],
  cephfs: [],
  iscsi: ['targetPortal', 'iqn'],
  cinder: ['volumeID'],
  fc: [],
  flexVolume: ['driver'],
  azureFile: ['secretName', 'shareName'],
  vsphereVolume: ['volumePath'],
  photonPersistentDisk: ['pdID'],
  portworxVolume: ['volumeID'],
  azureDisk: ['diskName', 'diskURI'],
  scaleIO: ['gateway', 'system', 'volumeName'],
  local: ['path'],
  storageos: ['volumeName'],
  csi: ['driver', 'volumeHandle'],
}

/** A new volume (ValidatePersistentVolumeSpec). */
export function validateVolume(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec') ?? {}
  const modes = textsAt(spec, 'accessModes')
  if (modes.length === 0) errors.push(required('spec.accessModes'))
  checkAccessModes(errors, 'spec.accessModes', modes)
  checkCapacity(errors, spec)
  const policy = textAt(spec, 'persistentVolumeReclaimPolicy')
  checkOneOf(errors, 'spec.persistentVolumeReclaimPolicy', policy, ['Delete', 'Recycle', 'Retain'])
  checkAffinity(errors, spec)
  checkSource(errors, spec)
  if (textAt(objectAt(spec, 'hostPath'), 'path') === '/' && policy === 'Recycle') {
    const why = "may not be 'recycle' for a hostPath mount of '/'"
    errors.push(forbiddenField('spec.persistentVolumeReclaimPolicy', why))
  }
  for (const name of ['storageClassName', 'volumeAttributesClassName']) {
    const value = textAt(spec, name)
    if (value !== '') checkName(errors, `spec.${name}`, value, isDns1123Subdomain)
  }
  if (has(spec, 'volumeMode')) {
    checkOneOf(errors, 'spec.volumeMode', textAt(spec, 'volumeMode'), ['Block', 'Filesystem'])
  }
  checkMountOptions(errors, object, spec)
  return errors
}

const MOUNT_OPTIONS = 'volume.beta.kubernetes.io/mount-options'
const MOUNTABLE = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'iscsi',
  'cinder',
  'cephfs',
  'azureFile',
  'vsphereVolume',
  'azureDisk',
  'photonPersistentDisk',
]

/** The annotation that came before the field has its own idea of which volumes are mounted with options. */
function checkMountOptions(errors: Errors, object: Draft, spec: Readable): void {
  if (object.metadata.annotations?.[MOUNT_OPTIONS] === undefined) return
  if (MOUNTABLE.some((it) => has(spec, it))) return
  const why = 'may not specify mount options for this volume type'
  errors.push(forbiddenField(`metadata.annotations.${MOUNT_OPTIONS}`, why))
}

function checkCapacity(errors: Errors, spec: Readable): void {
  const capacity = resourcesAt(spec, 'capacity')
  const names = Object.keys(capacity)
  if (names.length === 0) errors.push(required('spec.capacity'))
  if (names.length > 1 || !names.includes('storage')) {
    const shown =
      names.length === 0 ? null : Object.fromEntries(Object.entries(capacity).toSorted())
    errors.push(notSupported('spec.capacity', shown, ['storage']))
  }
  for (const name of names) {
    const amount = amountOf(capacity[name])
    if (!amount || quantitySign(amount) > 0) continue
    const why = 'must be greater than zero'
    errors.push(invalidValue(`spec.capacity[${name}]`, formatQuantity(amount), why))
  }
}

function checkAffinity(errors: Errors, spec: Readable): void {
  const affinity = objectAt(spec, 'nodeAffinity')
  const needed = objectAt(affinity, 'required')
  if (needed) checkNodeSelector(errors, 'spec.nodeAffinity.required', needed)
  else if (affinity) {
    errors.push(required('spec.nodeAffinity.required', 'must specify required node constraints'))
  }
}

function checkSource(errors: Errors, spec: Readable): void {
  let found = false
  for (const name in SOURCES) {
    const source = objectAt(spec, name)
    if (source === undefined) continue
    const at = `spec.${name}`
    if (found) {
      errors.push(forbiddenField(at, 'may not specify more than 1 volume type'))
    } else {
      for (const need of SOURCES[name]!) requireText(errors, `${at}.${need}`, textAt(source, need))
      if (name === 'local' && !has(spec, 'nodeAffinity')) {
        errors.push(required('spec.nodeAffinity', 'Local volume requires node affinity'))
      }
    }
    found = true
  }
  if (!found) errors.push(required('spec', 'must specify a volume type'))
}

/** Where a volume lies does not change (ValidatePersistentVolumeUpdate). */
export function validateVolumeUpdate(object: Draft, old: UnknownObject): readonly FieldError[] {
  const errors: Errors = [...validateVolume(object)]
  const spec = objectAt(object, 'spec') ?? {}
  const before = objectAt(old, 'spec') ?? {}
  const sources = (it: Readable): Fields =>
    Object.fromEntries(
      Object.keys(SOURCES).flatMap((name) => (has(it, name) ? [[name, it[name]]] : [])),
    )
  if (!same(sources(spec), sources(before))) {
    const why = 'spec.persistentvolumesource is immutable after creation'
    const diff = unifiedDiff(sources(before), sources(spec))
    errors.push(forbiddenField('spec.persistentvolumesource', `${why}\n${diff}`))
  }
  if (!same(spec['volumeMode'], before['volumeMode'])) {
    errors.push(invalidValue('volumeMode', spec['volumeMode'] ?? null, 'field is immutable'))
  }
  if (has(before, 'nodeAffinity') && !same(spec['nodeAffinity'], before['nodeAffinity'])) {
    errors.push(invalidValue('nodeAffinity', spec['nodeAffinity'] ?? null, 'field is immutable'))
  }
  return errors
}
