import {
  duplicate,
  forbiddenField,
  formatQuantity,
  invalidValue,
  isDns1123Subdomain,
  isQualifiedName,
  notSupported,
  quantitySign,
  rangeProblem,
  required,
  tooLong,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import {
  flagAt,
  has,
  itemsAt,
  mapAt,
  numberAt,
  objectAt,
  same,
  sameDeepAt,
  shownAt,
  textAt,
  textsAt,
  type Readable,
} from '../fields.ts'
import {
  checkLabelSelector,
  checkName,
  checkNonNegative,
  checkOneOf,
  requireText,
  type Errors,
} from '../generic/checks.ts'
import { internalForm } from '../generic/internal-form.ts'
import type { Draft } from '../strategy.ts'
import { amountOf } from '../core/resource-list.ts'
import { checkDriverName } from '../generic/driver-name.ts'
import { checkInlineVolume } from './inline-volume-validation.ts'

const IMMUTABLE = 'field is immutable'

/** One problem for each of these fields that an update changes. */
const unchanged = (
  object: Draft,
  old: UnknownObject,
  ...fields: readonly string[]
): readonly FieldError[] =>
  fields
    .filter((it) => !same(object[it], old[it]))
    .map((it) => invalidValue(it, shownAt(object, it), IMMUTABLE))

/** A class of storage (kubernetes/pkg/apis/storage/validation). */
export function validateStorageClass(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const provisioner = textAt(object, 'provisioner')
  if (provisioner === '') errors.push(required('provisioner'))
  else checkName(errors, 'provisioner', provisioner.toLowerCase(), isQualifiedName)
  checkParameters(errors, mapAt(object, 'parameters'))
  const policy = textAt(object, 'reclaimPolicy')
  if (policy !== '') checkOneOf(errors, 'reclaimPolicy', policy, ['Delete', 'Retain'])
  const mode = textAt(object, 'volumeBindingMode')
  checkOneOf(errors, 'volumeBindingMode', mode, ['Immediate', 'WaitForFirstConsumer'])
  checkTopologies(errors, itemsAt(object, 'allowedTopologies'))
  return errors
}

const MOST_PARAMETERS = 512
const LARGEST_PARAMETERS = 256 * 1024

function checkParameters(errors: Errors, parameters: Readonly<Record<string, string>>): void {
  const entries = Object.entries(parameters)
  if (entries.length > MOST_PARAMETERS) {
    errors.push(tooLong('parameters', MOST_PARAMETERS))
    return
  }
  if (Object.hasOwn(parameters, '')) {
    errors.push(invalidValue('parameters', '', 'field can not be empty.'))
  }
  if (Buffer.byteLength(entries.flat().join('')) > LARGEST_PARAMETERS) {
    errors.push(tooLong('parameters', LARGEST_PARAMETERS))
  }
}

/** No two terms say the same; each value list is looked at as a set, and an empty term equals one that says nothing. */
function checkTopologies(errors: Errors, terms: readonly Readable[]): void {
  const field = 'allowedTopologies'
  // Kubernetes compares with a list that begins with as many empty terms as there are terms.
  const seen: string[] = terms.map(() => '{}')
  terms.forEach((term, i) => {
    const at = `${field}[${i}].matchLabelExpressions`
    const values: Record<string, readonly string[]> = {}
    itemsAt(term, 'matchLabelExpressions').forEach((it, j) => {
      checkTopology(errors, `${at}[${j}]`, it)
      const key = textAt(it, 'key')
      if (Object.hasOwn(values, key)) errors.push(duplicate(`${at}[${j}].key`, key))
      values[key] = [...new Set(textsAt(it, 'values'))].toSorted()
    })
    const text = JSON.stringify(Object.fromEntries(Object.entries(values).toSorted()))
    for (const it of seen) if (it === text) errors.push(duplicate(at, ''))
    seen.push(text)
  })
}

function checkTopology(errors: Errors, field: string, requirement: Readable): void {
  const values = textsAt(requirement, 'values')
  if (values.length === 0) errors.push(required(`${field}.values`))
  values.forEach((it, i) => {
    if (values.indexOf(it) < i) errors.push(duplicate(`${field}.values[${i}]`, it))
  })
  checkName(errors, `${field}.key`, textAt(requirement, 'key'), isQualifiedName)
}

export function validateStorageClassUpdate(
  object: Draft,
  old: UnknownObject,
): readonly FieldError[] {
  const errors: Errors = [...validateStorageClass(object)]
  for (const field of ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode']) {
    if (same(object[field], old[field])) continue
    errors.push(invalidValue(field, shownAt(object, field), IMMUTABLE))
  }
  return errors
}

const LIFECYCLES = ['Persistent', 'Ephemeral']

/** What a CSI driver said of itself stays; one field goes by another name here. */
export function validateDriverUpdate(object: Draft, old: UnknownObject): readonly FieldError[] {
  const errors: Errors = [...validateDriver(object)]
  const spec = objectAt(object, 'spec') ?? {}
  const before = objectAt(old, 'spec') ?? {}
  for (const [field, shown] of [
    ['attachRequired', 'attachedRequired'],
    ['volumeLifecycleModes', 'volumeLifecycleModes'],
  ] as const) {
    if (same(spec[field], before[field])) continue
    errors.push(invalidValue(`spec.${shown}`, shownAt(spec, field), IMMUTABLE))
  }
  return errors
}

/** What a CSI driver can do. */
export function validateDriver(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec') ?? {}
  const policy = textAt(spec, 'fsGroupPolicy')
  checkOneOf(errors, 'spec.fsGroupPolicy', policy, ['File', 'None', 'ReadWriteOnceWithFSType'])
  const audiences = new Set<string>()
  itemsAt(spec, 'tokenRequests').forEach((it, i) => {
    const at = `spec.tokenRequests[${i}]`
    const audience = textAt(it, 'audience')
    if (audiences.has(audience)) {
      errors.push(duplicate(`${at}.audience`, audience))
      return
    }
    audiences.add(audience)
    const seconds = numberAt(it, 'expirationSeconds')
    if (seconds === undefined) return
    const name = `${at}.expirationSeconds`
    if (seconds < 600) {
      const why = 'may not specify a duration less than 10 minutes'
      errors.push(invalidValue(name, seconds, why))
    } else if (seconds > 2 ** 32) {
      const why = 'may not specify a duration larger than 2^32 seconds'
      errors.push(invalidValue(name, seconds, why))
    }
  })
  for (const it of textsAt(spec, 'volumeLifecycleModes')) {
    if (LIFECYCLES.includes(it)) continue
    errors.push(notSupported('spec.volumeLifecycleModes', it, LIFECYCLES))
  }
  const period = numberAt(spec, 'nodeAllocatableUpdatePeriodSeconds')
  if (period !== undefined && period < 10) {
    const why = 'must be greater than or equal to 10 seconds'
    errors.push(invalidValue('spec.nodeAllocatableUpdatePeriodSeconds', period, why))
  }
  if (has(spec, 'serviceAccountTokenInSecrets') && itemsAt(spec, 'tokenRequests').length === 0) {
    const at = 'spec.serviceAccountTokenInSecrets'
    const why = 'serviceAccountTokenInSecrets is set but no tokenRequests are specified'
    errors.push(invalidValue(at, flagAt(spec, 'serviceAccountTokenInSecrets'), why))
  }
  return errors
}

const LONGEST_NODE_ID = 256

/** Which drivers a node has, and how it is called by each. */
export function validateCsiNode(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const names = new Set<string>()
  itemsAt(objectAt(object, 'spec'), 'drivers').forEach((driver, i) => {
    const at = `spec.drivers[${i}]`
    const name = textAt(driver, 'name')
    checkDriverName(errors, `${at}.name`, name)
    const id = textAt(driver, 'nodeID')
    requireText(errors, `${at}.nodeID`, id)
    if (Buffer.byteLength(id) > LONGEST_NODE_ID) {
      const why = `must be ${LONGEST_NODE_ID} characters or less`
      errors.push(invalidValue(`${at}.nodeID`, id, why))
    }
    checkNonNegative(
      errors,
      `${at}.allocatable.count`,
      numberAt(objectAt(driver, 'allocatable'), 'count'),
    )
    const keys = textsAt(driver, 'topologyKeys')
    keys.forEach((key, j) => {
      if (key === '') errors.push(required(at))
      if (keys.indexOf(key) < j) errors.push(duplicate(at, key))
      checkName(errors, at, key, isQualifiedName)
    })
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name))
    names.add(name)
  })
  return errors
}

