import { posix } from 'node:path'
import {
  forbiddenField,
  formatQuantity,
  invalidValue,
  isDns1123Subdomain,
  notSupported,
  quantitySign,
  quantityValue,
  required,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import {
  has,
  itemsAt,
  objectAt,
  same,
  shownAt,
  textAt,
  textsAt,
  type Fields,
  type Readable,
} from '../fields.ts'
import { checkName, checkOneOf, type Errors } from '../generic/checks.ts'
import { internalForm } from '../generic/internal-form.ts'
import { unifiedDiff } from '../generic/unified-diff.ts'
import type { Draft } from '../strategy.ts'
import { checkAccessModes } from './persistent-volume-claim-validation.ts'
import { amountOf, resourcesAt } from './resource-list.ts'
import { checkNodeSelector } from './scheduling-validation.ts'
import { PERSISTENT_SOURCES, checkOneSource } from './volume-sources.ts'

const MODES = ['Block', 'Filesystem']
const POLICIES = ['Delete', 'Recycle', 'Retain']

/** A new volume (ValidatePersistentVolumeSpec). */
export function validateVolume(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec') ?? {}
  const modes = textsAt(spec, 'accessModes')
  if (modes.length === 0) errors.push(required('spec.accessModes'))
  checkAccessModes(errors, 'spec.accessModes', modes)
  checkCapacity(errors, spec)
  const policy = textAt(spec, 'persistentVolumeReclaimPolicy')
  checkOneOf(errors, 'spec.persistentVolumeReclaimPolicy', policy, POLICIES)
  checkAffinity(errors, spec)
  checkOneSource(errors, 'spec', spec, object.metadata.name ?? '', PERSISTENT_SOURCES)
  checkLocalPlace(errors, spec)
  if (isRoot(textAt(objectAt(spec, 'hostPath'), 'path')) && policy === 'Recycle') {
    const why = "may not be 'recycle' for a hostPath mount of '/'"
    errors.push(forbiddenField('spec.persistentVolumeReclaimPolicy', why))
  }
  const storageClass = textAt(spec, 'storageClassName')
  if (storageClass !== '') {
    checkName(errors, 'spec.storageClassName', storageClass, isDns1123Subdomain)
  }
  if (has(spec, 'volumeMode')) {
    checkOneOf(errors, 'spec.volumeMode', textAt(spec, 'volumeMode'), MODES)
  }
  checkAttributesClass(errors, spec)
  checkMountOptions(errors, object, spec)
  return errors
}

/** Whether Go's path.Clean makes `/` of it. */
const isRoot = (path: string): boolean => path.startsWith('/') && posix.normalize(path) === '/'

/** A disk in a machine is nowhere else. */
function checkLocalPlace(errors: Errors, spec: Readable): void {
  const first = Object.keys(PERSISTENT_SOURCES).find((it) => has(spec, it))
  if (first !== 'local') return
  if (objectAt(objectAt(spec, 'nodeAffinity'), 'required')) return
  errors.push(required('spec.nodeAffinity', 'Local volume requires node affinity'))
}

function checkAttributesClass(errors: Errors, spec: Readable): void {
  if (!has(spec, 'volumeAttributesClassName')) return
  const at = 'spec.volumeAttributesClassName'
  const name = textAt(spec, 'volumeAttributesClassName')
  if (name === '') errors.push(required(at, 'an empty string is disallowed'))
  else checkName(errors, at, name, isDns1123Subdomain)
  if (has(spec, 'csi')) return
  errors.push(required('spec.csi', 'has to be specified when using volumeAttributesClassName'))
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
      names.length === 0
        ? shownAt(spec, 'capacity')
        : Object.fromEntries(Object.entries(capacity).toSorted())
    errors.push(notSupported('spec.capacity', shown, ['storage']))
  }
  for (const name of names) {
    const amount = amountOf(capacity[name])
    if (!amount || quantitySign(amount) > 0) continue
    const value = quantityValue(amount)
    if (value < 0n) {
      const why = 'must be a valid resource quantity'
      errors.push(invalidValue(`spec.capacity[${name}]`, Number(value), why))
    }
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

/** Where a volume lies does not change (ValidatePersistentVolumeUpdate). */
export function validateVolumeUpdate(object: Draft, old: UnknownObject): readonly FieldError[] {
  // Kubernetes looks at it as at a new one, and once more as at a changed one.
  const whole = validateVolume(object)
  const errors: Errors = [...whole, ...whole]
  const spec = objectAt(object, 'spec') ?? {}
  const before = objectAt(old, 'spec') ?? {}
  const now = sources(withoutNewSecret(spec, before))
  if (!same(now, sources(before))) {
    const why = 'spec.persistentvolumesource is immutable after creation'
    const shown = (of: Readable): unknown => internalForm('PersistentVolumeSource', of)
    const diff = unifiedDiff(shown(before), shown(now))
    errors.push(forbiddenField('spec.persistentvolumesource', `${why}\n${diff}`))
  }
  if (!same(spec['volumeMode'], before['volumeMode'])) {
    errors.push(invalidValue('volumeMode', spec['volumeMode'] ?? null, 'field is immutable'))
  }
  checkAffinityStays(errors, objectAt(spec, 'nodeAffinity'), objectAt(before, 'nodeAffinity'))
  if (has(before, 'volumeAttributesClassName') && !has(spec, 'volumeAttributesClassName')) {
    const why = 'update from non-nil value to nil is forbidden'
    errors.push(forbiddenField('spec.volumeAttributesClassName', why))
  }
  return errors
}

/** Names of labels before they were settled, and since (betaToGALabel). */
const SETTLED_LABELS: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
}

function checkAffinityStays(
  errors: Errors,
  now: Readable | undefined,
  was: Readable | undefined,
): void {
  if (!was || same(now, was) || same(now, withSettledLabels(was, now))) return
  const why = 'field is immutable, except for updating from beta label to GA'
  const shown = now ? internalForm('VolumeNodeAffinity', now) : null
  errors.push(invalidValue('nodeAffinity', shown, why))
}

/** The affinity that was, with the labels renamed that `now` has under their new names. */
function withSettledLabels(was: Readable, now: Readable | undefined): Readable {
  const terms = (it: Readable | undefined): readonly Fields[] =>
    itemsAt(objectAt(it, 'required'), 'nodeSelectorTerms')
  const renamed = terms(was).map((term, i) => ({
    ...term,
    ...(has(term, 'matchExpressions') && {
      matchExpressions: itemsAt(term, 'matchExpressions').map((it, j) => {
        const key = itemsAt(terms(now)[i], 'matchExpressions')[j]?.['key']
        return SETTLED_LABELS[textAt(it, 'key')] === key ? { ...it, key } : it
      }),
    }),
  }))
  return { ...was, required: { ...objectAt(was, 'required'), nodeSelectorTerms: renamed } }
}

const sources = (spec: Readable): Fields =>
  Object.fromEntries(
    Object.keys(PERSISTENT_SOURCES).flatMap((name) =>
      has(spec, name) ? [[name, spec[name]]] : [],
    ),
  )

/** The secret for growing a volume may come later. */
function withoutNewSecret(spec: Readable, before: Readable): Readable {
  const csi = objectAt(spec, 'csi')
  const was = objectAt(before, 'csi')
  if (!csi || !was || has(was, 'controllerExpandSecretRef')) return spec
  const { controllerExpandSecretRef: _, ...rest } = csi
  return { ...spec, csi: rest }
}
