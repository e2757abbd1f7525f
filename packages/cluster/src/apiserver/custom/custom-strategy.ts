import {
  type FieldError,
  type ReplicasPaths,
  type UnknownObject,
  apiVersionOf,
  invalidValue,
  isQualifiedName,
} from 'kubewright/machinery'
import {
  Correlated,
  type RuleValidator,
  type ScalePaths,
  type SchemaNode,
  equalJson,
  validateEmbedded,
  validateListTypes,
  validateRules,
  validateValue,
} from 'kubewright/schema'
import type { Draft, Strategy, StrategyContext } from '../registry/strategy.ts'
import type { ResourceInfo } from '../resources/resource.ts'
import { scaleErrors, scaleProjection } from './scale.ts'

/** What a version's strategy works with; schema and rules are compiled when first asked for. */
export interface CustomKindParts {
  readonly info: ResourceInfo
  readonly root: () => SchemaNode
  readonly rules: () => RuleValidator | undefined
  readonly hasStatus: boolean
  readonly scale: ScalePaths | undefined
  /** Where the replica count of each version is. */
  readonly replicasPaths: ReplicasPaths
  readonly selectableFields: Readonly<Record<string, (object: UnknownObject) => string>>
}

type Errors = readonly FieldError[]

const STATUS_ONLY = Object.freeze([Object.freeze(['f:metadata']), Object.freeze(['f:spec'])])
const NOT_STATUS = Object.freeze([Object.freeze(['f:status'])])

/** The strategy of custom resources in one version (registry/customresource/strategy.go). */
export function customStrategy(parts: CustomKindParts): Strategy {
  const { hasStatus, scale, selectableFields } = parts
  return {
    allowUnconditionalUpdate: false,
    prepareForCreate: (object) => {
      if (hasStatus) delete object['status']
      object.metadata.generation = 1
    },
    prepareForUpdate: (object, old) => prepareForUpdate(object, old, hasStatus),
    validate: (object, context) => validateCreate(parts, object, context),
    validateUpdate: (object, old, context) => validateUpdate(parts, object, old, context),
    warningsOnCreate: (object) => finalizerWarnings(object.metadata.finalizers, []),
    warningsOnUpdate: (object, old) =>
      finalizerWarnings(object.metadata.finalizers, old.metadata.finalizers),
    resetFields: hasStatus ? NOT_STATUS : [],
    subresources: hasStatus ? { status: statusStrategy(parts) } : {},
    projections: scale ? { scale: scaleProjection(scale, parts.replicasPaths) } : {},
    selectableFields,
  }
}

/** The strategy of /status: nothing but the status moves (registry/customresource/status_strategy.go). */
function statusStrategy(parts: CustomKindParts): Strategy {
  return {
    allowUnconditionalUpdate: false,
    resetFields: STATUS_ONLY,
    prepareForUpdate: keepAllButStatus,
    validateUpdate: (object, old, context) => validateStatusUpdate(parts, object, old, context),
  }
}

/** An update leaves the status alone where /status is on; a change of anything but metadata counts. */
function prepareForUpdate(object: Draft, old: UnknownObject, hasStatus: boolean): void {
  if (hasStatus) {
    if (old['status'] === undefined) delete object['status']
    else object['status'] = old['status']
  }
  if (!sameContent(object, old)) object.metadata.generation = (old.metadata.generation ?? 0) + 1
}

function sameContent(object: Draft, old: UnknownObject): boolean {
  const { metadata: _, ...next } = object
  const { metadata: __, ...before } = old
  return equalJson(next, before)
}

function keepAllButStatus(object: Draft, old: UnknownObject): void {
  const { status } = object
  const { managedFields } = object.metadata
  for (const name of Object.keys(object))
    if (!Object.hasOwn(old, name) && name !== 'metadata') delete object[name]
  Object.assign(object, old, { metadata: { ...old.metadata } })
  if (managedFields === undefined) delete object.metadata.managedFields
  else object.metadata.managedFields = managedFields
  if (status === undefined) delete object['status']
  else object['status'] = status
}

