import { stringifyExact } from '../../base/exact-json.ts'
import { formatGoNumber, quoteGo } from '../patch/go-format.ts'
import type { JsonObject, JsonValue } from '../patch/json.ts'
import { isJsonArray, isJsonObject, member } from '../patch/json.ts'

/**
 * One step from a container to a child: a member of an object, an item of a keyed list (by its keys), of a set
 * (by its value) or of another list (by its index). `id` is the canonical FieldsV1 form, such as `f:spec` or
 * `k:{"name":"web"}`; two elements are equal exactly when their ids are.
 * Source: structured-merge-diff fieldpath.
 */
export type PathElement =
  | { readonly kind: 'field'; readonly id: string; readonly name: string }
  | { readonly kind: 'key'; readonly id: string; readonly fields: readonly KeyField[] }
  | { readonly kind: 'value'; readonly id: string; readonly value: JsonValue }
  | { readonly kind: 'index'; readonly id: string; readonly index: number }

/** One key of an item in a keyed list, and its value. */
export type KeyField = readonly [name: string, value: JsonValue]

/** A path from the root of an object; the empty path is the object itself, which nobody owns. */
export type FieldPath = readonly PathElement[]

/** The member `name` of an object. */
export function fieldElement(name: string): PathElement {
  return { kind: 'field', id: `f:${name}`, name }
}

/** The item of a keyed list with these keys; they may come in any order. */
export function keyElement(fields: readonly KeyField[]): PathElement {
  const sorted = fields.length < 2 ? fields : fields.toSorted((a, b) => compareText(a[0], b[0]))
  let id = 'k:{'
  for (const [name, value] of sorted) {
    if (id.length > 3) id += ','
    id += `${JSON.stringify(name)}:${goJson(value)}`
  }
  return { kind: 'key', id: `${id}}`, fields: sorted }
}

/** The item of a set. */
export function valueElement(value: JsonValue): PathElement {
  return { kind: 'value', id: `v:${goJson(value)}`, value }
}

/** The item of a list at a position. */
export function indexElement(index: number): PathElement {
  return { kind: 'index', id: `i:${index}`, index }
}

/** A path of object members. */
export function fieldPath(...names: readonly string[]): FieldPath {
  return names.map(fieldElement)
}

/**
 * Reads a FieldsV1 key. `undefined` for a kind of element that this version does not know: such keys are skipped.
 * @throws Error when the key is malformed.
 */
export function parseElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new Error('key must be 2 characters long:')
  if (text[1] !== ':') throw new Error(`missing colon: ${text}`)
  const rest = text.slice(2)
  if (text[0] === 'f') return { kind: 'field', id: text, name: rest }
  if (text[0] === 'v') return valueElement(JSON.parse(rest) as JsonValue)
  if (text[0] === 'k') return keyElement(parseKeys(rest))
  if (text[0] !== 'i') return undefined
  if (!/^[+-]?\d+$/.test(rest)) throw new Error(`strconv.Atoi: parsing "${rest}": invalid syntax`)
  return indexElement(Number(rest))
}

function parseKeys(text: string): KeyField[] {
  const keys = JSON.parse(text) as JsonValue
  if (!isJsonObject(keys)) throw new Error(`expected an object of keys, got ${text}`)
  return Object.entries(keys)
}

/** The element as it stands in messages: `.spec`, `[name="web"]`, `[="x"]`, `[0]`. */
export function printElement(element: PathElement): string {
  switch (element.kind) {
    case 'field':
      return `.${element.name}`
    case 'key':
      return `[${element.fields.map(([name, value]) => `${name}=${printValue(value)}`).join(',')}]`
    case 'value':
      return `[=${printValue(element.value)}]`
    case 'index':
      return `[${element.index}]`
  }
}

/** The path as it stands in messages: `.spec.containers[name="web"].image`. */
export function printPath(path: FieldPath): string {
  return path.map(printElement).join('')
}

function printValue(value: JsonValue): string {
  if (typeof value === 'string') return quoteGo(value)
  if (typeof value === 'number') return formatGoNumber(value)
  if (isJsonArray(value)) return `[${value.map(printValue).join(',')}]`
  if (isJsonObject(value))
    return Object.entries(value)
      .map(([key, child]) => `${key}=${printValue(child)}`)
      .join('')
  return String(value)
}

const rank: Readonly<Record<PathElement['kind'], number>> = Object.freeze({
  field: 0,
  key: 1,
  value: 2,
  index: 3,
})

/** The order in which elements stand in FieldsV1: members, then keys, values and indices. */
export function compareElements(a: PathElement, b: PathElement): number {
  if (a.kind === 'field' && b.kind === 'field') return compareText(a.name, b.name)
  if (a.kind === 'key' && b.kind === 'key') return compareKeys(a.fields, b.fields)
  if (a.kind === 'value' && b.kind === 'value') return compareValues(a.value, b.value)
  if (a.kind === 'index' && b.kind === 'index') return a.index - b.index
  return rank[a.kind] - rank[b.kind]
}

function compareKeys(a: readonly KeyField[], b: readonly KeyField[]): number {
  return compareLists(a, b, ([nameA, valueA], [nameB, valueB]) => {
    return compareText(nameA, nameB) || compareValues(valueA, valueB)
  })
}

function compareValues(a: JsonValue, b: JsonValue): number {
  const kinds = valueRank(a) - valueRank(b)
  if (kinds !== 0) return kinds
  if (isNumeric(a)) return a < (b as number) ? -1 : a > (b as number) ? 1 : 0
  if (typeof a === 'string') return compareText(a, b as string)
  if (typeof a === 'boolean') return Number(a) - Number(b)
  if (isJsonArray(a)) return compareLists(a, b as readonly JsonValue[], compareValues)
  return isJsonObject(a) ? compareObjects(a, b as JsonObject) : 0
}

/** Numbers, then strings, booleans, lists, objects and null. */
function valueRank(value: JsonValue): number {
  if (value === null) return 5
  if (typeof value === 'object') return isJsonArray(value) ? 3 : 4
  return isNumeric(value) ? 0 : typeof value === 'string' ? 1 : 2
}

/** Integers that a number cannot hold come as bigints. */
const isNumeric = (value: unknown): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint'

function compareObjects(a: JsonObject, b: JsonObject): number {
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort(compareText)
  for (const key of keys) {
    const left = member(a, key)
    const right = member(b, key)
    if (left === undefined || right === undefined) return left === undefined ? 1 : -1
    const order = compareValues(left, right)
    if (order !== 0) return order
  }
  return 0
}

function compareLists<T>(
  a: readonly T[],
  b: readonly T[],
  compare: (a: T, b: T) => number,
): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compare(a[i] as T, b[i] as T)
    if (order !== 0) return order
  }
  return a.length - b.length
}

/** Code unit order; it differs from Go's byte order only between U+E000 and surrogate pairs. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** JSON as Go's encoder writes it: `<`, `>`, `&` and the line separators escaped. */
function goJson(value: JsonValue): string {
  const text = stringifyExact(value)
  return /[<>&\u2028\u2029]|\\[bf]/.test(text)
    ? text.replace(/[<>&\u2028\u2029]|\\[bf]/g, escape)
    : text
}

function escape(text: string): string {
  const code = text === '\\b' ? 8 : text === '\\f' ? 12 : text.charCodeAt(0)
  return `\\u${code.toString(16).padStart(4, '0')}`
}
