import {
  ADMISSION_BUDGET,
  type AdmissionBindings,
  type AdmissionExpression,
  evaluateAdmission,
  formatType,
  isList,
  isMap,
  isOpaque,
  type MapValue,
  toJson,
  typeNameProblems,
  type Value,
} from 'kubewright/cel'
import {
  apiVersionOf,
  applyJsonPatch,
  decodeJsonPatch,
  internalError,
  type JsonObject,
  type JsonValue,
  mergeConfiguration,
  PatchError,
} from 'kubewright/machinery'
import type { Served } from '../../endpoints/served.ts'
import type { Draft } from '../../registry/strategy.ts'
import { KindChange, reread } from '../replace-object.ts'
import type { Mutation } from './policy.ts'

type Variables = ReadonlyMap<string, AdmissionExpression>

/** What a mutation makes of an object, before it is read again: an evaluated configuration or JSON patch. */
export type Change =
  | { readonly kind: 'configuration'; readonly value: JsonObject }
  | { readonly kind: 'patch'; readonly operations: readonly JsonObject[] }

/**
 * Evaluates one mutation of a policy. Throws an Error whose sentence says what is wrong with it, or what the authorizer throws that
 * is still to decide.
 */
export function evaluateMutation(
  mutation: Mutation,
  expression: AdmissionExpression,
  variables: Variables,
  bindings: AdmissionBindings,
): Change {
  if (expression.error !== undefined) throw new Error(expression.error)
  const found = evaluateAdmission([expression], variables, bindings, ADMISSION_BUDGET)
  if (!found.ok) throw new Error(found.error)
  const [outcome] = found.outcomes
  if (outcome!.error !== undefined) throw new Error(outcome!.error)
  const value = outcome!.value!
  if (mutation.patchType === 'JSONPatch') {
    if (!isList(value)) throw notAList()
    const operations = Array.from({ length: value.size }, (_, i) => operationOf(value.at(i)))
    return { kind: 'patch', operations }
  }
  refuseWrongTypes(value)
  return { kind: 'configuration', value: toJson(value) as JsonObject }
}

const notAList = (): Error =>
  new Error('type mismatch: JSONPatchType.expression should evaluate to array')

function refuseWrongTypes(value: Value): void {
  const problems = typeNameProblems(value)
  if (problems.length > 0) throw new Error(`type mismatch: ${problems.join('\n')}`)
}

/** A `JSONPatch{…}` as an operation of a patch (mutating/patch/json_patch.go). */
function operationOf(item: Value): JsonObject {
  if (!isMap(item)) throw notAList()
  const from = textAt(item, 'from')
  const value = item.find('value')
  if (value !== undefined) {
    refuseWrongTypes(value)
    refuseOpaque(value)
  }
  return {
    op: textAt(item, 'op'),
    path: textAt(item, 'path'),
    ...(from === '' ? {} : { from }),
    ...(value === undefined ? {} : { value: (toJson(value) ?? null) as JsonValue }),
  }
}

/** A value of a library type is no JSON. */
function refuseOpaque(value: Value): void {
  if (isOpaque(value)) {
    const name = formatType(value.type).split('.').at(-1)
    throw new Error(
      `JSONPath valueExpression evaluated to a type that could not marshal to JSON: type conversion error from '${name}' to '*structpb.Value'`,
    )
  }
  if (isList(value)) for (let i = 0; i < value.size; i++) refuseOpaque(value.at(i))
  else if (isMap(value)) for (const key of value.keys()) refuseOpaque(value.find(key) ?? null)
}

function textAt(item: MapValue, name: string): string {
  const found = item.find(name)
  return typeof found === 'string' ? found : ''
}

/**
 * The object with a change made, read as its kind, with defaults; the object itself where a test of a patch fails. Throws an ApiError
 * for what cannot be read again, else an Error with a sentence.
 */
export function changed(object: Draft, change: Change, served: Served, subresource: string): Draft {
  return change.kind === 'patch'
    ? patched(object, change.operations, served, subresource)
    : configured(object, change.value, served)
}

function patched(
  object: Draft,
  operations: readonly JsonObject[],
  served: Served,
  subresource: string,
): Draft {
  let next: JsonValue
  try {
    next = applyJsonPatch(object as unknown as JsonValue, decodeJsonPatch(operations))
  } catch (error) {
    if (!(error instanceof PatchError)) throw error
    if (error.message.endsWith(': test failed')) return object
    throw new Error(`JSON Patch: ${error.message}`, { cause: error })
  }
  try {
    return reread(served, structuredClone(next) as Record<string, unknown>, {
      strict: true,
      subresource,
    })
  } catch (error) {
    const { message } = error as Error
    throw internalError(
      error instanceof KindChange ? `failed to convert object: ${message}` : message,
    )
  }
}

function configured(object: Draft, configuration: JsonObject, served: Served): Draft {
  const type = served.fields.type()
  if (!type) {
    const { kind, group, version } = served.info
    throw new Error(`Resource kind ${group}/${version}, Kind=${kind} not found.`)
  }
  const { kind } = served.info
  const typed = { ...configuration, apiVersion: apiVersionOf(served.info), kind }
  try {
    refuseNull(typed, '')
    const merged = mergeConfiguration(type, object as unknown as JsonValue, typed)
    return reread(served, structuredClone(merged) as Record<string, unknown>)
  } catch (error) {
    if (!(error instanceof PatchError)) throw error
    throw new Error(`error applying patch: ${error.message}`, { cause: error })
  }
}

/** The language's null is no value of a map or list here. */
function refuseNull(value: JsonValue, path: string): void {
  if (typeof value !== 'object') return
  if (value === null) {
    const why = `failed to convert patch object to typed object: ${path}: expected map, got &{NULL_VALUE}`
    throw new PatchError('Unprocessable', why)
  }
  for (const [name, it] of Object.entries(value)) refuseNull(it, `${path}.${name}`)
}
