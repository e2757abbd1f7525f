/** A JSON object under inspection. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Whether a JSON value is an object (not null, not a list). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a JSON value is a list. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

/** Whether two JSON values are equal; the order of an object's fields says nothing. */
export { jsonEqual as equalJson } from '../base/json-equal.ts'

export { copyJson } from '../base/copy-json.ts'

/** The value with the names of its objects sorted, as Go prints maps. */
export function sortedJson(value: unknown): unknown {
  if (isList(value)) return value.map(sortedJson)
  if (!isObject(value)) return value
  const names = Object.keys(value).sort()
  return Object.fromEntries(names.map((it) => [it, sortedJson(value[it])]))
}

/** JSON text with sorted names: equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value === 'bigint') return String(value)
  if (!isObject(value)) return JSON.stringify(value)
  const names = Object.keys(value).sort()
  return `{${names.map((it) => `${JSON.stringify(it)}:${canonicalJson(value[it])}`).join(',')}}`
}

/** A string as Go prints it with %q: JSON's escapes but for <, >, & and the line separators, and \x for control characters. */
export function goQuote(text: string): string {
  return JSON.stringify(text).replace(
    /\\u00([01][0-9a-f])/g,
    (_, hex: string) => GO_ESCAPES[hex] ?? `\\x${hex}`,
  )
}

const GO_ESCAPES: Readonly<Record<string, string>> = { '07': '\\a', '0b': '\\v' }
