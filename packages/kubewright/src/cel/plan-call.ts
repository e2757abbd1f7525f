/** Calls of functions: which implementation runs, what it costs, and what is computed ahead. */
import { OPERATORS } from './ast.ts'
import { callCost } from './cost-actual.ts'
import type { Overload } from './declaration.ts'
import type { Environment } from './environment.ts'
import type { Eval } from './frame.ts'
import { charge } from './frame.ts'
import { isNumeric } from './numbers.ts'
import type { Node } from './plan.ts'
import { PlanError } from './plan-error.ts'
import { compilePattern, patternFunction } from './pattern.ts'
import { guardFor, typeNameOf, typeOfValue } from './runtime-type.ts'
import type { Value } from './value.ts'
import { EvalError, NO_SUCH_OVERLOAD, Uint, isError, isList, listItems } from './value.ts'

type Apply = (...args: readonly Value[]) => Value

const CONVERSIONS: ReadonlySet<string> = new Set(
  'bool bytes double duration dyn int string timestamp type uint'.split(' '),
)

/** Plans a call of a declared function. Throws {@link PlanError} where cel-go's program creation fails. */
export function planFunction(
  environment: Environment,
  name: string,
  overloads: readonly string[],
  args: readonly Node[],
): Node {
  const [only] = overloads.length === 1 ? overloads : []
  if (only === 'in_list' && args[1]?.constant !== undefined) {
    const member = planMembership(args[0] as Node, args[1].constant.value)
    if (member !== undefined) return member
  }
  const overload = only ?? ''
  const compiled = precompiled(name, args)
  if (compiled !== undefined) {
    const runs = args.map((argument) => argument.run)
    return planMany(runs, compiled, callCost(environment.actualCosts, name, overload))
  }
  const apply = implementation(environment, name, only, args.length)
  const call = planCall(name, overload, args, apply, environment)
  return CONVERSIONS.has(name) && args.length === 1 ? folded(args[0] as Node, apply, call) : call
}

/** A conversion of a constant is a constant; if it fails, the program cannot be made. */
function folded(argument: Node, apply: Apply, call: Node): Node {
  if (argument.constant === undefined) return call
  const value = apply(argument.constant.value)
  if (isError(value)) throw new PlanError(value.message)
  return { run: () => value, constant: { value } }
}

/** The single overload that was found, or all of the name, chosen by the arguments' types when called. */
function implementation(
  environment: Environment,
  name: string,
  only: string | undefined,
  count: number,
): Apply {
  const all = environment.functions.get(name)?.overloads ?? []
  const candidates = all
    .filter((overload) => overload.parameters.length === count && overload.apply !== undefined)
    .filter((overload) => only === undefined || overload.id === only)
    .map(guarded)
  const [first] = candidates
  if (candidates.length === 1 && first?.guards.every((guard) => guard === undefined))
    return first.apply
  return (...args) => {
    const found = candidates.find((candidate) => matches(candidate.guards, args))
    return found === undefined ? noSuchOverload(name, args) : found.apply(...args)
  }
}

interface Guarded {
  readonly apply: Apply
  readonly guards: readonly (((value: Value) => boolean) | undefined)[]
}

function guarded(overload: Overload): Guarded {
  return {
    apply: overload.apply as Apply,
    guards: (overload.runtimeParameters ?? overload.parameters).map(guardFor),
  }
}

function matches(guards: Guarded['guards'], args: readonly Value[]): boolean {
  for (let i = 0; i < guards.length; i++) {
    const guard = guards[i]
    if (guard !== undefined && !guard(args[i] as Value)) return false
  }
  return true
}

/** Functions whose failure names neither function nor types. */
const BARE: ReadonlySet<string> = new Set([
  OPERATORS.not,
  OPERATORS.in,
  'contains',
  'startsWith',
  'endsWith',
  'matches',
])

const NUMBERS = ['int', 'uint', 'double']
const ORDERED = [...NUMBERS, 'bool', 'bytes', 'string', 'duration', 'timestamp']

/** Functions of values with an ability, and the kinds that have it: what lacks it is told with the function's name. */
const ABILITIES: Readonly<Record<string, readonly string[]>> = {
  [OPERATORS.add]: [...NUMBERS, 'bytes', 'string', 'duration', 'timestamp', 'list'],
  [OPERATORS.subtract]: [...NUMBERS, 'duration', 'timestamp'],
  [OPERATORS.multiply]: NUMBERS,
  [OPERATORS.divide]: NUMBERS,
  [OPERATORS.modulo]: ['int', 'uint'],
  [OPERATORS.negate]: ['int', 'double', 'duration', 'bool'],
  [OPERATORS.less]: ORDERED,
  [OPERATORS.lessEquals]: ORDERED,
  [OPERATORS.greater]: ORDERED,
  [OPERATORS.greaterEquals]: ORDERED,
  size: ['bytes', 'string', 'list', 'map'],
  sort: ['list'],
}
/** Kinds that answer to calls by name, and so fail without one. */
const RECEIVERS = ['string', 'duration', 'timestamp']

