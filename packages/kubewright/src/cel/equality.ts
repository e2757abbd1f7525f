/** `==` on any two values, and `+` on lists, which the list's declared kind decides as well. */
import { isNumeric, sameNumber } from './numbers.ts'
import { compareBytes } from './utf8.ts'
import type { EvalError, ListValue, MapValue, Value } from './value.ts'
import {
  ArrayList,
  Duration,
  GrowingList,
  OptionalValue,
  Timestamp,
  TypeValue,
  isError,
  isList,
  isMap,
  isOpaque,
  listItems,
} from './value.ts'

/** Whether two values are equal; values of different kinds are not. An error inside makes the answer an error. */
export function equalValues(a: Value, b: Value): boolean | EvalError {
  switch (typeof a) {
    case 'string':
    case 'boolean':
      return a === b
    case 'bigint':
      return typeof b === 'bigint' ? a === b : isNumeric(b) && sameNumber(a, b)
    case 'number':
      return typeof b === 'number' ? a === b : isNumeric(b) && sameNumber(a, b)
    default:
      return a === null || b === null ? a === b : equalObjects(a, b)
  }
}

function equalObjects(a: Value & object, b: Value): boolean | EvalError {
  if (isError(a)) return a
  if (isError(b)) return b
  if (isList(a)) return isList(b) && equalLists(a, b)
  if (isMap(a)) return isMap(b) && equalMaps(a, b)
  if (isNumeric(a)) return isNumeric(b) && sameNumber(a, b)
  if (a instanceof Uint8Array) return b instanceof Uint8Array && compareBytes(a, b) === 0
  if (a instanceof Timestamp) {
    return b instanceof Timestamp && a.seconds === b.seconds && a.nanos === b.nanos
  }
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name
  if (a instanceof OptionalValue) return b instanceof OptionalValue && equalOptionals(a, b)
  return isOpaque(a) && a.equals(b)
}

function equalOptionals(a: OptionalValue, b: OptionalValue): boolean | EvalError {
  if (a.value === undefined || b.value === undefined) return a.value === b.value
  return equalValues(a.value, b.value)
}

function equalLists(a: ListValue, b: ListValue): boolean | EvalError {
  if (a.size !== b.size) return false
  if (a.merge !== undefined) return a.merge.equals(a, b)
  let failed: EvalError | undefined
  for (let i = 0; i < a.size; i++) {
    const same = equalValues(a.at(i), b.at(i))
    if (same === false) return false
    if (same !== true) failed ??= same
  }
  return failed ?? true
}

function equalMaps(a: MapValue, b: MapValue): boolean | EvalError {
  if (a.equals !== undefined) return a.equals(b)
  if (a.size !== b.size || a.objectType?.name !== b.objectType?.name) return false
  let failed: EvalError | undefined
  for (const key of a.keys()) {
    const other = b.find(key)
    if (other === undefined) return false
    const same = equalValues(a.find(key) as Value, other)
    if (same === false) return false
    if (same !== true) failed ??= same
  }
  return failed ?? true
}

/** Whether a list holds an equal element. */
export function contains(list: ListValue, element: Value): boolean {
  for (let i = 0; i < list.size; i++) {
    if (equalValues(element, list.at(i)) === true) return true
  }
  return false
}

/** `a + b`. A list that a comprehension is building grows in place. */
export function addLists(a: ListValue, b: ListValue): Value {
  if (a instanceof GrowingList) {
    for (let i = 0; i < b.size; i++) a.items.push(b.at(i))
    return a
  }
  if (a.merge !== undefined) return a.merge.add(a, b)
  if (a.size === 0) return b
  return b.size === 0 ? a : new ArrayList([...listItems(a), ...listItems(b)])
}
