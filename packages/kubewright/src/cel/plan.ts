/**
 * A checked tree → closures, with every cost that cel-go's tracker would count (interpreter/planner.go, decorators.go,
 * runtimecost.go). Parts without variables are computed here, once, and cost nothing later, as there.
 */
import type { CallExpr, Expr, ListExpr, MapExpr, SelectExpr, StructExpr } from './ast.ts'
import { OPERATORS } from './ast.ts'
import type { CelType } from './cel-type.ts'
import { DYN } from './cel-type.ts'
import type { Checked } from './checker.ts'
import { LIST_COST, MAP_COST, STRUCT_COST } from './cost-model.ts'
import type { Environment } from './environment.ts'
import type { Eval, Frame } from './frame.ts'
import { charge, variable } from './frame.ts'
import { planFold } from './plan-fold.ts'
import { planFunction } from './plan-call.ts'
import { planLogic, planEquality, planOptionalOr } from './plan-operators.ts'
import { PlanError } from './plan-error.ts'
import type { Reference } from './scope.ts'
import { badKey, isPresent, qualify } from './qualify.ts'
import { displayText, goText } from './text.ts'
import type { Value } from './value.ts'
import {
  ArrayList,
  EntryMap,
  EvalError,
  NO_SUCH_OVERLOAD,
  OptionalValue,
  TypeValue,
  isError,
} from './value.ts'
import { ObjectLiteral } from './object-literal.ts'

/** A planned node. */
export interface Node {
  readonly run: Eval
  /** The value, if it is known already; `run` then just returns it. */
  readonly constant?: { readonly value: Value }
  /** For names, selections, indexes and conditionals: the value without the cost of reading it as a whole. */
  readonly attribute?: Attribute
}

/** See {@link Node.attribute}. `cost` is what `run` charges on top: nothing for a conditional and what is selected from it. */
export interface Attribute {
  readonly resolve: Eval
  readonly cost: number
}

/** What planning needs to know, and the slots it hands out. */
export interface Planner {
  readonly checked: Checked
  readonly environment: Environment
  readonly variables: Readonly<Record<string, CelType>>
  /** Slots of declared variables, by name. */
  readonly slots: Map<string, number>
  /** Readers of loop variables and accumulators in scope, innermost last. */
  readonly locals: { readonly name: string; readonly read: Eval }[]
  localCount: number
  plan(expr: Expr): Node
}

/** A program body and how many slots its frames need. */
export interface Plan {
  readonly run: Eval
  readonly variableCount: number
  readonly localCount: number
}

/** Plans a checked tree without issues. Throws {@link PlanError}. */
export function planProgram(
  checked: Checked,
  environment: Environment,
  variables: Readonly<Record<string, CelType>>,
): Plan {
  const planner: Planner = {
    checked,
    environment,
    variables,
    slots: new Map(),
    locals: [],
    localCount: 0,
    plan: (expr) => planNode(planner, expr),
  }
  const { run } = planner.plan(checked.expr)
  return { run, variableCount: planner.slots.size, localCount: planner.localCount }
}

/** A node whose value is known. */
export function constant(value: Value): Node {
  return { run: () => value, constant: { value } }
}

/** A node that computes. */
export function computed(run: Eval): Node {
  return { run }
}

/** A node that reads, charging `cost` for the whole. */
export function attribute(resolve: Eval, cost: number): Node {
  if (cost === 0) return { run: resolve, attribute: { resolve, cost } }
  const run: Eval = (frame) => {
    const value = resolve(frame)
    charge(frame, cost)
    return value
  }
  return { run, attribute: { resolve, cost } }
}

function planNode(planner: Planner, expr: Expr): Node {
  switch (expr.kind) {
    case 'literal':
      return constant(expr.value)
    case 'ident':
      return planName(planner, planner.checked.references.get(expr.id), expr.name)
    case 'select':
      return planSelect(planner, expr)
    case 'call':
      return planCall(planner, expr)
    case 'list':
      return planList(planner, expr)
    case 'map':
      return planMap(planner, expr)
    case 'struct':
      return planStruct(planner, expr)
    case 'fold':
      return planFold(planner, expr)
  }
}

