/**
 * The syntax tree. Macros are expanded by the parser, so a quantifier is a {@link FoldExpr} here.
 *
 * Every node has an id that is unique in its tree; positions, types and references are kept beside the tree by id.
 */
import type { Value } from './value.ts'

/** A constant: null, bool, int, uint, double, string or bytes. */
export interface LiteralExpr {
  readonly kind: 'literal'
  readonly id: number
  readonly value: Value
}

/** A name; with a leading dot it is absolute. */
export interface IdentExpr {
  readonly kind: 'ident'
  readonly id: number
  readonly name: string
}

/** `operand.field`, or `has(operand.field)` when `testOnly`. */
export interface SelectExpr {
  readonly kind: 'select'
  readonly id: number
  readonly operand: Expr
  readonly field: string
  readonly testOnly: boolean
}

/** `fn(args)`, `target.fn(args)`, and every operator under its name in {@link OPERATORS}. */
export interface CallExpr {
  readonly kind: 'call'
  readonly id: number
  readonly fn: string
  readonly target: Expr | undefined
  readonly args: readonly Expr[]
}

/** `[a, ?b]`; `optional` holds the indexes marked with a question mark. */
export interface ListExpr {
  readonly kind: 'list'
  readonly id: number
  readonly elements: readonly Expr[]
  readonly optional: ReadonlySet<number>
}

/** One `key: value` or `?key: value`. */
export interface EntryExpr {
  readonly id: number
  readonly key: Expr
  readonly value: Expr
  readonly optional: boolean
}

/** `{key: value}`. */
export interface MapExpr {
  readonly kind: 'map'
  readonly id: number
  readonly entries: readonly EntryExpr[]
}

/** One `field: value` or `?field: value`. */
export interface FieldExpr {
  readonly id: number
  readonly name: string
  readonly value: Expr
  readonly optional: boolean
}

/** `Type{field: value}`. */
export interface StructExpr {
  readonly kind: 'struct'
  readonly id: number
  readonly type: string
  readonly fields: readonly FieldExpr[]
}

/**
 * A loop over `range` that computes an accumulator: as long as `condition` is not false, `accuVar = step`; then `result`.
 * With `iterVar2`, `iterVar` is the index or key and `iterVar2` the element or value.
 */
export interface FoldExpr {
  readonly kind: 'fold'
  readonly id: number
  readonly range: Expr
  readonly iterVar: string
  readonly iterVar2: string | undefined
  readonly accuVar: string
  readonly accuInit: Expr
  readonly condition: Expr
  readonly step: Expr
  readonly result: Expr
}

/** Any node. */
export type Expr =
  LiteralExpr | IdentExpr | SelectExpr | CallExpr | ListExpr | MapExpr | StructExpr | FoldExpr

/** The function names of the operators. */
export const OPERATORS = {
  conditional: '_?_:_',
  and: '_&&_',
  or: '_||_',
  not: '!_',
  equals: '_==_',
  notEquals: '_!=_',
  less: '_<_',
  lessEquals: '_<=_',
  greater: '_>_',
  greaterEquals: '_>=_',
  add: '_+_',
  subtract: '_-_',
  multiply: '_*_',
  divide: '_/_',
  modulo: '_%_',
  negate: '-_',
  index: '_[_]',
  optIndex: '_[?_]',
  optSelect: '_?._',
  in: '@in',
  notStrictlyFalse: '@not_strictly_false',
} as const

/** The comparison operators by symbol, the loosest of the binary ones but for logic. */
export const RELATIONS: Readonly<Record<string, string>> = {
  '<': OPERATORS.less,
  '<=': OPERATORS.lessEquals,
  '>': OPERATORS.greater,
  '>=': OPERATORS.greaterEquals,
  '==': OPERATORS.equals,
  '!=': OPERATORS.notEquals,
  in: OPERATORS.in,
}
/** The additive operators by symbol. */
export const SUMS: Readonly<Record<string, string>> = {
  '+': OPERATORS.add,
  '-': OPERATORS.subtract,
}
/** The multiplicative operators by symbol. */
export const PRODUCTS: Readonly<Record<string, string>> = {
  '*': OPERATORS.multiply,
  '/': OPERATORS.divide,
  '%': OPERATORS.modulo,
}

/** The accumulator of the macros: not a name a source can write. */
export const ACCUMULATOR = '@result'
/** The accumulator's name in older versions, still refused as an iteration variable. */
export const OLD_ACCUMULATOR = '__result__'
/** The iteration variable of folds that only bind a name. */
export const UNUSED_VARIABLE = '#unused'

/** The children of a node, in source order of evaluation. */
export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'literal':
    case 'ident':
      return []
    case 'select':
      return [expr.operand]
    case 'call':
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args]
    case 'list':
      return expr.elements
    case 'map':
      return expr.entries.flatMap((entry) => [entry.key, entry.value])
    case 'struct':
      return expr.fields.map((field) => field.value)
    case 'fold':
      return [expr.range, expr.accuInit, expr.condition, expr.step, expr.result]
  }
}

/** Calls `visit` on the node and everything below it, parents first. */
export function walk(expr: Expr, visit: (expr: Expr) => void): void {
  visit(expr)
  for (const child of childrenOf(expr)) walk(child, visit)
}