function validateCreate(parts: CustomKindParts, object: Draft, context: StrategyContext): Errors {
  const type = typeErrors(parts.info, object)
  const errors = [
    ...(type.length > 0
      ? type
      : [...validateValue(parts.root(), object), ...scaleErrors(object, parts.scale, 'all')]),
    ...validateEmbedded(parts.root(), object),
    ...validateListTypes(parts.root(), object),
  ]
  return [...errors, ...rulesErrors(parts, errors, object, undefined, context)]
}

function validateUpdate(
  parts: CustomKindParts,
  object: Draft,
  old: UnknownObject,
  context: StrategyContext,
): Errors {
  const type = typeErrors(parts.info, object)
  const correlated = new Correlated(parts.root(), object, old)
  const errors = [
    ...(type.length > 0
      ? type
      : [
          ...validateValue(parts.root(), object, '', correlated),
          ...scaleErrors(object, parts.scale, 'all'),
        ]),
    ...validateEmbedded(parts.root(), object),
    ...newListErrors(parts.root(), object, old),
  ]
  return [...errors, ...rulesErrors(parts, errors, object, correlated, context)]
}

function validateStatusUpdate(
  parts: CustomKindParts,
  object: Draft,
  old: UnknownObject,
  context: StrategyContext,
): Errors {
  const type = typeErrors(parts.info, object)
  if (type.length) return type
  const correlated = new Correlated(parts.root(), object, old)
  const status = parts.root().properties.get('status')
  const errors = [
    ...(status && object['status'] !== undefined
      ? validateValue(status, object['status'], 'status', correlated.key('status'))
      : []),
    ...scaleErrors(object, parts.scale, 'status'),
    ...newListErrors(parts.root(), object, old),
  ]
  return [...errors, ...rulesErrors(parts, errors, object, correlated, context)]
}

/** An object in the wrong place: another kind, or another version than the path's. Its values are not looked at then; what it embeds, its lists and its rules are. */
function typeErrors(info: ResourceInfo, object: Draft): Errors {
  const apiVersion = apiVersionOf(info)
  const { kind, apiVersion: given } = object
  return [
    ...(kind === info.kind ? [] : [invalidValue('kind', kind ?? '', `must be ${info.kind}`)]),
    ...(given === apiVersion
      ? []
      : [invalidValue('apiVersion', given ?? '', `must be ${apiVersion}`)]),
  ]
}

/** Duplicates in sets and list-maps are tolerated while the old object has some too. */
function newListErrors(root: SchemaNode, object: Draft, old: UnknownObject): Errors {
  if (validateListTypes(root, old).length > 0) return []
  return validateListTypes(root, object)
}

/** Errors after which rules are not run: they would only repeat them. */
const BLOCKING: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])

const NOT_CHECKED =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'

function rulesErrors(
  parts: CustomKindParts,
  errors: Errors,
  object: Draft,
  correlated: Correlated | undefined,
  context: StrategyContext,
): Errors {
  if (!parts.root().below.rules) return []
  if (!object.metadata.name || errors.some((it) => BLOCKING.has(it.type)))
    return [invalidValue('<nil>', null, NOT_CHECKED)]
  const outcome = validateRules(parts.rules(), {
    value: object,
    ...(correlated ? { old: correlated.old, correlated } : {}),
  })
  for (const text of outcome.warnings) context.warn(text)
  return outcome.errors
}

const STANDARD: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion', 'kubernetes'])

/** What to say of finalizers that are new and that others might also use (registry/customresource/validator.go). */
function finalizerWarnings(
  finalizers: readonly string[] = [],
  old: readonly string[] = [],
): readonly string[] {
  const added = [...new Set(finalizers)].filter((it) => !old.includes(it)).sort()
  return added.flatMap((name) => {
    const quoted = `metadata.finalizers: ${JSON.stringify(name)}:`
    const path = name.includes('.') ? ' including a path (/)' : ''
    const lonely = !name.includes('/') && !STANDARD.has(name)
    return [
      ...isQualifiedName(name).map((it) => `${quoted} ${it}`),
      ...(lonely
        ? [
            `${quoted} prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`,
          ]
        : []),
    ]
  })
}
