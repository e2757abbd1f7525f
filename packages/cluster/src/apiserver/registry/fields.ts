import { emptyAt, holdsEmptied } from '../resources/emptied.ts'
import { sameAmounts } from './same-amounts.ts'

/**
 * A JSON object whose fields the schema has already checked: readers below trust the type that they name, and read an absent
 * field as Go reads an unset one ('' / 0 / false / nothing in a list).
 */
export type Fields = Record<string, unknown>

/** What a strategy reads: a {@link Fields}, a draft, or a frozen stored object. */
export type Readable = Readonly<Record<string, unknown>>

/** The object in `name`, or undefined. */
export const objectAt = (at: Readable | undefined, name: string): Fields | undefined =>
  (at?.[name] as Fields | null | undefined) ?? undefined

/** The object in `name`, made when it is not there. */
export function ensureObject(at: Fields, name: string): Fields {
  const found = at[name] as Fields | null | undefined
  if (found !== undefined && found !== null) return found
  const made: Fields = {}
  at[name] = made
  return made
}

const NOTHING: readonly Fields[] = Object.freeze([])

/** The objects listed in `name`; none when absent. */
export const itemsAt = (at: Readable | undefined, name: string): readonly Fields[] =>
  (at?.[name] as readonly Fields[] | null | undefined) ?? NOTHING

/** The strings listed in `name`; none when absent. */
export const textsAt = (at: Readable | undefined, name: string): readonly string[] =>
  (at?.[name] as readonly string[] | null | undefined) ?? (NOTHING as unknown as readonly string[])

/** The string in `name`; '' when absent. */
export const textAt = (at: Readable | undefined, name: string): string =>
  (at?.[name] as string | null | undefined) ?? ''

/** The number in `name`, or undefined. */
export function numberAt(at: Readable | undefined, name: string): number | undefined {
  const value = (at?.[name] as number | bigint | null | undefined) ?? undefined
  // What is kept exactly is near enough to be judged.
  return typeof value === 'bigint' ? Number(value) : value
}

/** The boolean in `name`; false when absent. */
export const flagAt = (at: Readable | undefined, name: string): boolean => at?.[name] === true

const NO_ENTRIES: Readonly<Record<string, string>> = Object.freeze({})

/** The map of strings in `name`; empty when absent. */
export const mapAt = (at: Readable | undefined, name: string): Readonly<Record<string, string>> =>
  (at?.[name] as Record<string, string> | null | undefined) ?? NO_ENTRIES

/** The value in `name` as Go prints it: an empty list or map as it came, null where there is nothing. */
export const shownAt = (at: Readable | undefined, name: string): unknown =>
  at?.[name] ?? emptyAt(at, name) ?? null

/** Whether `name` is set to anything. */
export const has = (at: Readable | undefined, name: string): boolean =>
  at?.[name] !== undefined && at[name] !== null

/** Sets the fields of `values` that are not set: defaults of Go pointers. Values are shared, so they are scalars. */
export function fillAbsent(
  at: Fields,
  values: Readonly<Record<string, string | number | boolean>>,
): void {
  for (const name in values)
    if (at[name] === undefined || at[name] === null) at[name] = values[name]
}

/** Sets the fields of `values` that are unset or zero: defaults of Go values. */
export function fillEmpty(
  at: Fields,
  values: Readonly<Record<string, string | number | boolean>>,
): void {
  for (const name in values) if (!at[name]) at[name] = values[name]
}

/** Makes a field what it was, absent if it was absent. */
export function keep(at: Fields, old: Readable, name: string): void {
  const was = old[name]
  if (was === undefined) delete at[name]
  else at[name] = was
}

/** Whether two JSON values are equal; an absent field equals an undefined one (Go's Semantic.DeepEqual after decoding). */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    return (a ?? undefined) === (b ?? undefined) || (isNothing(a) && isNothing(b))
  }
  if (Array.isArray(a)) return Array.isArray(b) && sameItems(a, b)
  return !Array.isArray(b) && sameFields(a as Readable, b as Readable)
}

/** Whether what was decoded equals what was read from the store, as reflect.DeepEqual sees it: an empty list is not none. */
export const sameDeep = (decoded: unknown, old: unknown): boolean =>
  !holdsEmptied(decoded) && same(decoded, old)

/** The same for the lists or maps in a field. */
export const sameDeepAt = (decoded: Readable, old: Readable, name: string): boolean =>
  emptyAt(decoded, name) === undefined && sameDeep(decoded[name], old[name])

/** No value, or a list without items: Go's comparison does not tell them apart. */
const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (!same(a[i], b[i])) return false
  return true
}

function sameFields(a: Readable, b: Readable): boolean {
  for (const name in a) {
    const other = own(b, name)
    if (!same(a[name], other) && !sameAmounts(name, a[name], other)) return false
  }
  for (const name in b) if (!isNothing(b[name]) && own(a, name) === undefined) return false
  return true
}

/** A field's own value: one called `constructor` is absent where nobody gave it. */
const own = (of: Readable, name: string): unknown =>
  Object.hasOwn(of, name) ? of[name] : undefined
