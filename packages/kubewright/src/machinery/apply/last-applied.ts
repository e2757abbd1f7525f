import type { JsonObject, JsonValue } from '../patch/json.ts'
import { isJsonArray, isJsonObject, member } from '../patch/json.ts'
import { compareValues } from './compare.ts'
import type { FieldSet } from './field-set.ts'
import { difference } from './field-set.ts'
import { compareText } from './path-element.ts'
import { toFieldSet } from './to-field-set.ts'
import type { FieldType } from './type.ts'
import { validateType } from './validate.ts'

/** The annotation in which client-side `kubectl apply` keeps the configuration it sent last. */
export const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration'

/** The field manager name that carries client-side apply over to server-side apply. */
export const kubectlManager = 'kubectl'

const maxAnnotationsBytes = 256 * 1024

/** The last-applied annotation of an object; undefined when it is absent or empty. */
export function lastAppliedOf(object: JsonObject): string | undefined {
  const value = member(annotationsOf(object) ?? {}, lastAppliedAnnotation)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function annotationsOf(object: JsonObject): JsonObject | undefined {
  const metadata = member(object, 'metadata')
  const annotations = isJsonObject(metadata) ? member(metadata, 'annotations') : undefined
  return isJsonObject(annotations) ? annotations : undefined
}

/**
 * The object with the applied configuration in its last-applied annotation, so that client-side apply can go on
 * where server-side apply left off. When all annotations would exceed 256 KiB, the annotation goes.
 */
export function withLastApplied(object: JsonObject, applied: JsonObject): JsonObject {
  const annotations = { ...annotationsOf(object), [lastAppliedAnnotation]: encodeApplied(applied) }
  return withAnnotations(
    object,
    sizeOf(annotations) > maxAnnotationsBytes ? without(annotations) : annotations,
  )
}

function encodeApplied(applied: JsonObject): string {
  const annotations = annotationsOf(applied)
  const stripped = annotations ? withAnnotations(applied, without(annotations)) : applied
  return `${encodeSorted(stripped)}\n`
}

function without(annotations: JsonObject): JsonObject {
  const { [lastAppliedAnnotation]: _, ...rest } = annotations
  return rest
}

function withAnnotations(object: JsonObject, annotations: JsonObject): JsonObject {
  const metadata = member(object, 'metadata')
  return { ...object, metadata: { ...(isJsonObject(metadata) ? metadata : {}), annotations } }
}

function sizeOf(annotations: JsonObject): number {
  return Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)),
    0,
  )
}

/** JSON with members in order and HTML escaped, as Go's encoder writes it. */
function encodeSorted(value: JsonValue): string {
  if (isJsonArray(value)) return `[${value.map(encodeSorted).join(',')}]`
  if (!isJsonObject(value)) return escapeHtml(JSON.stringify(value))
  const members = Object.keys(value)
    .sort(compareText)
    .map((key) => `${escapeHtml(JSON.stringify(key))}:${encodeSorted(value[key] ?? null)}`)
  return `{${members.join(',')}}`
}

function escapeHtml(text: string): string {
  return text.replace(/[<>&\u2028\u2029]/g, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/**
 * What client-side apply owns of a live object: the fields of the last-applied annotation that still are as they
 * were applied. Undefined when there is no annotation, or none that can be used at this version.
 */
export function ownedByLastApplied(
  live: JsonObject,
  apiVersion: string,
  type: FieldType,
): FieldSet | undefined {
  const applied = parseObject(lastAppliedOf(live))
  if (!applied || member(applied, 'apiVersion') !== apiVersion) return undefined
  const isTyped = [live, applied].every(
    (object) => validateType(type, object, 'forbid duplicates').length === 0,
  )
  if (!isTyped) return undefined
  const { modified, added, removed } = compareValues(type, applied, live)
  return [modified, added, removed].reduce(difference, toFieldSet(type, applied))
}

function parseObject(text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined
  try {
    const value = JSON.parse(text) as JsonValue
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
