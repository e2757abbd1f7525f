/** Operators that decide for themselves what they evaluate, absorb errors, or cost by the size of their operands. */
import { equalityCost } from './cost-actual.ts'
import { equalValues } from './equality.ts'
import type { Eval } from './frame.ts'
import { charge } from './frame.ts'
import type { Node } from './plan.ts'
import type { Value } from './value.ts'
import { NO_SUCH_OVERLOAD, OptionalValue, isError } from './value.ts'

/** `a || b` (decided by true) and `a && b` (decided by false): a deciding operand wins over errors on either side. */
export function planLogic(args: readonly Node[], deciding: boolean): Node {
  const terms = args.map((argument) => argument.run)
  const run: Eval = (frame) => {
    let failed: Value | undefined
    for (const term of terms) {
      const value = term(frame)
      if (value === deciding) return deciding
      if (value !== !deciding) failed ??= isError(value) ? value : NO_SUCH_OVERLOAD
    }
    return failed ?? !deciding
  }
  return { run }
}

/** `a == b` and `a != b`. */
export function planEquality(args: readonly Node[], wanted: boolean): Node {
  const [left, right] = args.map((argument) => argument.run) as [Eval, Eval]
  const run: Eval = (frame) => {
    const a = left(frame)
    const b = right(frame)
    charge(frame, equalityCost(a, b, wanted))
    if (isError(a)) return a
    if (isError(b)) return b
    const same = equalValues(a, b)
    return wanted ? same : same !== true
  }
  return { run }
}

/** `a.or(b)` and `a.orValue(b)`: the second operand only if the first is none. Free of cost in cel-go. */
export function planOptionalOr(args: readonly Node[], unwrap: boolean): Node {
  const [left, right] = args.map((argument) => argument.run) as [Eval, Eval]
  const run: Eval = (frame) => {
    const first = left(frame)
    if (!(first instanceof OptionalValue)) return first
    if (first.value === undefined) return right(frame)
    return unwrap ? first.value : first
  }
  return { run }
}
