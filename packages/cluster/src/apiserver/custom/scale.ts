import {
  ApiError,
  type FieldError,
  type UnknownObject,
  badRequest,
  fieldPath,
  failure,
  goNumber,
  type ReplicasPaths,
  invalidValue,
} from 'kubewright/machinery'
import { type ScalePaths, isInteger, isObject } from 'kubewright/schema'
import type { Draft, Projection } from '../registry/strategy.ts'

const MAX_INT32 = 2 ** 31 - 1

/** A value at a simple path, or why the path cannot be followed; undefined where nothing is there. */
type Found = { readonly value: unknown } | { readonly error: string } | undefined

const stepsOf = (path: string): readonly string[] => path.replace(/^\./, '').split('.')

const goType = (value: unknown): string => {
  if (value === null) return '<nil>'
  if (typeof value === 'bigint') return 'int64'
  if (typeof value === 'number') return isInteger(value) ? 'int64' : 'float64'
  if (typeof value === 'boolean') return 'bool'
  if (Array.isArray(value)) return '[]interface {}'
  return typeof value === 'object' ? 'map[string]interface {}' : 'string'
}

/** As Go prints a value with %v. */
function goText(value: unknown): string {
  if (value === null) return '<nil>'
  if (typeof value === 'number') return goNumber(value)
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`
  if (!isObject(value)) return String(value)
  const fields = Object.keys(value).sort()
  return `map[${fields.map((it) => `${it}:${goText(value[it])}`).join(' ')}]`
}

const accessorError = (
  path: string,
  value: unknown,
  expected: string,
): { readonly error: string } => ({
  error: `.${stepsOf(path).join('.')} accessor error: ${goText(value)} is of the type ${goType(value)}, expected ${expected}`,
})

function find(object: unknown, path: string): Found {
  let at = object
  const steps = stepsOf(path)
  for (const [i, step] of steps.entries()) {
    if (at === undefined) return undefined
    if (!isObject(at))
      return accessorError(steps.slice(0, i + 1).join('.'), at, 'map[string]interface{}')
    at = at[step]
  }
  return at === undefined ? undefined : { value: at }
}

function findOf(object: unknown, path: string, type: 'number' | 'string', go: string): Found {
  const found = find(object, path)
  if (!found || 'error' in found) return found
  if (typeof found.value === 'bigint' && type === 'number') return { value: Number(found.value) }
  return typeof found.value === type && (type === 'string' || isInteger(found.value as number))
    ? found
    : accessorError(path, found.value, go)
}

const integerAt = (object: unknown, path: string): Found => findOf(object, path, 'number', 'int64')
const textAt = (object: unknown, path: string): Found => findOf(object, path, 'string', 'string')

/** What is wrong with the numbers that the scale subresource shows (registry/customresource/validator.go). */
export function scaleErrors(
  object: Draft,
  paths: ScalePaths | undefined,
  parts: 'all' | 'status',
): readonly FieldError[] {
  if (!paths) return []
  const { specReplicasPath: spec, statusReplicasPath: status, labelSelectorPath: label } = paths
  const selector = label ? textAt(object, label) : undefined
  return [
    ...(parts === 'all' ? replicasErrors(object, spec) : []),
    ...replicasErrors(object, status),
    ...(label && selector && 'error' in selector ? [invalidValue(label, '', selector.error)] : []),
  ]
}

function replicasErrors(object: Draft, path: string): readonly FieldError[] {
  const found = integerAt(object, path)
  if (!found) return []
  if ('error' in found) return [invalidValue(path, 0, found.error)]
  const value = found.value as number
  if (value < 0) return [invalidValue(path, value, 'should be a non-negative integer')]
  return value > MAX_INT32
    ? [invalidValue(path, value, `should be less than or equal to ${MAX_INT32}`)]
    : []
}

/** The scale subresource of a custom resource: autoscaling/v1 Scale over its own paths (registry/customresource/etcd.go ScaleREST). */
export function scaleProjection(paths: ScalePaths, replicasPaths: ReplicasPaths): Projection {
  return {
    read: (object) => {
      const scale = scaleOf(object, paths)
      if (scale) return scale
      throw noReplicas(paths.specReplicasPath)
    },
    readForWrite: (object) =>
      scaleOf(object, paths) ?? scaleOf(withCount(object, paths, NO_COUNT), paths)!,
    readForReview: (object) =>
      scaleOf(object, paths) ?? scaleOf(withCount(object, paths, 0), paths)!,
    validate: () => [],
    write: (object, body) => writeReplicas(object, body, paths),
    checksUid: false,
    replicasPaths,
  }
}

/** Stands in a body for a count that the object does not have, and that the client must give. */
const NO_COUNT = -(2 ** 31)

function withCount(
  object: UnknownObject,
  { specReplicasPath }: ScalePaths,
  count: number,
): UnknownObject {
  const draft = structuredClone(object) as unknown as Draft
  setAt(draft, specReplicasPath, count)
  return draft as UnknownObject
}

/** Where the replica count of each version is, as a path of fields; null where a version cannot be scaled. */
export const replicasPathsOf = (
  versions: readonly { readonly apiVersion: string; readonly scale: ScalePaths | undefined }[],
): ReplicasPaths =>
  new Map(
    versions.map(({ apiVersion, scale }) => [
      apiVersion,
      scale ? fieldPath(...stepsOf(scale.specReplicasPath)) : null,
    ]),
  )

/** Undefined where the object has no replica count. */
function scaleOf(object: UnknownObject, paths: ScalePaths): UnknownObject | undefined {
  const spec = valueOr(integerAt(object, paths.specReplicasPath), undefined)
  if (spec === undefined) return undefined
  const replicas = spec as number
  const status = valueOr(integerAt(object, paths.statusReplicasPath), 0)
  const selector = paths.labelSelectorPath
    ? valueOr(textAt(object, paths.labelSelectorPath), '')
    : ''
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: status, ...(selector === '' ? {} : { selector }) },
  }
}

function valueOr<T>(found: Found, fallback: T): unknown {
  if (!found) return fallback
  if ('error' in found) throw new ApiError(failure(500, undefined, found.error))
  return found.value
}

const noReplicas = (path: string): ApiError => {
  const message = `the spec replicas field "${path}" does not exist`
  return new ApiError(
    failure(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] }),
  )
}

/** Sets the number, making the objects on the way; a resourceVersion in the body is a precondition. */
function writeReplicas(object: Draft, body: Draft, { specReplicasPath }: ScalePaths): void {
  const replicas = (body['spec'] as { readonly replicas?: number } | undefined)?.replicas ?? 0
  if (replicas === NO_COUNT)
    throw badRequest(`the spec replicas field ${JSON.stringify(specReplicasPath)} cannot be empty`)
  setAt(object, specReplicasPath, replicas)
}

function setAt(object: Draft, path: string, value: number): void {
  const steps = stepsOf(path)
  let at: Record<string, unknown> = object
  for (const step of steps.slice(0, -1)) {
    const next = at[step] ?? {}
    if (!isObject(next))
      throw badRequest(`value cannot be set because ${path} is not a map[string]interface{}`)
    at = at[step] = { ...next }
  }
  at[steps.at(-1) as string] = value
}
