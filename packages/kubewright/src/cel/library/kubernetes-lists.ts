/** Kubernetes' list functions: isSorted, sum, min, max, indexOf, lastIndexOf (pkg/cel/library/lists.go). */
import { addValues, compareValues, isComparable } from '../arithmetic.ts'
import type { Library } from '../declaration.ts'
import { fn, overload } from '../declaration.ts'
import { equalValues } from '../equality.ts'
import type { ListValue, Value } from '../value.ts'
import { Duration, EvalError, NO_SUCH_OVERLOAD, Uint, isError, listItems } from '../value.ts'

const COMPARABLE = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes']
const ZEROS: Readonly<Record<string, Value>> = {
  int: 0n,
  uint: new Uint(0n),
  double: 0,
  duration: new Duration(0n),
}

function isSorted(list: ListValue): Value {
  let previous: Value | undefined
  for (const item of listItems(list)) {
    if (!isComparable(item)) return isError(item) ? item : NO_SUCH_OVERLOAD
    const order = previous === undefined ? 0 : compareValues(previous, item)
    if (typeof order === 'number' && order > 0) return false
    previous = item
  }
  return true
}

function sum(list: ListValue, zero: Value): Value {
  let total = zero
  for (const item of listItems(list)) {
    total = isError(item) ? item : addValues(total, item)
    if (isError(total)) return total
  }
  return total
}

/** The first element that no other beats; `sign` is 1 for the greatest and -1 for the least. */
function extreme(list: ListValue, name: string, sign: 1 | -1): Value {
  let best: Value | undefined
  for (const item of listItems(list)) {
    if (!isComparable(item)) return isError(item) ? item : NO_SUCH_OVERLOAD
    const order = best === undefined ? undefined : compareValues(item, best)
    if (best === undefined || (typeof order === 'number' && order * sign > 0)) best = item
  }
  return best ?? new EvalError(`${name} called on empty list`)
}

function indexOf(list: ListValue, item: Value): Value {
  return BigInt(listItems(list).findIndex((element) => equalValues(element, item) === true))
}

function lastIndexOf(list: ListValue, item: Value): Value {
  return BigInt(listItems(list).findLastIndex((element) => equalValues(element, item) === true))
}

/** See the file. */
export const KUBERNETES_LISTS: Library = {
  name: 'kubernetes.lists',
  functions: [
    fn(
      'isSorted',
      ...COMPARABLE.map((type) =>
        overload(`list_${type}_is_sorted_bool`, `list<${type}>.(): bool`, isSorted),
      ),
    ),
    fn(
      'sum',
      ...Object.entries(ZEROS).map(([type, zero]) =>
        overload(`list_${type}_sum_${type}`, `list<${type}>.(): ${type}`, (list: ListValue) =>
          sum(list, zero),
        ),
      ),
    ),
    ...(
      [
        ['max', 1],
        ['min', -1],
      ] as const
    ).map(([name, sign]) =>
      fn(
        name,
        ...COMPARABLE.map((type) =>
          overload(`list_${type}_${name}_${type}`, `list<${type}>.(): ${type}`, (list: ListValue) =>
            extreme(list, name, sign),
          ),
        ),
      ),
    ),
    fn('indexOf', overload('list_a_index_of_int', 'list<A>.(A): int', indexOf)),
    fn('lastIndexOf', overload('list_a_last_index_of_int', 'list<A>.(A): int', lastIndexOf)),
  ],
}
