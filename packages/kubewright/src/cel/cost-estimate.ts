/** The static cost of a checked tree (cel-go's checker/cost.go). */
import type { CallExpr, Expr, FoldExpr, IdentExpr, ListExpr, MapExpr, SelectExpr } from './ast.ts'
import { ACCUMULATOR, OLD_ACCUMULATOR } from './ast.ts'
import type { CelType } from './cel-type.ts'
import { DYN, isOptionalType } from './cel-type.ts'
import type { Checked } from './checker.ts'
import { generalCost, kubernetesCost } from './cost-calls.ts'
import type { CallEstimate, CallNodes, Range, SizedNode } from './cost-model.ts'
import {
  LIST_COST,
  MAP_COST,
  SELECT_COST,
  STRUCT_COST,
  UNBOUNDED,
  UNKNOWN,
  ZERO,
  add,
  exactly,
  multiply,
  union,
} from './cost-model.ts'
import type { Environment } from './environment.ts'
import type { CostEstimate, SizeEstimate, SizeEstimator } from './program.ts'
import { codePointCount } from './value.ts'
import type { Value } from './value.ts'

/** Estimates a checked tree without issues. */
export function estimate(
  checked: Checked,
  environment: Environment,
  size: SizeEstimator,
): CostEstimate {
  return new Estimator(checked, environment, size).cost(checked.expr)
}

/**
 * Sizes from the bounds in the declared types, as Kubernetes takes them from a schema. Where there is a variable `self`,
 * a path that starts at no variable is read as one from there: that is what the API server's estimates of CRD rules do.
 */
export function sizesOf(variables: Readonly<Record<string, CelType>>): SizeEstimator {
  return ([name = '', ...steps]) => {
    let type: CelType | undefined = variables[Object.hasOwn(variables, name) ? name : 'self']
    if (type !== undefined && isOptionalType(type)) type = type.parameters[0]
    for (const step of steps) type = type && stepInto(type, step)
    return type && boundsOf(type)
  }
}

function stepInto(type: CelType, step: string): CelType | undefined {
  switch (step) {
    case '@items':
    case '@values':
      return type.kind === 'list' ? type.element : type.kind === 'map' ? type.value : undefined
    case '@keys':
      return type.kind === 'map' ? type.key : undefined
    default:
      return type.kind === 'object' ? type.fields.get(step)?.type : undefined
  }
}

function boundsOf(type: CelType): SizeEstimate | undefined {
  if (type.maxElements !== undefined) return { min: 0n, max: BigInt(type.maxElements) }
  switch (type.kind) {
    case 'string':
    case 'bytes':
    case 'list':
    case 'map':
      return undefined
    default:
      return { min: 0n, max: 0n }
  }
}

/** The sizes of the keys and values of a container that an expression makes. */
interface EntrySizes {
  readonly kind: 'list' | 'map'
  readonly key: Range
  readonly value: Range
}

/** A loop variable or accumulator while its loop is being estimated. */
interface Local {
  readonly path: readonly string[]
  readonly size: Range | undefined
  readonly entries: EntrySizes | undefined
}

const SELECT = exactly(SELECT_COST)
const NOTHING_YET: Range = { min: UNBOUNDED, max: 0n }

class Estimator {
  readonly #checked: Checked
  readonly #environment: Environment
  readonly #declaredSize: SizeEstimator
  readonly #paths = new Map<number, readonly string[]>()
  readonly #sizes = new Map<number, Range>()
  readonly #entries = new Map<number, EntrySizes>()
  readonly #locals = new Map<string, Local[]>()

  constructor(checked: Checked, environment: Environment, size: SizeEstimator) {
    this.#checked = checked
    this.#environment = environment
    this.#declaredSize = size
  }

