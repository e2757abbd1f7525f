/** Lists as sets (cel-go's ext/sets.go). */
import { sizeOf } from '../cost-actual.ts'
import type { ActualCost, CallCost } from '../cost-model.ts'
import { add, exactly, multiply, scale } from '../cost-model.ts'
import type { Library } from '../declaration.ts'
import { fn, overload } from '../declaration.ts'
import { contains } from '../equality.ts'
import type { ListValue } from '../value.ts'
import { listItems } from '../value.ts'

const includes = (list: ListValue, part: ListValue): boolean =>
  listItems(part).every((item) => contains(list, item))

const estimated =
  (factor: number): CallCost =>
  ({ args: [a, b], sizeOf: size }) =>
    a && b && { cost: add(scale(multiply(size(a), size(b)), factor), exactly(1)) }

const counted =
  (factor: number): ActualCost =>
  ([a = null, b = null]) =>
    1 + Math.trunc(sizeOf(a) * sizeOf(b) * factor)

/** See the file. */
export const SETS: Library = {
  name: 'sets',
  functions: [
    fn('sets.contains', overload('list_sets_contains_list', '(list<T>, list<T>): bool', includes)),
    fn(
      'sets.equivalent',
      overload(
        'list_sets_equivalent_list',
        '(list<T>, list<T>): bool',
        (a: ListValue, b: ListValue) => includes(a, b) && includes(b, a),
      ),
    ),
    fn(
      'sets.intersects',
      overload(
        'list_sets_intersects_list',
        '(list<T>, list<T>): bool',
        (a: ListValue, b: ListValue) => listItems(a).some((item) => contains(b, item)),
      ),
    ),
  ],
  callCosts: {
    list_sets_contains_list: estimated(1),
    list_sets_intersects_list: estimated(1),
    list_sets_equivalent_list: estimated(2),
  },
  actualCosts: {
    list_sets_contains_list: counted(1),
    list_sets_intersects_list: counted(1),
    list_sets_equivalent_list: counted(2),
  },
}
