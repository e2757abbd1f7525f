/** One step into a value: a field or an index, plain, optional or as a presence test (cel-go's interpreter/attributes.go). */
import type { Frame } from './frame.ts'
import { charge } from './frame.ts'
import { isNumeric } from './numbers.ts'
import { displayText } from './text.ts'
import { goTypeName, typeNameOf } from './runtime-type.ts'
import type { ListValue, Value } from './value.ts'
import { EvalError, NONE, OptionalValue, Uint, isError, isList, isMap } from './value.ts'

/**
 * The element at a key, charging 1. An optional operand makes the result optional; `optional` marks `a[?b]` and `a.?b`.
 */
export function qualify(frame: Frame, operand: Value, key: Value, optional: boolean): Value {
  if (operand instanceof OptionalValue) {
    return operand.value === undefined ? NONE : findOptional(frame, operand.value, key)
  }
  if (optional) return findOptional(frame, operand, key)
  charge(frame, 1)
  const found = find(operand, key)
  return found === undefined ? missing(operand, key) : found
}

function findOptional(frame: Frame, operand: Value, key: Value): Value {
  const found = find(operand, key)
  if (found === undefined) return NONE
  if (isError(found)) return found
  charge(frame, 1)
  return new OptionalValue(found)
}

/** `has(operand.field)`, charging 1 unless an optional operand has no such field. */
export function isPresent(frame: Frame, operand: Value, field: string): Value {
  if (operand instanceof OptionalValue) {
    const found = operand.value === undefined ? undefined : find(operand.value, field)
    if (found === undefined) return false
    charge(frame, 1)
    return isError(found) ? found : true
  }
  charge(frame, 1)
  const found = find(operand, field)
  if (found !== undefined && isError(found)) return isAbsence(operand) ? false : found
  return found !== undefined
}

/** Values that are neither list nor map have no fields. */
function isAbsence(operand: Value): boolean {
  return !isMap(operand) && !isList(operand)
}

/** Why a value cannot be a field name or an index; undefined if it can. */
export function badKey(key: Value): EvalError | undefined {
  const isKey = typeof key === 'string' || typeof key === 'boolean' || isNumeric(key)
  return isKey ? undefined : new EvalError(`invalid qualifier type: ${goTypeName(key)}`)
}

/** The element, undefined if it is not there, an error if the key cannot be one. */
function find(operand: Value, key: Value): Value | undefined {
  if (typeof key === 'object') {
    const bad = badKey(key)
    if (bad !== undefined) return bad
  }
  if (isMap(operand)) return operand.find(key)
  if (isList(operand)) return findAt(operand, key)
  return undefined
}

function findAt(list: ListValue, key: Value): Value | undefined {
  const index = listIndex(key)
  if (typeof index !== 'number') return index
  return index >= 0 && index < list.size ? list.at(index) : undefined
}

/** The position a value means: an int, a uint or a whole double. */
function listIndex(key: Value): number | EvalError {
  if (typeof key === 'bigint') return Number(key)
  if (key instanceof Uint) return Number(key.value)
  if (typeof key === 'number') {
    if (Number.isInteger(key)) return key
    return new EvalError(`unsupported index value ${displayText(key)} in list`)
  }
  return isError(key) ? key : new EvalError(`unsupported index type '${typeNameOf(key)}' in list`)
}

function missing(operand: Value, key: Value): EvalError {
  if (isError(operand)) return operand
  const text = displayText(key)
  return new EvalError(isList(operand) ? `index out of bounds: ${text}` : `no such key: ${text}`)
}