function noSuchOverload(name: string, args: readonly Value[]): EvalError {
  const able = ABILITIES[name]
  if (able === undefined) {
    if (BARE.has(name)) return NO_SUCH_OVERLOAD
    return new EvalError(`no such overload: ${name}(${args.map(typeNameOf).join(', ')})`)
  }
  const { kind } = typeOfValue(args[0] ?? null)
  const isBare = able.includes(kind) || RECEIVERS.includes(kind)
  return isBare ? NO_SUCH_OVERLOAD : new EvalError(`no such overload: ${name}`)
}

function planCall(
  name: string,
  overload: string,
  args: readonly Node[],
  apply: Apply,
  environment: Environment,
): Node {
  const runs = args.map((argument) => argument.run)
  const cost = callCost(environment.actualCosts, name, overload)
  const [first, second] = runs as [Eval, Eval]
  switch (runs.length) {
    case 0:
      return { run: (frame) => charged(frame, cost, [], apply()) }
    case 1:
      return name === OPERATORS.notStrictlyFalse
        ? planNotStrictlyFalse(first)
        : planUnary(first, apply, cost)
    case 2:
      return planBinary(first, second, apply, cost)
    default:
      return planMany(runs, apply, cost)
  }
}

type Cost = number | ((args: readonly Value[], result: Value) => number)

function charged(
  frame: Parameters<Eval>[0],
  cost: Cost,
  args: readonly Value[],
  result: Value,
): Value {
  charge(frame, typeof cost === 'number' ? cost : cost(args, result))
  return result
}

function planNotStrictlyFalse(operand: Eval): Node {
  return {
    run(frame) {
      const value = operand(frame)
      charge(frame, 1)
      return typeof value === 'boolean' ? value : true
    },
  }
}

// Calls with one and two arguments are counted even if an argument failed; those with more, and with a compiled pattern, are
// not, since cel-go stops at the first failure there.

function planUnary(operand: Eval, apply: Apply, cost: Cost): Node {
  return {
    run(frame) {
      const value = operand(frame)
      const result = isError(value) ? value : apply(value)
      return charged(frame, cost, typeof cost === 'number' ? NONE : [value], result)
    },
  }
}

function planBinary(left: Eval, right: Eval, apply: Apply, cost: Cost): Node {
  return {
    run(frame) {
      const a = left(frame)
      const b = right(frame)
      const result = isError(a) ? a : isError(b) ? b : apply(a, b)
      return charged(frame, cost, typeof cost === 'number' ? NONE : [a, b], result)
    },
  }
}

function planMany(runs: readonly Eval[], apply: Apply, cost: Cost): Node {
  return {
    run(frame) {
      const args: Value[] = []
      for (const run of runs) {
        const value = run(frame)
        args.push(value)
        if (isError(value)) {
          return args.length === runs.length ? charged(frame, cost, args, value) : value
        }
      }
      return charged(frame, cost, args, apply(...args))
    },
  }
}

const NONE: readonly Value[] = []

/** Membership in a constant list of numbers, strings and bools is a look-up, and free. */
function planMembership(element: Node, list: Value): Node | undefined {
  if (!isList(list)) return undefined
  if (list.size === 0) return { run: () => false, constant: { value: false } }
  const keys = new Set<Value>()
  for (const item of listItems(list)) {
    const key = memberKey(item)
    if (key === undefined) return undefined
    keys.add(key)
  }
  return {
    run(frame) {
      const value = element.run(frame)
      if (isError(value)) return value
      const key = memberKey(value)
      return key !== undefined && keys.has(key)
    },
  }
}

/** Numbers of equal value have one key. */
function memberKey(value: Value): Value | undefined {
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (!isNumeric(value)) return undefined
  if (value instanceof Uint) return value.value
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value
}

/** A constant pattern is compiled ahead; a wrong one stops the program from being made. */
function precompiled(name: string, args: readonly Node[]): Apply | undefined {
  const withPattern = patternFunction(name)
  const pattern = args[1]?.constant?.value
  if (withPattern === undefined || typeof pattern !== 'string') return undefined
  const compiled = compilePattern(pattern)
  if (compiled instanceof EvalError) throw new PlanError(compiled.message)
  return (text, _pattern, limit) =>
    typeof text === 'string' ? withPattern(compiled, text, limit) : NO_SUCH_OVERLOAD
}
