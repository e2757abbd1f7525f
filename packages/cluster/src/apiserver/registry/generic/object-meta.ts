import {
  forbiddenField,
  invalidValue,
  isDns1123Label,
  isLabelValue,
  isQualifiedName,
  nameIsPathSegment,
  parseApiVersion,
  required,
  tooLong,
  type FieldError,
  type ObjectMeta,
  type ObjectNameRule,
  type OwnerReference,
  type Scope,
} from 'kubewright/machinery'
import { same } from '../fields.ts'

/** All keys and values of an object's annotations together. */
const ANNOTATIONS_LIMIT = 256 * 1024
const IMMUTABLE = 'field is immutable'

/**
 * The rules of metadata that hold for every kind (apimachinery/pkg/api/validation/objectmeta.go ValidateObjectMetaAccessor).
 * `nameRule` defaults to what every name must be, a path segment; a kind's own rule comes on top of that.
 */
export function validateObjectMeta(
  meta: ObjectMeta,
  scope: Scope,
  nameRule: ObjectNameRule = nameIsPathSegment,
): readonly FieldError[] {
  const errors: FieldError[] = []
  nameErrors(meta, nameRule, errors)
  namespaceErrors(meta, scope, errors)
  if (meta.generation !== undefined && meta.generation < 0) {
    errors.push(
      invalidValue('metadata.generation', meta.generation, 'must be greater than or equal to 0'),
    )
  }
  sharedErrors(meta, errors)
  finalizerErrors(meta.finalizers, errors)
  managedFieldErrors(meta, errors)
  return errors
}

function nameErrors(meta: ObjectMeta, rule: ObjectNameRule, errors: FieldError[]): void {
  if (meta.generateName) {
    for (const problem of rule(meta.generateName, true)) {
      errors.push(invalidValue('metadata.generateName', meta.generateName, problem))
    }
  }
  if (!meta.name) {
    errors.push(required('metadata.name', 'name or generateName is required'))
    return
  }
  for (const problem of rule(meta.name, false)) {
    errors.push(invalidValue('metadata.name', meta.name, problem))
  }
}

function namespaceErrors(meta: ObjectMeta, scope: Scope, errors: FieldError[]): void {
  if (scope === 'Cluster') {
    if (meta.namespace)
      errors.push(forbiddenField('metadata.namespace', 'not allowed on this type'))
    return
  }
  if (!meta.namespace) {
    errors.push(required('metadata.namespace'))
    return
  }
  for (const problem of isDns1123Label(meta.namespace)) {
    errors.push(invalidValue('metadata.namespace', meta.namespace, problem))
  }
}

function sharedErrors(meta: ObjectMeta, errors: FieldError[]): void {
  labelErrors(meta.labels, 'metadata.labels', errors)
  annotationErrors(meta.annotations, 'metadata.annotations', errors)
  ownerErrors(meta.ownerReferences, errors)
}

/** Label keys and values (meta/v1/validation ValidateLabels). */
export function labelErrors(
  labels: Readonly<Record<string, string>> | undefined,
  field: string,
  errors: FieldError[],
): void {
  for (const key in labels) {
    for (const problem of isQualifiedName(key)) errors.push(invalidValue(field, key, problem))
    const value = labels[key] ?? ''
    for (const problem of isLabelValue(value)) errors.push(invalidValue(field, value, problem))
  }
}

/** Annotation keys, and the size of all of them. */
export function annotationErrors(
  annotations: Readonly<Record<string, string>> | undefined,
  field: string,
  errors: FieldError[],
): void {
  for (const key in annotations) {
    for (const problem of isQualifiedName(key.toLowerCase())) {
      errors.push(invalidValue(field, key, problem))
    }
  }
  if (annotations !== undefined) checkAnnotationsSize(errors, field, annotations)
}

/** The size of all annotations together. */
export function checkAnnotationsSize(
  errors: FieldError[],
  field: string,
  annotations: Readonly<Record<string, string>>,
): void {
  let size = 0
  for (const key in annotations) size += key.length + (annotations[key]?.length ?? 0)
  // A character takes at most three bytes, so most objects need no exact count.
  if (size * 3 > ANNOTATIONS_LIMIT && bytesOf(annotations) > ANNOTATIONS_LIMIT) {
    errors.push(tooLong(field, ANNOTATIONS_LIMIT))
  }
}

function bytesOf(entries: Readonly<Record<string, string>>): number {
  let bytes = 0
  for (const key in entries) bytes += Buffer.byteLength(key) + Buffer.byteLength(entries[key] ?? '')
  return bytes
}

const OWNERS = 'metadata.ownerReferences'

