/** Any JSON value. Objects and arrays are never mutated once they are handed to this room. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject

/** A JSON object. Absent members are absent, not `undefined`. */
export interface JsonObject {
  readonly [key: string]: JsonValue
}

/** True for a JSON object; false for null, arrays, scalars and `undefined`. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** True for a JSON array (`Array.isArray` does not narrow readonly arrays). */
export function isJsonArray(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value)
}

/** The member's own value, or `undefined`: names such as `constructor` find nothing inherited. */
export function member(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** Sets a member of a fresh object; `__proto__` becomes an ordinary member, as `JSON.parse` makes it. */
export function setMember(object: Record<string, JsonValue>, key: string, value: JsonValue): void {
  if (key !== '__proto__') object[key] = value
  else
    Object.defineProperty(object, key, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    })
}

/** A copy of `object` without the member `key`; `object` itself when it has no such member. */
export function withoutMember(object: JsonObject, key: string): JsonObject {
  if (!Object.hasOwn(object, key)) return object
  const out = { ...object }
  delete (out as Record<string, JsonValue>)[key]
  return out
}

export { jsonEqual } from '../../base/json-equal.ts'
