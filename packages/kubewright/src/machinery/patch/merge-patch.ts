import type { JsonObject, JsonValue } from './json.ts'
import { isJsonArray, isJsonObject, jsonEqual, member, setMember } from './json.ts'
import { PatchError } from './patch-error.ts'

/**
 * JSON merge patch (RFC 7386) as gopkg.in/evanphx/json-patch.v4 does it: where a patch brings a new object, the
 * nulls inside it are dropped, also in objects inside its arrays (the RFC keeps arrays as they are).
 */

/**
 * Merges `patch` into `document` and returns the result; neither is changed, unchanged parts are shared.
 * A patch that is an array replaces the document.
 * @throws PatchError BadRequest `Invalid JSON Patch` when the patch is null or a scalar.
 */
export function applyMergePatch(document: JsonObject, patch: JsonValue): JsonValue {
  if (isJsonObject(patch)) return mergeObjects(document, patch)
  if (isJsonArray(patch)) return pruneNulls(patch)
  throw new PatchError('BadRequest', 'Invalid JSON Patch')
}

function mergeObjects(document: JsonObject, patch: JsonObject): JsonObject {
  const out: Record<string, JsonValue> = { ...document }
  for (const key of Object.keys(patch)) {
    const value = patch[key] ?? null
    if (value === null) delete out[key]
    else setMember(out, key, mergeValue(member(document, key), value))
  }
  return out
}

function mergeValue(current: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isJsonObject(current)) return pruneNulls(patch)
  return isJsonObject(patch) ? mergeObjects(current, patch) : patch
}

function pruneNulls(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return value.map(pruneNulls)
  if (!isJsonObject(value)) return value
  const out: Record<string, JsonValue> = {}
  for (const key of Object.keys(value)) {
    const child = value[key] ?? null
    if (child !== null) setMember(out, key, pruneNulls(child))
  }
  return out
}

/** The smallest merge patch that turns `from` into `to`; `{}` when they are equal. Arrays are replaced whole. */
export function createMergePatch(from: JsonObject, to: JsonObject): JsonObject {
  const patch: Record<string, JsonValue> = {}
  for (const key of Object.keys(to)) {
    const change = difference(member(from, key), to[key] ?? null)
    if (change !== undefined) setMember(patch, key, change)
  }
  for (const key of Object.keys(from)) {
    if (!Object.hasOwn(to, key)) setMember(patch, key, null)
  }
  return patch
}

function difference(from: JsonValue | undefined, to: JsonValue): JsonValue | undefined {
  if (isJsonObject(from) && isJsonObject(to)) {
    const patch = createMergePatch(from, to)
    return Object.keys(patch).length > 0 ? patch : undefined
  }
  return jsonEqual(from, to) ? undefined : to
}

/**
 * The merge patch that brings `current` to `modified`, keeping what others changed: changes and additions come
 * from current → modified, deletions from original → modified (what the sender once set and now leaves out).
 * @throws PatchError Internal when a change and a deletion meet in one place.
 * Source: apimachinery pkg/util/jsonmergepatch.
 */
export function createThreeWayMergePatch(
  original: JsonObject,
  modified: JsonObject,
  current: JsonObject,
): JsonObject {
  const changes = keepChanges(createMergePatch(current, modified))
  const deletions = keepDeletions(createMergePatch(original, modified))
  return unionOf(deletions, changes)
}

function keepChanges(patch: JsonObject): JsonObject {
  const out: Record<string, JsonValue> = {}
  for (const key of Object.keys(patch)) {
    const value = patch[key] ?? null
    if (value === null) continue
    const kept = isJsonObject(value) && hasMembers(value) ? keepChanges(value) : value
    if (!isJsonObject(kept) || hasMembers(kept) || kept === value) setMember(out, key, kept)
  }
  return out
}

function keepDeletions(patch: JsonObject): JsonObject {
  const out: Record<string, JsonValue> = {}
  for (const key of Object.keys(patch)) {
    const value = patch[key] ?? null
    const kept = isJsonObject(value) ? keepDeletions(value) : value
    if (kept === null || (isJsonObject(kept) && hasMembers(kept))) setMember(out, key, kept)
  }
  return out
}

function hasMembers(value: JsonObject): boolean {
  return Object.keys(value).length > 0
}

function unionOf(deletions: JsonObject, changes: JsonObject): JsonObject {
  const out: Record<string, JsonValue> = { ...deletions }
  for (const key of Object.keys(changes)) {
    const deleted = member(deletions, key)
    const changed = changes[key] ?? null
    const isMerged = isJsonObject(deleted) && isJsonObject(changed)
    if (deleted !== undefined && !isMerged)
      throw new PatchError('Internal', `the patch both deletes and sets "${key}"`)
    setMember(out, key, isMerged ? unionOf(deleted, changed) : pruneNulls(changed))
  }
  return out
}
