/** Macros: calls that the parser replaces with other expressions, before anything is checked. */
import type { EntryExpr, Expr, FoldExpr } from './ast.ts'
import { ACCUMULATOR, OLD_ACCUMULATOR } from './ast.ts'
import type { Value } from './value.ts'

/** Makes the nodes of an expansion, with fresh ids at the place of the macro call. */
export interface NodeFactory {
  literal(value: Value): Expr
  ident(name: string): Expr
  call(fn: string, ...args: readonly Expr[]): Expr
  memberCall(fn: string, target: Expr, ...args: readonly Expr[]): Expr
  list(...elements: readonly Expr[]): Expr
  map(...entries: readonly Omit<EntryExpr, 'id'>[]): Expr
  presenceTest(operand: Expr, field: string): Expr
  fold(parts: Omit<FoldExpr, 'kind' | 'id'>): Expr
  /** A copy with fresh ids, for an argument that occurs twice. */
  copy(expr: Expr): Expr
}

/** Why a macro call is wrong; `at` is the argument to blame. */
export interface MacroError {
  readonly at: Expr
  readonly message: string
}

/** One macro. `arguments` counts the arguments in parentheses. */
export interface Macro {
  readonly name: string
  readonly arguments: number
  /** Whether it is called on a target, as in `list.all(x, p)`. */
  readonly receiver: boolean
  expand(make: NodeFactory, target: Expr | undefined, args: readonly Expr[]): Expr | MacroError
}

/** How the parser finds a macro. */
export function macroKey(name: string, argumentCount: number, receiver: boolean): string {
  return `${name}/${argumentCount}/${receiver}`
}

/** Whether an expansion failed. */
export function isMacroError(result: Expr | MacroError): result is MacroError {
  return !('kind' in result)
}

/** The name that an iteration variable argument gives, or the reason why it gives none. */
export function iterationVariable(
  argument: Expr | undefined,
  message = 'argument must be a simple name',
): string | MacroError {
  const at = argument as Expr
  if (at.kind !== 'ident') return { at, message }
  if (at.name === ACCUMULATOR || at.name === OLD_ACCUMULATOR) {
    return { at, message: 'iteration variable overwrites accumulator variable' }
  }
  return at.name
}