function planName(planner: Planner, reference: Reference | undefined, name: string): Node {
  if (reference?.value !== undefined) return planType(reference.name, reference.value)
  const resolved = reference?.name ?? name
  const local = planner.locals.findLast((candidate) => candidate.name === resolved)
  if (local !== undefined) return attribute(flattening(local.read), 1)
  const slot = planner.slots.get(resolved) ?? planner.slots.size
  planner.slots.set(resolved, slot)
  const read = variable(resolved, planner.variables[resolved] ?? DYN, slot)
  return attribute(flattening(read), 1)
}

function planType(name: string, value: Value): Node {
  if (value instanceof TypeValue && value.name !== name) {
    throw new PlanError(`reference to undefined type: ${name}`)
  }
  return constant(value)
}

/**
 * In cel-go an optional that passes through a name, a branch or the start of a selection is taken apart and made anew, and
 * an optional inside it is lost: optional(optional(1)) comes out as optional(1), optional(none) as optional(null).
 */
function flattening(run: Eval): Eval {
  return (frame) => {
    const value = run(frame)
    return value instanceof OptionalValue && value.value instanceof OptionalValue
      ? new OptionalValue(innermost(value.value) ?? null)
      : value
  }
}

function innermost({ value }: OptionalValue): Value | undefined {
  return value instanceof OptionalValue ? innermost(value) : value
}

/** What qualifiers are applied to: an attribute's value as it is, anything else as computed. */
function base(node: Node): Attribute {
  return node.attribute ?? { resolve: flattening(node.run), cost: 1 }
}

function planSelect(planner: Planner, expr: SelectExpr): Node {
  const reference = planner.checked.references.get(expr.id)
  if (reference !== undefined) return planName(planner, reference, expr.field)
  const { resolve, cost } = base(planner.plan(expr.operand))
  const { field } = expr
  if (!expr.testOnly) {
    return attribute((frame) => {
      const operand = resolve(frame)
      return isError(operand) ? operand : qualify(frame, operand, field, false)
    }, cost)
  }
  // cel-go subtracts what it has just added: in Kubernetes a presence test costs nothing itself.
  return computed((frame) => {
    const operand = resolve(frame)
    const value = isError(operand) ? operand : isPresent(frame, operand, field)
    charge(frame, cost - 1)
    return value
  })
}

function planCall(planner: Planner, expr: CallExpr): Node {
  const reference = planner.checked.references.get(expr.id)
  const name = reference?.name ?? expr.fn
  const target = reference?.namespaced === true ? undefined : expr.target
  const operands = target === undefined ? expr.args : [target, ...expr.args]
  const args = operands.map((operand) => planner.plan(operand))
  const overloads = reference?.overloads ?? []
  switch (name) {
    case OPERATORS.and:
    case OPERATORS.or:
      return planLogic(args, name === OPERATORS.or)
    case OPERATORS.conditional:
      return planConditional(args)
    case OPERATORS.equals:
    case OPERATORS.notEquals:
      return planEquality(args, name === OPERATORS.equals)
    case OPERATORS.index:
      return planIndex(args, false)
    case OPERATORS.optIndex:
    case OPERATORS.optSelect:
      return planIndex(args, true)
    case 'or':
    case 'orValue':
      if (overloads[0]?.startsWith('optional_')) return planOptionalOr(args, name === 'orValue')
      break
    default:
  }
  return planFunction(planner.environment, name, overloads, args)
}

function planConditional(args: readonly Node[]): Node {
  const [condition, whenTrue, whenFalse] = args as [Node, Node, Node]
  const yes = whenTrue.attribute?.resolve ?? flattening(whenTrue.run)
  const no = whenFalse.attribute?.resolve ?? flattening(whenFalse.run)
  return attribute((frame) => {
    const value = condition.run(frame)
    if (value === true) return yes(frame)
    if (value === false) return no(frame)
    return isError(value) ? value : NO_SUCH_OVERLOAD
  }, 0)
}

