/**
 * Empty lists and maps of fields that are left out when empty. Go's decoder makes `[]` and `{}` of them, which is not nil: no answer
 * and no store tells them apart, but what runs between decoding and storing does where it prints a value or compares by
 * `reflect.DeepEqual`. So a decoded struct remembers which of its fields came so, where neither JSON nor a copy sees it.
 */
const EMPTIED: unique symbol = Symbol('emptied')

type Emptied = Readonly<Record<string, unknown>> & {
  readonly [EMPTIED]?: ReadonlyMap<string, unknown>
}

/** Remembers that a field of a struct came as an empty list or map, which `object` is written without. */
export function rememberEmpty(object: object, field: string, value: unknown): void {
  const known = (object as Emptied)[EMPTIED] ?? []
  Object.defineProperty(object, EMPTIED, {
    value: new Map([...known, [field, Array.isArray(value) ? [] : {}]]),
    configurable: true,
  })
}

/** The empty list or map as which a field came; undefined where it came otherwise, or not at all. */
export const emptyAt = (at: object | undefined, field: string): unknown =>
  at && (at as Emptied)[EMPTIED]?.get(field)

/** A copy of a struct that is to remember what the struct does. */
export function keepEmptied<T extends object>(copy: T, of: object): T {
  const known = (of as Emptied)[EMPTIED]
  return known ? Object.defineProperty(copy, EMPTIED, { value: known, configurable: true }) : copy
}

/** Whether a struct remembers such fields. */
export const hasEmptied = (object: object): boolean => EMPTIED in object

/** Whether anything in a value came as an empty list or map that it is written without. */
export function holdsEmptied(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return hasEmptied(value) || Object.values(value).some(holdsEmptied)
}
