import type { JsonObject, JsonValue } from '../patch/json.ts'
import { isJsonObject } from '../patch/json.ts'
import type { FieldEntry, FieldSet } from './field-set.ts'
import { emptySet, sortedEntries } from './field-set.ts'
import { compareElements, parseElement } from './path-element.ts'

/**
 * FieldsV1, the JSON form of a field set: `{"f:spec":{".":{},"f:replicas":{}}}`. A key is an element, `.` says
 * that the path to this object is itself in the set, and so does an object without children.
 */

/** Writes a set as FieldsV1, keys in canonical order. */
export function encodeFieldsV1(set: FieldSet): JsonObject {
  const out: Record<string, JsonValue> = {}
  for (const entry of sortedEntries(set)) out[entry.element.id] = encodeEntry(entry)
  return out
}

const leaf: JsonObject = Object.freeze({})

function encodeEntry({ isMember, children }: FieldEntry): JsonObject {
  if (!children) return leaf
  return isMember ? { '.': leaf, ...encodeFieldsV1(children) } : encodeFieldsV1(children)
}

/** Reads FieldsV1. Keys of a kind this version does not know are skipped. @throws Error when a key is malformed. */
export function decodeFieldsV1(fields: JsonObject): FieldSet {
  return decodeNode(fields).children ?? emptySet
}

interface DecodedNode {
  readonly isMember: boolean
  readonly children: FieldSet | undefined
}

function decodeNode(node: JsonValue): DecodedNode {
  const children = new Map<string, FieldEntry>()
  let isMember = false
  for (const [key, value] of Object.entries(isJsonObject(node) ? node : leaf)) {
    if (key === '.') isMember = true
    else addChild(children, key, value)
  }
  if (children.size === 0) return { isMember: true, children: undefined }
  return { isMember, children }
}

function addChild(children: Map<string, FieldEntry>, key: string, value: JsonValue): void {
  const element = parseElement(key)
  if (!element) return
  const before = children.get(element.id)
  const node = decodeNode(value)
  children.set(element.id, {
    element,
    isMember: node.isMember || (before?.isMember ?? false),
    children: node.children ?? before?.children,
  })
}

/** True when FieldsV1 is written as `encodeFieldsV1` would write the set it stands for. */
export function isCanonical(fields: JsonObject, set: FieldSet): boolean {
  const entries = [...set.values()]
  const keys = Object.keys(fields).filter((key) => key !== '.')
  if (keys.length !== entries.length) return false
  return entries.every((entry, i) => {
    const next = entries[i + 1]
    if (keys[i] !== entry.element.id) return false
    if (next && compareElements(entry.element, next.element) >= 0) return false
    return isCanonicalNode(fields[entry.element.id] ?? null, entry)
  })
}

function isCanonicalNode(node: JsonValue, entry: FieldEntry): boolean {
  if (!isJsonObject(node)) return false
  const first = Object.keys(node)[0]
  if (!entry.children) return first === undefined
  return (first === '.') === entry.isMember && isCanonical(node, entry.children)
}

/** Encodes and decodes FieldsV1 and remembers both ways, so that an unchanged set is neither parsed nor built again. */
export interface FieldsV1Codec {
  encode(set: FieldSet): JsonObject
  /** @throws Error when a key is malformed. */
  decode(fields: JsonObject): FieldSet
}

/** A codec that remembers nothing, for one-off use. */
export const plainCodec: FieldsV1Codec = Object.freeze({
  encode: encodeFieldsV1,
  decode: decodeFieldsV1,
})

/** A codec that remembers by identity; what it holds goes when the sets and objects do. */
export function createFieldsV1Codec(): FieldsV1Codec {
  const encoded = new WeakMap<FieldSet, JsonObject>()
  const decoded = new WeakMap<JsonObject, FieldSet>()
  const remember = (set: FieldSet, fields: JsonObject): void => {
    encoded.set(set, fields)
    decoded.set(fields, set)
  }
  const encode = (set: FieldSet): JsonObject => {
    const known = encoded.get(set)
    if (known) return known
    const fields = encodeFieldsV1(set)
    remember(set, fields)
    return fields
  }
  const decode = (fields: JsonObject): FieldSet => {
    const known = decoded.get(fields)
    if (known) return known
    const set = decodeFieldsV1(fields)
    if (set.size > 0 && isCanonical(fields, set)) remember(set, fields)
    else decoded.set(fields, set)
    return set
  }
  return { encode, decode }
}
