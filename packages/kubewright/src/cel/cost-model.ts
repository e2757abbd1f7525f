/** The shapes that cost estimation and cost counting share, and arithmetic that stops at 2^64-1 (cel-go's checker/cost.go). */
import type { Expr } from './ast.ts'
import type { CelType } from './cel-type.ts'
import type { CostEstimate, SizeEstimate } from './program.ts'
import type { Value } from './value.ts'

/** Cost of reading a name or a field. */
export const SELECT_COST = 1
/** Cost of making a list. */
export const LIST_COST = 10
/** Cost of making a map. */
export const MAP_COST = 30
/** Cost of making an object. */
export const STRUCT_COST = 40
/** Cost of walking over one character or byte. */
export const TRAVERSAL_FACTOR = 0.1
/** Cost of one character of a pattern. */
export const REGEX_FACTOR = 0.25

/** The greatest size or cost: "no bound". */
export const UNBOUNDED: bigint = 2n ** 64n - 1n

/** A size or cost between two bounds. */
export type Range = SizeEstimate & CostEstimate

/** A range of one number. */
export function exactly(value: bigint | number): Range {
  const exact = typeof value === 'bigint' ? value : BigInt(value)
  return { min: exact, max: exact }
}

/** Nothing known. */
export const UNKNOWN: Range = Object.freeze({ min: 0n, max: UNBOUNDED })
/** Nothing at all. */
export const ZERO: Range = Object.freeze({ min: 0n, max: 0n })

/** a + b, up to {@link UNBOUNDED}. */
export function add(a: Range, b: Range): Range {
  return { min: capped(a.min + b.min), max: capped(a.max + b.max) }
}

/** a · b, up to {@link UNBOUNDED}. */
export function multiply(a: Range, b: Range): Range {
  return { min: capped(a.min * b.min), max: capped(a.max * b.max) }
}

/** a · factor, rounded up, computed in floating point as cel-go does. */
export function scale(a: Range, factor: number): Range {
  return { min: scaled(a.min, factor), max: scaled(a.max, factor) }
}

/** The smallest range that holds both. */
export function union(a: Range, b: Range): Range {
  return { min: a.min < b.min ? a.min : b.min, max: a.max > b.max ? a.max : b.max }
}

function capped(value: bigint): bigint {
  return value > UNBOUNDED ? UNBOUNDED : value
}

function scaled(value: bigint, factor: number): bigint {
  const ceiling = Math.ceil(Number(value) * factor)
  return ceiling >= 2 ** 64 ? UNBOUNDED : BigInt(ceiling)
}

/** What a call estimate sees of an operand. */
export interface SizedNode {
  readonly expr: Expr | undefined
  readonly type: CelType
  /** Where the value comes from, starting with a variable; empty if it is computed. */
  readonly path: readonly string[]
  readonly size: Range | undefined
}

/** The operands of a call, and how to ask for sizes. */
export interface CallNodes {
  readonly overload: string
  readonly target: SizedNode | undefined
  readonly args: readonly SizedNode[]
  /** The size of an operand; {@link UNKNOWN} if nothing tells. */
  sizeOf(node: SizedNode): Range
}

/** An estimate for a call without its operands, and the size of the result where that is known. */
export interface CallEstimate {
  readonly cost: Range
  readonly size?: Range
}

/** Estimates a call; undefined leaves it to the general rule. */
export type CallCost = (call: CallNodes) => CallEstimate | undefined

/** Counts a call that happened; the target is the first argument. Undefined leaves it to the general rule. */
export type ActualCost = (
  args: readonly Value[],
  result: Value,
  overload: string,
) => number | undefined
