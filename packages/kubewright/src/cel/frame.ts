/** The state of one evaluation, and the closures that run in it. */
import type { CelType } from './cel-type.ts'
import { isOptionalType } from './cel-type.ts'
import { valueOf } from './json-value.ts'
import type { Bindings } from './program.ts'
import type { Value } from './value.ts'
import { EvalError } from './value.ts'

/** A planned expression: runs in a frame and gives a value, which may be an error. */
export type Eval = (frame: Frame) => Value

/** Thrown, and caught only by `evaluate`: nothing in an expression may absorb it. */
export class CostLimitExceeded extends Error {
  constructor() {
    super('operation cancelled: actual cost limit exceeded')
  }
}

/** Thrown where cel-go panics, as if by itself: the whole evaluation fails, whatever would have absorbed an error. */
export class InternalError extends Error {
  constructor(message: string) {
    super(`internal error: ${message}`)
  }
}

/** One evaluation. */
export interface Frame {
  /** So far. */
  cost: number
  readonly limit: number
  readonly bindings: Bindings
  /** Variables read already, by slot. */
  readonly variables: (Value | undefined)[]
  /** Loop variables and accumulators, by slot. */
  readonly locals: (Value | undefined)[]
}

/** Counts a cost; ends the evaluation if it is too much. */
export function charge(frame: Frame, cost: number): void {
  frame.cost += cost
  if (frame.cost > frame.limit) throw new CostLimitExceeded()
}

/** Reads a declared variable once a frame. */
export function variable(name: string, type: CelType, slot: number): Eval {
  return (frame) => {
    const known = frame.variables[slot]
    if (known !== undefined) return known
    const value = readVariable(frame.bindings, name, type)
    frame.variables[slot] = value
    return value
  }
}

function readVariable(bindings: Bindings, name: string, type: CelType): Value {
  const bound = Object.hasOwn(bindings, name) ? bindings[name] : undefined
  const json: unknown = typeof bound === 'function' ? bound() : bound
  if (json === undefined && !isOptionalType(type)) {
    return new EvalError(`no such attribute(s): ${name}`)
  }
  return valueOf(json, type)
}