  cost(expr: Expr): Range {
    switch (expr.kind) {
      case 'literal':
        return ZERO
      case 'ident':
        return this.#identCost(expr)
      case 'select':
        return this.#selectCost(expr)
      case 'call':
        return this.#callCost(expr)
      case 'list':
        return this.#listCost(expr)
      case 'map':
        return this.#mapCost(expr)
      case 'struct':
        return this.#sum(
          expr.fields.map((field) => field.value),
          exactly(STRUCT_COST),
        )
      case 'fold':
        return isBinding(expr) ? this.#bindingCost(expr) : this.#foldCost(expr)
    }
  }

  #sum(exprs: readonly Expr[], start: Range = ZERO): Range {
    return exprs.reduce((total, expr) => add(total, this.cost(expr)), start)
  }

  #type(expr: Expr): CelType {
    return this.#checked.types[expr.id] ?? DYN
  }

  // names

  #nameOf(expr: IdentExpr): string {
    return this.#checked.references.get(expr.id)?.name ?? expr.name
  }

  #local(expr: Expr): Local | undefined {
    if (expr.kind !== 'ident') return undefined
    return this.#locals.get(this.#nameOf(expr))?.at(-1)
  }

  #push(name: string, local: Local): void {
    const stack = this.#locals.get(name) ?? []
    stack.push(local)
    this.#locals.set(name, stack)
  }

  #pop(name: string): void {
    this.#locals.get(name)?.pop()
  }

  #path(expr: Expr): readonly string[] {
    return this.#local(expr)?.path ?? this.#paths.get(expr.id) ?? []
  }

  #identCost(expr: IdentExpr): Range {
    this.#paths.set(expr.id, this.#local(expr)?.path ?? [this.#nameOf(expr)])
    return SELECT
  }

  #selectCost(expr: SelectExpr): Range {
    const reference = this.#checked.references.get(expr.id)
    if (reference !== undefined) {
      this.#paths.set(expr.id, [reference.name])
      return SELECT
    }
    const operand = this.cost(expr.operand)
    if (expr.testOnly) return operand
    this.#paths.set(expr.id, [...this.#path(expr.operand), expr.field])
    const { kind } = this.#type(expr.operand)
    return kind === 'map' || kind === 'object' || kind === 'typeParam'
      ? add(operand, SELECT)
      : operand
  }

  // containers

  #listCost(expr: ListExpr): Range {
    const cost = this.#sum(expr.elements)
    const value = this.#sizeOfAll(expr.elements)
    this.#entries.set(expr.id, { kind: 'list', key: exactly(1), value })
    return add(cost, exactly(LIST_COST))
  }

  #mapCost(expr: MapExpr): Range {
    const cost = this.#sum(expr.entries.flatMap(({ key, value }) => [key, value]))
    this.#entries.set(expr.id, {
      kind: 'map',
      key: this.#sizeOfAll(expr.entries.map(({ key }) => key)),
      value: this.#sizeOfAll(expr.entries.map(({ value }) => value)),
    })
    return add(cost, exactly(MAP_COST))
  }

  #sizeOfAll(exprs: readonly Expr[]): Range {
    if (exprs.length === 0) return ZERO
    return exprs.reduce((total, expr) => union(total, this.#sizeOrUnknown(expr)), NOTHING_YET)
  }

  // folds

  #foldCost(expr: FoldExpr): Range {
    let cost = this.#sum([expr.range, expr.accuInit])
    this.#push(expr.accuVar, this.#asLocal(expr.accuInit))
    this.#pushIterationVariables(expr)
    const loop = this.cost(expr.condition)
    const step = this.cost(expr.step)
    this.#pop(expr.iterVar)
    if (expr.iterVar2 !== undefined) this.#pop(expr.iterVar2)
    cost = add(cost, this.cost(expr.result))
    this.#pop(expr.accuVar)
    const rounds = this.#sizeOrUnknown(expr.range)
    this.#setResultSize(expr, rounds)
    return add(cost, multiply(rounds, add(step, loop)))
  }

  #asLocal(expr: Expr): Local {
    return {
      path: this.#path(expr),
      size: this.#size(expr),
      entries: this.#entrySizes(expr),
    }
  }

  #pushIterationVariables(expr: FoldExpr): void {
    const entries = this.#entrySizes(expr.range)
    const isList = (entries?.kind ?? this.#type(expr.range).kind) === 'list'
    const path = this.#path(expr.range)
    const push = (name: string, step: string, size: Range | undefined): void =>
      this.#push(name, { path: [...path, step], size, entries: undefined })
    if (expr.iterVar2 !== undefined) {
      push(expr.iterVar, isList ? '@indices' : '@keys', entries?.key)
      push(expr.iterVar2, isList ? '@items' : '@values', entries?.value)
    } else if (isList) push(expr.iterVar, '@items', entries?.value)
    else push(expr.iterVar, '@keys', entries?.key)
  }

  /** What a macro makes is as large as what it starts with, or, if it collects, as what it runs over. */
  #setResultSize(expr: FoldExpr, rounds: Range): void {
    const { kind } = expr.accuInit
    if (kind === 'literal') this.#setSize(expr, this.#size(expr.accuInit))
    if (kind !== 'list' && kind !== 'map') return
    this.#setSize(expr, rounds)
    const collected = this.#entrySizes(expr.step)
    if (collected !== undefined) this.#entries.set(expr.id, collected)
  }

  #bindingCost(expr: FoldExpr): Range {
    const cost = this.#sum([expr.range, expr.accuInit])
    this.#push(expr.accuVar, this.#asLocal(expr.accuInit))
    const result = this.cost(expr.result)
    this.#pop(expr.accuVar)
    this.#copySizes(expr, expr.result)
    return add(cost, result)
  }

  // calls

  #callCost(expr: CallExpr): Range {
    const reference = this.#checked.references.get(expr.id)
    const name = reference?.name ?? expr.fn
    if (name === 'dyn') return this.#dynCost(expr)
    const argCosts = expr.args.map((argument) => this.cost(argument))
    const args = expr.args.map((argument) => this.#node(argument))
    const overloads = reference?.overloads ?? []
    if (overloads.length === 0) return ZERO
    const target = reference?.namespaced === true ? undefined : expr.target
    const targetCost = target === undefined ? ZERO : this.cost(target)
    const targetNode = target === undefined ? undefined : this.#node(target)
    let cost = NOTHING_YET
    let size: Range | undefined
    for (const overload of overloads) {
      const call: CallNodes = {
        overload,
        target: targetNode,
        args,
        sizeOf: (node) => this.#nodeSize(node),
      }
      const found = this.#overloadCost(expr, name, call, argCosts)
      cost = union(cost, found.cost)
      if (found.size !== undefined) size = size === undefined ? found.size : union(size, found.size)
      size = this.#indexSize(expr, overload) ?? size ?? this.#size(expr)
    }
    this.#setSize(expr, size)
    return add(targetCost, cost)
  }

  #dynCost(expr: CallExpr): Range {
    const [argument] = expr.args as [Expr]
    const cost = this.cost(argument)
    this.#copySizes(expr, argument)
    return add(exactly(1), cost)
  }

  /** An element of a list or map is as large as its container's elements are. */
  #indexSize(expr: CallExpr, overload: string): Range | undefined {
    const step =
      overload === 'index_list' ? '@items' : overload === 'index_map' ? '@values' : undefined
    const [container] = expr.args
    if (step === undefined || container === undefined) return undefined
    this.#paths.set(expr.id, [...this.#path(container), step])
    return this.#entrySizes(container)?.value
  }

  #overloadCost(
    expr: CallExpr,
    name: string,
    call: CallNodes,
    argCosts: readonly Range[],
  ): CallEstimate {
    const own = this.#environment.callCosts.get(call.overload)?.(call)
    const known = own ?? kubernetesCost(name, call) ?? this.#sizedCost(expr, call)
    if (known !== undefined) return { ...known, cost: add(known.cost, argCosts.reduce(add, ZERO)) }
    const [first = ZERO, second = ZERO, third = ZERO] = argCosts
    switch (call.overload) {
      case 'logical_or':
      case 'logical_and':
        return { cost: { min: first.min, max: add(first, second).max } }
      case 'conditional':
        return { ...this.#conditional(expr, call), cost: add(first, union(second, third)) }
      default:
        return { cost: add(exactly(1), argCosts.reduce(add, ZERO)) }
    }
  }

  /** Costs that depend on the operands' sizes; sums also have a size themselves. */
  #sizedCost(expr: CallExpr, call: CallNodes): CallEstimate | undefined {
    const known = generalCost(call)
    if (known === undefined || !call.overload.startsWith('add_')) return known
    const [left, right] = expr.args.map((argument) => this.#entrySizes(argument))
    const both = left && right && unionEntries(left, right)
    if (both !== undefined) this.#entries.set(expr.id, both)
    return known
  }

  #conditional(expr: CallExpr, call: CallNodes): { readonly size: Range } {
    const [, whenTrue, whenFalse] = expr.args as [Expr, Expr, Expr]
    const [yes, no] = [this.#entrySizes(whenTrue), this.#entrySizes(whenFalse)]
    if (yes !== undefined && no !== undefined) this.#entries.set(expr.id, unionEntries(yes, no))
    const [, a, b] = call.args as [SizedNode, SizedNode, SizedNode]
    return { size: union(a.size ?? UNKNOWN, b.size ?? UNKNOWN) }
  }

  // sizes

  #node(expr: Expr): SizedNode {
    const path = this.#path(expr)
    const isHidden = path[0] === ACCUMULATOR || path[0] === OLD_ACCUMULATOR
    return { expr, type: this.#type(expr), path: isHidden ? [] : path, size: this.#size(expr) }
  }

  #nodeSize(node: SizedNode): Range {
    return node.size ?? this.#declared(node.path, node.type) ?? UNKNOWN
  }

  #declared(path: readonly string[], type: CelType): Range | undefined {
    return path.length === 0 ? undefined : this.#declaredSize(path, type)
  }

  #setSize(expr: Expr, size: Range | undefined): void {
    if (size !== undefined) this.#sizes.set(expr.id, size)
  }

  #copySizes(to: Expr, from: Expr): void {
    this.#setSize(to, this.#size(from))
    const entries = this.#entrySizes(from)
    if (entries !== undefined) this.#entries.set(to.id, entries)
  }

  #sizeOrUnknown(expr: Expr): Range {
    return this.#size(expr) ?? UNKNOWN
  }

  #size(expr: Expr): Range | undefined {
    const known = this.#sizes.get(expr.id) ?? literalSize(expr)
    if (known !== undefined) return known
    const declared = this.#declared(this.#path(expr), this.#type(expr))
    this.#setSize(expr, declared)
    if (declared !== undefined) return declared
    return isScalar(this.#type(expr)) ? exactly(1) : this.#local(expr)?.size
  }

  #entrySizes(expr: Expr): EntrySizes | undefined {
    return this.#entries.get(expr.id) ?? this.#local(expr)?.entries
  }
}

