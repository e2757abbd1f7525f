/** Values → plain JSON, for patches, audit annotations and applied objects. */
import { JsonFields, JsonList, JsonMap } from './json-value.ts'
import { ObjectLiteral } from './object-literal.ts'
import { displayText } from './text.ts'
import { formatDuration, formatTimestamp } from './time.ts'
import type { ListValue, MapValue, Value } from './value.ts'
import { Duration, OptionalValue, Timestamp, Uint, isList, isMap, listItems } from './value.ts'

/**
 * Plain JSON for a value. Ints and uints beyond ±2^53 are decimal strings, as in cel-go; bytes are base64; timestamps RFC 3339;
 * durations seconds with an `s`; map keys their text; an optional is what it holds, `optional.none()` is undefined and left
 * out of objects; a value of a library type is its text. JSON that was bound and is returned unchanged is the same object, not
 * a copy: do not write to it.
 */
export function toJson(value: Value): unknown {
  switch (typeof value) {
    case 'bigint':
      return safeNumber(value)
    case 'string':
    case 'number':
    case 'boolean':
      return value
    default:
      return value === null ? null : objectToJson(value)
  }
}

function safeNumber(value: bigint): number | string {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}

function objectToJson(value: Value & object): unknown {
  // A merged list may hold values among its JSON.
  if (value instanceof JsonList && value.merge === undefined) return value.json
  if (value instanceof JsonMap || value instanceof JsonFields) return value.json
  if (isList(value)) return listToJson(value)
  if (isMap(value)) return mapToJson(value)
  if (value instanceof Uint) return safeNumber(value.value)
  if (value instanceof Uint8Array) return btoa(String.fromCharCode(...value))
  if (value instanceof Timestamp) return formatTimestamp(value)
  if (value instanceof Duration) return formatDuration(value.nanos)
  if (value instanceof OptionalValue) {
    return value.value === undefined ? undefined : toJson(value.value)
  }
  return displayText(value)
}

function listToJson(list: ListValue): readonly unknown[] {
  return listItems(list).map(toJson)
}

function mapToJson(map: MapValue): Readonly<Record<string, unknown>> {
  const entries = map
    .keys()
    .map((key) => [displayText(key), toJson(map.find(key) ?? null)] as const)
  return Object.fromEntries(entries.filter(([, json]) => json !== undefined))
}

/** A value as text: a string as it is, anything else as messages show it. */
export function toText(value: Value): string {
  return displayText(value)
}

/**
 * What is wrong with the type names in an object that an expression constructed: `Object.spec` must be the value of the field
 * spec of `Object`, and so on. Empty if nothing is.
 */
export function typeNameProblems(value: Value): readonly string[] {
  return problems(value, value instanceof ObjectLiteral ? value.objectType.name : '')
}

function problems(value: Value, expected: string): readonly string[] {
  if (value instanceof ObjectLiteral) {
    const { name } = value.objectType
    const own =
      name === expected
        ? []
        : [
            `unexpected type name "${name}", expected "${expected}", which matches field name path from root Object type`,
          ]
    const inner = value.keys().flatMap((key) => {
      const field = value.find(key)
      return field === undefined ? [] : problems(field, `${expected}.${String(key)}`)
    })
    return [...own, ...inner]
  }
  if (value === null || typeof value !== 'object') return []
  if (isList(value)) return listItems(value).flatMap((item) => problems(item, expected))
  if (isMap(value))
    return value.keys().flatMap((key) => problems(value.find(key) ?? null, expected))
  return []
}
