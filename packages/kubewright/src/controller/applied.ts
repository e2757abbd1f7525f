import { jsonEqual, type JsonValue } from '../machinery/patch/json.ts'
import type { KubeObject } from '../machinery/object.ts'

/** What was applied last, and what the server made of it: no more of the object than the draft speaks of is kept. */
export interface Applied {
  /** The whole draft as JSON. */
  readonly text: string
  readonly uid: string | undefined
  readonly resourceVersion: string | undefined
  /** The object as the server left it, at the places that the draft speaks of. */
  readonly left: JsonValue | undefined
}

/** Remembers an apply. */
export function appliedAs(text: string, draft: object, result: KubeObject): Applied {
  const { uid, resourceVersion } = result.metadata
  const left = partOf(draft as JsonValue, result as unknown as JsonValue)
  return { text, uid, resourceVersion, left }
}

/**
 * Whether applying a draft would change nothing: it is the one applied last, and wherever it speaks the object still is as the
 * server left it. Defaults, normalised values and what others own do not count. `live` must not be older than the last write.
 */
export function unchangedSince(
  last: Applied | undefined,
  text: string,
  live: KubeObject | undefined,
): boolean {
  if (!last || !live || last.text !== text) return false
  const { uid, resourceVersion } = live.metadata
  if (uid !== last.uid) return false
  return resourceVersion === last.resourceVersion || holds(last.left, live as unknown as JsonValue)
}

/** What an object has where a draft speaks; lists count as a whole. */
function partOf(
  draft: JsonValue | undefined,
  object: JsonValue | undefined,
): JsonValue | undefined {
  if (!isObject(draft) || !isObject(object)) return object
  const part: Record<string, JsonValue> = {}
  for (const key in draft) {
    const value =
      key === 'apiVersion' || key === 'kind' ? undefined : partOf(draft[key], object[key])
    if (value !== undefined) part[key] = value
  }
  return part
}

/** The first place where an object is no longer as the server left it, with both values; undefined when there is none. */
export function firstDifference(
  part: JsonValue | undefined,
  object: JsonValue | undefined,
  path: string = '',
):
  | {
      readonly path: string
      readonly was: JsonValue | undefined
      readonly is: JsonValue | undefined
    }
  | undefined {
  if (!isObject(part) || !isObject(object))
    return jsonEqual(part, object) ? undefined : { path, was: part, is: object }
  for (const key in part) {
    const found = firstDifference(part[key], object[key], path === '' ? key : `${path}.${key}`)
    if (found) return found
  }
  return undefined
}

/** Whether an object still has what a part of it was. */
function holds(part: JsonValue | undefined, object: JsonValue | undefined): boolean {
  if (!isObject(part)) return jsonEqual(part, object)
  if (!isObject(object)) return false
  for (const key in part) if (!holds(part[key], object[key])) return false
  return true
}

const isObject = (value: JsonValue | undefined): value is { readonly [key: string]: JsonValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Whether a manager already owns exactly the fields of a draft, with exactly its values: then applying it would change nothing,
 * even though nothing is remembered (after a restart). Reads the object's managedFields (KEP-555); when in doubt, false.
 */
export function ownsExactly(manager: string, draft: object, live: KubeObject): boolean {
  const entry = live.metadata.managedFields?.find(
    (it) => it.manager === manager && it.operation === 'Apply' && !it.subresource,
  )
  if (!entry?.fieldsV1) return false
  const { apiVersion, kind: _, metadata, ...rest } = draft as Record<string, JsonValue>
  if (entry.apiVersion !== apiVersion || !isObject(metadata)) return false
  const { name: __, namespace: ___, ...meta } = metadata as Record<string, JsonValue>
  const owned = Object.keys(meta).length > 0 ? { ...rest, metadata: meta } : rest
  return owns(entry.fieldsV1 as Fields, owned, live as unknown as JsonValue)
}

type Fields = { readonly [path: string]: Fields }

function owns(fields: Fields, draft: JsonValue | undefined, live: JsonValue | undefined): boolean {
  const paths = Object.keys(fields).filter((it) => it !== '.')
  if (paths.length === 0) return jsonEqual(draft, live)
  if (Array.isArray(draft)) return Array.isArray(live) && ownsItems(fields, paths, draft, live)
  if (!isObject(draft) || !isObject(live)) return false
  return (
    paths.length === Object.keys(draft).length &&
    paths.every((path) => {
      const name = path.slice(2)
      return (
        path.startsWith('f:') &&
        Object.hasOwn(draft, name) &&
        owns(fields[path]!, draft[name], live[name])
      )
    })
  )
}

function ownsItems(
  fields: Fields,
  paths: readonly string[],
  draft: readonly JsonValue[],
  live: readonly JsonValue[],
): boolean {
  return (
    paths.length === draft.length &&
    paths.every((path) => {
      const wanted = JSON.parse(path.slice(2)) as JsonValue
      const find = (items: readonly JsonValue[]): JsonValue | undefined =>
        items.find((it) => (path.startsWith('k:') ? hasKeys(it, wanted) : jsonEqual(it, wanted)))
      const [mine, theirs] = [find(draft), find(live)]
      return mine !== undefined && theirs !== undefined && owns(fields[path]!, mine, theirs)
    })
  )
}

function hasKeys(item: JsonValue, keys: JsonValue): boolean {
  return (
    isObject(item) &&
    isObject(keys) &&
    Object.keys(keys).every((key) => jsonEqual(item[key], keys[key]))
  )
}
