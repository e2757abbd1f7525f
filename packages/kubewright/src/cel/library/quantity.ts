/** Kubernetes' quantities (pkg/cel/library/quantity.go). */
import type { ObjectType } from '../cel-type.ts'
import { abstractType } from '../cel-type.ts'
import type { Library } from '../declaration.ts'
import { fn, signatures } from '../declaration.ts'
import type { OpaqueValue, Value } from '../value.ts'
import { EvalError } from '../value.ts'
import type { Decimal } from './decimal-quantity.ts'
import {
  addDecimals,
  asDouble,
  asInteger,
  compareDecimals,
  formatDecimal,
  negateDecimal,
  parseQuantity,
} from './decimal-quantity.ts'

/** The type of quantities. */
export const QUANTITY_TYPE: ObjectType = abstractType('kubernetes.Quantity')

/** A quantity. */
class QuantityValue implements OpaqueValue {
  readonly tag = 'opaque'
  readonly type = QUANTITY_TYPE
  readonly amount: Decimal

  constructor(amount: Decimal) {
    this.amount = amount
  }

  equals(other: Value): boolean {
    return other instanceof QuantityValue && compareDecimals(this.amount, other.amount) === 0
  }

  toString(): string {
    return formatDecimal(this.amount)
  }
}

function toQuantity(text: string): Value {
  const amount = parseQuantity(text)
  return 'error' in amount ? new EvalError(amount.error) : new QuantityValue(amount)
}

type Binary = (a: Decimal, b: Decimal) => Value

const ofTwo =
  (apply: Binary) =>
  (a: QuantityValue, b: QuantityValue): Value =>
    apply(a.amount, b.amount)
const withInt =
  (apply: Binary) =>
  (a: QuantityValue, b: bigint): Value =>
    apply(a.amount, { unscaled: b, exponent: 0, small: true })

const plus: Binary = (a, b) => new QuantityValue(addDecimals(a, b))
const minus: Binary = (a, b) => new QuantityValue(addDecimals(a, negateDecimal(b)))

const overload = signatures({ Quantity: QUANTITY_TYPE })

/** See the file. */
export const QUANTITY: Library = {
  name: 'kubernetes.quantity',
  functions: [
    fn('quantity', overload('string_to_quantity', '(string): Quantity', toQuantity)),
    fn(
      'isQuantity',
      overload(
        'is_quantity_string',
        '(string): bool',
        (text: string) => !('error' in parseQuantity(text)),
      ),
    ),
    fn(
      'sign',
      overload('quantity_sign', '(Quantity): int', ({ amount }: QuantityValue) =>
        BigInt(compareDecimals(amount, { unscaled: 0n, exponent: 0, small: true })),
      ),
    ),
    fn(
      'isGreaterThan',
      overload(
        'quantity_is_greater_than',
        'Quantity.(Quantity): bool',
        ofTwo((a, b) => compareDecimals(a, b) > 0),
      ),
    ),
    fn(
      'isLessThan',
      overload(
        'quantity_is_less_than',
        'Quantity.(Quantity): bool',
        ofTwo((a, b) => compareDecimals(a, b) < 0),
      ),
    ),
    fn(
      'compareTo',
      overload(
        'quantity_compare_to',
        'Quantity.(Quantity): int',
        ofTwo((a, b) => BigInt(compareDecimals(a, b))),
      ),
    ),
    fn(
      'asApproximateFloat',
      overload('quantity_get_float', 'Quantity.(): double', ({ amount }: QuantityValue) =>
        asDouble(amount),
      ),
    ),
    fn(
      'asInteger',
      overload(
        'quantity_get_int',
        'Quantity.(): int',
        ({ amount }: QuantityValue) =>
          asInteger(amount) ?? new EvalError('cannot convert value to integer'),
      ),
    ),
    fn(
      'isInteger',
      overload(
        'quantity_is_integer',
        'Quantity.(): bool',
        ({ amount }: QuantityValue) => asInteger(amount) !== undefined,
      ),
    ),
    fn(
      'add',
      overload('quantity_add', 'Quantity.(Quantity): Quantity', ofTwo(plus)),
      overload('quantity_add_int', 'Quantity.(int): Quantity', withInt(plus)),
    ),
    fn(
      'sub',
      overload('quantity_sub', 'Quantity.(Quantity): Quantity', ofTwo(minus)),
      overload('quantity_sub_int', 'Quantity.(int): Quantity', withInt(minus)),
    ),
  ],
}