function planIndex(args: readonly Node[], optional: boolean): Node {
  const [operand, index] = args as [Node, Node]
  const { resolve, cost } = base(operand)
  const bad = index.constant && badKey(index.constant.value)
  if (bad !== undefined) throw new PlanError(bad.message)
  const key = index.constant !== undefined ? index.run : (index.attribute?.resolve ?? index.run)
  return attribute((frame) => {
    const value = resolve(frame)
    if (isError(value)) return value
    const at = key(frame)
    if (isError(at)) {
      if (!optional) charge(frame, 1)
      return at
    }
    return qualify(frame, value, at, optional)
  }, cost)
}

function planList(planner: Planner, expr: ListExpr): Node {
  const elements = expr.elements.map((element) => planner.plan(element))
  const runs = elements.map((element) => element.run)
  const optional = expr.elements.map((_, i) => expr.optional.has(i))
  const make = (frame: Frame): Value => {
    const items: Value[] = []
    for (let i = 0; i < runs.length; i++) {
      const value = (runs[i] as Eval)(frame)
      if (isError(value)) return value
      const item = optional[i] === true ? present(value, notOptionalElement) : value
      if (item === undefined) continue
      if (isError(item)) return item
      items.push(item)
    }
    return new ArrayList(items)
  }
  return made(elements, make, LIST_COST)
}

/** A constant if all parts are; else computed at a fixed cost. */
function made(parts: readonly Node[], make: Eval, cost: number): Node {
  if (cost !== STRUCT_COST && parts.every((part) => part.constant !== undefined)) {
    return constant(make(NO_FRAME))
  }
  return computed((frame) => {
    const value = make(frame)
    charge(frame, cost)
    return value
  })
}

const NO_FRAME: Frame = { cost: 0, limit: Infinity, bindings: {}, variables: [], locals: [] }

/** The value in an optional, undefined if there is none. */
function present(value: Value, otherwise: (value: Value) => EvalError): Value | undefined {
  return value instanceof OptionalValue ? value.value : otherwise(value)
}

function notOptionalElement(value: Value): EvalError {
  return new EvalError(
    `cannot initialize optional list element from non-optional value ${goText(value)}`,
  )
}

function notOptionalEntry(key: string): (value: Value) => EvalError {
  return (value) =>
    new EvalError(
      `cannot initialize optional entry '${key}' from non-optional value ${goText(value)}`,
    )
}

function planMap(planner: Planner, expr: MapExpr): Node {
  const entries = expr.entries.map(({ key, value, optional }) => ({
    key: planner.plan(key),
    value: planner.plan(value),
    optional,
  }))
  const make = (frame: Frame): Value => {
    const map = new EntryMap()
    for (const entry of entries) {
      const key = entry.key.run(frame)
      if (isError(key)) return key
      const value = entry.value.run(frame)
      if (isError(value)) return value
      const item = entry.optional ? present(value, notOptionalEntry(displayText(key))) : value
      if (item === undefined) {
        map.delete(key)
        continue
      }
      if (isError(item)) return item
      map.set(key, item)
    }
    return map
  }
  return made(
    entries.flatMap(({ key, value }) => [key, value]),
    make,
    MAP_COST,
  )
}

function planStruct(planner: Planner, expr: StructExpr): Node {
  const type = planner.checked.types[expr.id]
  if (type?.kind !== 'object') throw new PlanError(`unknown type: ${expr.type}`)
  const fields = expr.fields.map(({ name, value, optional }) => ({
    name,
    value: planner.plan(value),
    optional,
  }))
  const make = (frame: Frame): Value => {
    const values = new Map<string, Value>()
    for (const { name, value, optional } of fields) {
      const result = value.run(frame)
      if (isError(result)) return result
      const item = optional ? present(result, notOptionalEntry(name)) : result
      if (item === undefined) {
        values.delete(name)
        continue
      }
      if (isError(item)) return item
      values.set(name, item)
    }
    return new ObjectLiteral(type, values)
  }
  return made(
    fields.map(({ value }) => value),
    make,
    STRUCT_COST,
  )
}
