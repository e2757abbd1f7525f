import { jsonEqual, type JsonValue } from '../machinery/patch/json.ts'
import type { KubeObject } from '../machinery/object.ts'

/** What was applied last, and what the server made of it. */
export interface Applied {
  /** The whole draft as JSON. */
  readonly text: string
  readonly draft: object
  readonly result: KubeObject
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
  if (uid !== last.result.metadata.uid) return false
  if (resourceVersion === last.result.metadata.resourceVersion) return true
  return sameWhere(
    last.draft as JsonValue,
    last.result as unknown as JsonValue,
    live as unknown as JsonValue,
  )
}

/** Whether two values are equal at every place that `draft` speaks of; lists count as a whole. */
function sameWhere(
  draft: JsonValue | undefined,
  before: JsonValue | undefined,
  now: JsonValue | undefined,
): boolean {
  if (!isObject(draft)) return jsonEqual(before, now)
  if (!isObject(before) || !isObject(now)) return jsonEqual(before, now)
  for (const key in draft) {
    if (key === 'apiVersion' || key === 'kind') continue
    if (!sameWhere(draft[key], before[key], now[key])) return false
  }
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
      return path.startsWith('f:') && name in draft && owns(fields[path]!, draft[name], live[name])
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