/** What a driver said of itself on a node stays, but for how much it may attach. */
export function validateCsiNodeUpdate(object: Draft, old: UnknownObject): readonly FieldError[] {
  const errors: Errors = [...validateCsiNode(object)]
  const drivers = itemsAt(objectAt(object, 'spec'), 'drivers')
  for (const before of itemsAt(objectAt(old, 'spec'), 'drivers')) {
    for (const driver of drivers) {
      if (driver['name'] !== before['name']) continue
      const { allocatable: _, ...now } = driver
      const { allocatable: __, ...was } = before
      if (!same(now, was))
        errors.push(invalidValue('spec.drivers', internalForm('CSINodeDriver', now), IMMUTABLE))
    }
  }
  return errors
}

/** How much room a class of storage has somewhere. */
export function validateCapacity(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  checkLabelSelector(errors, 'nodeTopology', objectAt(object, 'nodeTopology'))
  checkName(errors, 'storageClassName', textAt(object, 'storageClassName'), isDns1123Subdomain)
  const amount = amountOf(object['capacity'] as string | undefined)
  if (amount && quantitySign(amount) < 0) {
    const why = 'must be greater than or equal to 0'
    errors.push(invalidValue('capacity', formatQuantity(amount), why))
  }
  return errors
}

/** Where and of what class the room is stays; how much there is may change to anything. */
export const validateCapacityUpdate = (
  object: Draft,
  old: UnknownObject,
): readonly FieldError[] => [
  ...validateCapacity(object),
  ...unchanged(object, old, 'nodeTopology', 'storageClassName'),
]