/** Whether the loop only gives a value a name: it never runs. */
function isBinding(expr: FoldExpr): boolean {
  return (
    expr.range.kind === 'list' &&
    expr.range.elements.length === 0 &&
    expr.condition.kind === 'literal' &&
    expr.condition.value === false &&
    expr.accuVar !== OLD_ACCUMULATOR
  )
}

function unionEntries(a: EntrySizes, b: EntrySizes): EntrySizes {
  return { kind: a.kind, key: union(a.key, b.key), value: union(a.value, b.value) }
}

function literalSize(expr: Expr): Range | undefined {
  switch (expr.kind) {
    case 'literal':
      return exactly(valueSize(expr.value))
    case 'list':
      return exactly(expr.elements.length)
    case 'map':
      return exactly(expr.entries.length)
    default:
      return undefined
  }
}

function valueSize(value: Value): number {
  if (typeof value === 'string') return codePointCount(value)
  return value instanceof Uint8Array ? value.length : 1
}

function isScalar(type: CelType): boolean {
  switch (type.kind) {
    case 'bool':
    case 'double':
    case 'duration':
    case 'int':
    case 'timestamp':
    case 'uint':
      return true
    default:
      return isOptionalType(type) && isScalar(type.parameters[0] ?? DYN)
  }
}