function ownerErrors(owners: readonly OwnerReference[] | undefined, errors: FieldError[]): void {
  if (owners === undefined) return
  let first = ''
  for (const owner of owners) {
    oneOwnerErrors(owner, errors)
    if (owner.controller !== true) continue
    const name = `${owner.kind}/${owner.name}`
    if (first === '') first = name
    else errors.push(invalidValue(OWNERS, owners, twoControllers(first, name)))
  }
}

const twoControllers = (first: string, second: string): string =>
  `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${second}`

function oneOwnerErrors(owner: OwnerReference, errors: FieldError[]): void {
  const { group, version } = parseApiVersion(owner.apiVersion ?? '')
  // Go reads nothing out of what has more than one slash.
  if (version === '' || (owner.apiVersion ?? '').split('/').length > 2) {
    errors.push(
      invalidValue(`${OWNERS}.apiVersion`, owner.apiVersion ?? '', 'version must not be empty'),
    )
  }
  for (const field of ['kind', 'name', 'uid'] as const) {
    if (!owner[field]) errors.push(invalidValue(`${OWNERS}.${field}`, '', 'must not be empty'))
  }
  if (group === '' && version === 'v1' && owner.kind === 'Event') {
    errors.push(invalidValue(OWNERS, owner, '/v1, Kind=Event is disallowed from being an owner'))
  }
}

function finalizerErrors(finalizers: readonly string[] | undefined, errors: FieldError[]): void {
  if (finalizers === undefined) return
  for (const finalizer of finalizers) {
    for (const problem of isQualifiedName(finalizer)) {
      errors.push(invalidValue('metadata.finalizers', finalizer, problem))
    }
  }
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    errors.push(
      invalidValue(
        'metadata.finalizers',
        finalizers,
        'finalizer orphan and foregroundDeletion cannot be both set',
      ),
    )
  }
}

function managedFieldErrors(meta: ObjectMeta, errors: FieldError[]): void {
  meta.managedFields?.forEach((entry, i) => {
    const at = `metadata.managedFields[${i}]`
    if (entry.operation !== 'Apply' && entry.operation !== 'Update') {
      errors.push(
        invalidValue(`${at}.operation`, entry.operation ?? '', 'must be `Apply` or `Update`'),
      )
    }
    if (entry.fieldsType && entry.fieldsType !== 'FieldsV1') {
      errors.push(invalidValue(`${at}.fieldsType`, entry.fieldsType, 'must be `FieldsV1`'))
    }
    if ((entry.manager?.length ?? 0) > 128) errors.push(tooLong(`${at}.manager`, 128))
    if ((entry.subresource?.length ?? 0) > 256) errors.push(tooLong(`${at}.subresource`, 256))
  })
}

/**
 * What an update may not do to metadata (ValidateObjectMetaAccessorUpdate): change a name, move backwards, add finalizers to an
 * object that is being deleted. `meta` has been through {@link beforeUpdate}.
 */
export function validateObjectMetaUpdate(meta: ObjectMeta, old: ObjectMeta): readonly FieldError[] {
  const errors: FieldError[] = []
  if (old.deletionTimestamp) newFinalizerErrors(meta, old, errors)
  if (!meta.resourceVersion) {
    errors.push(
      invalidValue(
        'metadata.resourceVersion',
        meta.resourceVersion ?? '',
        'must be specified for an update',
      ),
    )
  }
  if ((meta.generation ?? 0) < (old.generation ?? 0)) {
    errors.push(
      invalidValue('metadata.generation', meta.generation ?? 0, 'must not be decremented'),
    )
  }
  for (const field of IMMUTABLE_META) {
    if (same(meta[field], old[field])) continue
    errors.push(invalidValue(`metadata.${field}`, meta[field] ?? EMPTY_META[field], IMMUTABLE))
  }
  sharedErrors(meta, errors)
  managedFieldErrors(meta, errors)
  return errors
}

const IMMUTABLE_META = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const

const EMPTY_META: Readonly<Record<(typeof IMMUTABLE_META)[number], unknown>> = {
  name: '',
  namespace: '',
  uid: '',
  creationTimestamp: null,
  deletionTimestamp: null,
  deletionGracePeriodSeconds: null,
}

function newFinalizerErrors(meta: ObjectMeta, old: ObjectMeta, errors: FieldError[]): void {
  const before = new Set(old.finalizers)
  const added = [...new Set(meta.finalizers?.filter((it) => !before.has(it)))].toSorted()
  if (added.length === 0) return
  const list = added.map((it) => JSON.stringify(it)).join(', ')
  errors.push(
    forbiddenField(
      'metadata.finalizers',
      `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`,
    ),
  )
}
