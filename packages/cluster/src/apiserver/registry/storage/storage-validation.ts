import {
  duplicate,
  forbiddenField,
  formatQuantity,
  invalidValue,
  isDns1123Subdomain,
  isQualifiedName,
  notSupported,
  quantitySign,
  required,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import {
  has,
  itemsAt,
  mapAt,
  numberAt,
  objectAt,
  same,
  textAt,
  textsAt,
  type Readable,
} from '../fields.ts'
import {
  checkName,
  checkNonNegative,
  checkOneOf,
  requireText,
  type Errors,
} from '../generic/checks.ts'
import type { Draft } from '../strategy.ts'
import { amountOf } from '../core/resource-list.ts'

const IMMUTABLE = 'field is immutable'
type Rules = (object: Draft, old: UnknownObject) => readonly FieldError[]

/** An update is judged like a new object, and may not change these fields. */
const keeping =
  (rules: (object: Draft) => readonly FieldError[], ...fields: readonly string[]): Rules =>
  (object, old) => [
    ...rules(object),
    ...fields
      .filter((it) => !same(object[it], old[it]))
      .map((it) => invalidValue(it, object[it] ?? null, IMMUTABLE)),
  ]

/** A class of storage (kubernetes/pkg/apis/storage/validation). */
export function validateStorageClass(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const provisioner = textAt(object, 'provisioner')
  if (provisioner === '') errors.push(required('provisioner'))
  else checkName(errors, 'provisioner', provisioner.toLowerCase(), isQualifiedName)
  if ('' in mapAt(object, 'parameters')) {
    errors.push(invalidValue('parameters', '', 'field can not be empty.'))
  }
  checkOneOf(errors, 'reclaimPolicy', textAt(object, 'reclaimPolicy'), ['Delete', 'Retain'])
  const mode = textAt(object, 'volumeBindingMode')
  checkOneOf(errors, 'volumeBindingMode', mode, ['Immediate', 'WaitForFirstConsumer'])
  itemsAt(object, 'allowedTopologies').forEach((term, i) =>
    itemsAt(term, 'matchLabelExpressions').forEach((it, j) =>
      checkTopology(errors, `allowedTopologies[${i}].matchLabelExpressions[${j}]`, it),
    ),
  )
  return errors
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
  const errors: Errors = []
  for (const field of ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode']) {
    if (same(object[field], old[field])) continue
    errors.push(invalidValue(field, object[field] ?? null, IMMUTABLE))
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
    errors.push(invalidValue(`spec.${shown}`, spec[field] ?? null, IMMUTABLE))
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
  return errors
}

/** A driver's name as nodes know it. */
export const driverNameRule = (name: string): readonly string[] => {
  const lower = name.toLowerCase()
  return name.length > 63
    ? ['must be no more than 63 characters', ...isDns1123Subdomain(lower)]
    : isDns1123Subdomain(lower)
}

/** Which drivers a node has, and how it is called by each. */
export function validateCsiNode(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const names = new Set<string>()
  itemsAt(objectAt(object, 'spec'), 'drivers').forEach((driver, i) => {
    const at = `spec.drivers[${i}]`
    const name = textAt(driver, 'name')
    if (name === '') errors.push(required(`${at}.name`))
    else checkName(errors, `${at}.name`, name, driverNameRule)
    requireText(errors, `${at}.nodeID`, textAt(driver, 'nodeID'))
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
    if (name !== '' && names.has(name)) errors.push(duplicate(`${at}.name`, name))
    names.add(name)
  })
  return errors
}

/** How much room a class of storage has somewhere. */
export function validateCapacity(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  checkName(errors, 'storageClassName', textAt(object, 'storageClassName'), isDns1123Subdomain)
  for (const field of ['capacity', 'maximumVolumeSize']) {
    const amount = amountOf(object[field] as string | undefined)
    if (!amount || quantitySign(amount) >= 0) continue
    const why = 'must be greater than or equal to 0'
    errors.push(invalidValue(field, formatQuantity(amount), why))
  }
  return errors
}

export const validateCapacityUpdate: Rules = keeping(
  validateCapacity,
  'nodeTopology',
  'storageClassName',
)

/** A volume that is to be attached to a node. */
export function validateAttachment(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec') ?? {}
  const attacher = textAt(spec, 'attacher')
  if (attacher === '') errors.push(required('spec.attacher'))
  else if (attacher.length > 0) checkName(errors, 'spec.attacher', attacher, driverNameRule)
  checkName(errors, 'spec.nodeName', textAt(spec, 'nodeName'), isDns1123Subdomain)
  const source = objectAt(spec, 'source')
  const given = ['inlineVolumeSpec', 'persistentVolumeName'].filter((it) => has(source, it))
  const why = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName'
  if (given.length === 0) errors.push(required('spec.source', why))
  if (given.length === 2) errors.push(forbiddenField('spec.source', why))
  if (given.length === 1 && has(source, 'persistentVolumeName')) {
    const name = textAt(source, 'persistentVolumeName')
    if (name === '') {
      const empty = 'must specify non empty persistentVolumeName'
      errors.push(required('spec.source.persistentVolumeName', empty))
    } else checkName(errors, 'spec.source.persistentVolumeName', name, isDns1123Subdomain)
  }
  return errors
}

export const validateAttachmentUpdate: Rules = keeping(() => [], 'spec')

/** A class of attributes that a volume may change to. */
export function validateAttributes(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const name = textAt(object, 'driverName')
  if (name === '') errors.push(required('driverName'))
  else checkName(errors, 'driverName', name, driverNameRule)
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
  if (!same(object['parameters'], old['parameters'])) {
    errors.push(forbiddenField('parameters', 'updates to parameters are forbidden.'))
  }
  return errors
}