/** A volume that is to be attached to a node. */
export function validateAttachment(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec') ?? {}
  checkDriverName(errors, 'spec.attacher', textAt(spec, 'attacher'))
  checkAttachmentSource(errors, 'spec.source', objectAt(spec, 'source'))
  checkName(errors, 'spec.nodeName', textAt(spec, 'nodeName'), isDns1123Subdomain)
  checkAttachmentStatus(errors, objectAt(object, 'status'))
  return errors
}

function checkAttachmentSource(errors: Errors, at: string, source: Readable | undefined): void {
  const inline = objectAt(source, 'inlineVolumeSpec')
  const isNamed = has(source, 'persistentVolumeName')
  const why = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName'
  const name = textAt(source, 'persistentVolumeName')
  if (!inline && !isNamed) errors.push(required(at, why))
  else if (inline && isNamed) errors.push(forbiddenField(at, why))
  else if (isNamed && name === '') {
    const empty = 'must specify non empty persistentVolumeName'
    errors.push(required(`${at}.persistentVolumeName`, empty))
  } else if (inline) checkInlineVolume(errors, `${at}.inlineVolumeSpec`, inline)
  if (isNamed) checkName(errors, `${at}.persistentVolumeName`, name, isDns1123Subdomain)
}

const LONGEST_MESSAGE = 1024
const LARGEST_METADATA = 256 * 1024

function checkAttachmentStatus(errors: Errors, status: Readable | undefined): void {
  const metadata = Object.entries(mapAt(status, 'attachmentMetadata'))
  if (Buffer.byteLength(metadata.flat().join('')) > LARGEST_METADATA) {
    errors.push(tooLong('status.attachmentMetadata', LARGEST_METADATA))
  }
  for (const name of ['attachError', 'detachError']) {
    const problem = objectAt(status, name)
    // The limit that Kubernetes names here is that of the metadata.
    if (Buffer.byteLength(textAt(problem, 'message')) > LONGEST_MESSAGE) {
      errors.push(tooLong(`status.${name}.message`, LARGEST_METADATA))
    }
    const code = numberAt(problem, 'errorCode')
    if (code === undefined || code >= 0) continue
    errors.push(invalidValue(`status.${name}.errorCode`, code, rangeProblem(0, 2 ** 31 - 1)))
  }
}

export const validateAttachmentUpdate = (
  object: Draft,
  old: UnknownObject,
): readonly FieldError[] => {
  const shown = internalForm('VolumeAttachmentSpec', objectAt(object, 'spec'))
  return [
    ...validateAttachment(object),
    ...(same(object['spec'], old['spec']) ? [] : [invalidValue('spec', shown, IMMUTABLE)]),
  ]
}

/** A class of attributes that a volume may change to. */
export function validateAttributes(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const name = textAt(object, 'driverName')
  if (name === '') errors.push(required('driverName'))
  else checkName(errors, 'driverName', name.toLowerCase(), isQualifiedName)
  checkParameters(errors, mapAt(object, 'parameters'))
  if (Object.keys(mapAt(object, 'parameters')).length === 0) {
    errors.push(required('parameters', 'must contain at least one key/value pair'))
  }
  return errors
}

export function validateAttributesUpdate(object: Draft, old: UnknownObject): readonly FieldError[] {
  const errors: Errors = []
  if (!same(object['driverName'], old['driverName'])) {
    errors.push(forbiddenField('driverName', 'updates to driverName are forbidden.'))
  }
  if (!sameDeepAt(object, old, 'parameters')) {
    errors.push(forbiddenField('parameters', 'updates to parameters are forbidden.'))
  }
  return [...errors, ...validateAttributes(object)]
}
