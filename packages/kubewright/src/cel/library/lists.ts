/** Lists, version 3: slice, flatten, sort, sortBy, range, reverse, distinct (cel-go's ext/lists.go). */
import { compareValues, isComparable } from '../arithmetic.ts'
import type { Expr } from '../ast.ts'
import { UNUSED_VARIABLE } from '../ast.ts'
import { DYN, listOf } from '../cel-type.ts'
import { sizeOf } from '../cost-actual.ts'
import type { ActualCost, CallCost, CallEstimate, Range, SizedNode } from '../cost-model.ts'
import {
  LIST_COST,
  TRAVERSAL_FACTOR,
  UNBOUNDED,
  add,
  exactly,
  multiply,
  scale,
} from '../cost-model.ts'
import type { Library } from '../declaration.ts'
import { fn, overload } from '../declaration.ts'
import { equalValues } from '../equality.ts'
import { InternalError } from '../frame.ts'
import type { Macro, MacroError } from '../macro.ts'
import { isMacroError } from '../macro.ts'
import { mapMacro } from '../macros.ts'
import { typeNameOf } from '../runtime-type.ts'
import type { ListValue, Value } from '../value.ts'
import { ArrayList, EvalError, isError, isList, listItems } from '../value.ts'

/** The types that have an order, by the name their overloads carry. */
const COMPARABLE: readonly (readonly [name: string, type: string])[] = [
  ['int', 'int'],
  ['uint', 'uint'],
  ['double', 'double'],
  ['bool', 'bool'],
  ['google.protobuf.Duration', 'duration'],
  ['google.protobuf.Timestamp', 'timestamp'],
  ['string', 'string'],
  ['bytes', 'bytes'],
]

function slice(list: ListValue, start: bigint, end: bigint): Value {
  const fail = (why: string): EvalError => new EvalError(`cannot slice(${start}, ${end}), ${why}`)
  if (start < 0n || end < 0n) return fail('negative indexes not supported')
  if (start > end) return fail('start index must be less than or equal to end index')
  if (BigInt(list.size) < end) return fail(`list is length ${list.size}`)
  return new ArrayList(listItems(list).slice(Number(start), Number(end)))
}

function flatten(list: ListValue, depth = 1n): Value {
  if (depth < 0n) return new EvalError('level must be non-negative')
  return new ArrayList(flattened(list, depth))
}

function flattened(list: ListValue, depth: bigint): readonly Value[] {
  if (depth === 0n) return listItems(list)
  return listItems(list).flatMap((item) => (isList(item) ? flattened(item, depth - 1n) : [item]))
}

function sortByKeys(list: ListValue, keys: ListValue): Value {
  if (list.size !== keys.size) {
    return new EvalError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${list.size} and ${keys.size} elements respectively`,
    )
  }
  const sortKeys = listItems(keys)
  const [first] = sortKeys
  if (first === undefined) return list
  if (!isComparable(first)) return new EvalError('list elements must be comparable')
  const type = typeNameOf(first)
  if (sortKeys.some((key) => typeNameOf(key) !== type)) {
    return new EvalError('list elements must have the same type')
  }
  const pairs = listItems(list).map((item, i) => [item, sortKeys[i] as Value] as const)
  const order = (a: Value, b: Value): number => {
    const compared = compareValues(a, b)
    return typeof compared === 'number' ? compared : 0
  }
  return new ArrayList(pairs.toSorted(([, a], [, b]) => order(a, b)).map(([item]) => item))
}

/** The ints from zero up, made when asked for: the cost of a long range stops the evaluation before its memory would. */
class RangeList implements ListValue {
  readonly tag = 'list'
  readonly size: number

  constructor(size: number) {
    this.size = size
  }

  at(index: number): Value {
    return BigInt(index)
  }
}

function range(count: bigint): Value {
  return new RangeList(Math.max(0, Number(count)))
}

function distinct(list: ListValue): Value {
  const unique: Value[] = []
  for (const item of listItems(list)) {
    if (!unique.some((other) => equalValues(item, other) === true)) unique.push(item)
  }
  return new ArrayList(unique)
}

const SORT_INPUT = '@__sortBy_input__'
const SORTABLE: ReadonlySet<Expr['kind']> = new Set(['list', 'select', 'ident', 'fold', 'call'])

/** `list.sortBy(x, key)` is `list.@sortByAssociatedKeys(list.map(x, key))`, with the list computed once. */
const sortBy: Macro = {
  name: 'sortBy',
  arguments: 2,
  receiver: true,
  expand(make, target, args): Expr | MacroError {
    const list = target as Expr
    if (!SORTABLE.has(list.kind)) {
      return {
        at: list,
        message:
          'sortBy can only be applied to a list, identifier, comprehension, call or select expression',
      }
    }
    const keys = mapMacro.expand(make, make.ident(SORT_INPUT), args)
    if (isMacroError(keys)) return keys
    return make.fold({
      range: make.list(),
      iterVar: UNUSED_VARIABLE,
      iterVar2: undefined,
      accuVar: SORT_INPUT,
      accuInit: list,
      condition: make.literal(false),
      step: make.ident(SORT_INPUT),
      result: make.memberCall('@sortByAssociatedKeys', make.ident(SORT_INPUT), keys),
    })
  },
}

// costs

function allocating(factor: number, size: Range): CallEstimate {
  return { cost: add(scale(size, factor), exactly(1 + LIST_COST)), size }
}

/** The value of an integer constant, none below zero; else the fallback. */
function constantOr(node: SizedNode | undefined, fallback: bigint): bigint {
  const expr = node?.expr
  if (expr?.kind !== 'literal' || typeof expr.value !== 'bigint') return fallback
  return expr.value < 0n ? 0n : expr.value
}

const estimateSlice: CallCost = ({ target, args: [start, end], sizeOf: size }) => {
  if (target === undefined) return undefined
  const length = constantOr(end, size(target).max) - constantOr(start, 0n)
  return allocating(1, exactly(BigInt.asUintN(64, length)))
}

const estimateFlatten: CallCost = ({ target, args, sizeOf: size }) => {
  const depth = args.length === 0 ? 1n : constantOr(args[0], UNBOUNDED)
  return target && allocating(Number(depth), size(target))
}

const quadratic =
  (factor: number): CallCost =>
  ({ target, args, sizeOf: size }) => {
    const sorted = args[0] ?? target
    return sorted && allocating(factor, multiply(size(sorted), size(sorted)))
  }

const counted = (factor: number, size: number): number => Math.trunc(size * factor) + 1 + LIST_COST
const byResult: ActualCost = (_args, result) => counted(1, sizeOf(result))
const byFlattening: ActualCost = ([list = null, depth]) => {
  if (depth !== undefined && isError(depth)) throw new InternalError(NOT_AN_INT)
  return counted(typeof depth === 'bigint' ? Number(depth) : 1, sizeOf(list))
}
const NOT_AN_INT = 'interface conversion: ref.Val is *types.Err, not types.Int'

const NOT_A_LIST = 'interface conversion: *types.Err is not traits.Lister: missing method Add'

/** Every element with every other; text costs a little more. */
function selfCompared(value: Value | undefined): number | undefined {
  // cel-go counts the cost of a failed argument, too, and panics on it.
  if (value !== undefined && isError(value)) throw new InternalError(NOT_A_LIST)
  if (value === undefined || !isList(value)) return undefined
  const first = value.size === 0 ? null : value.at(0)
  const isText = typeof first === 'string' || first instanceof Uint8Array
  return counted(isText ? 2 + TRAVERSAL_FACTOR : 2, value.size * value.size)
}

const sortOverloads = COMPARABLE.map(([name, type]) => ({
  sort: {
    ...overload(`list_${name}_sort`, `list<${type}>.(): list<${type}>`, (list: ListValue) =>
      sortByKeys(list, list),
    ),
    runtimeParameters: [listOf(DYN)],
  },
  sortBy: {
    ...overload(
      `list_${name}_sortByAssociatedKeys`,
      `list<T>.(list<${type}>): list<T>`,
      sortByKeys,
    ),
    runtimeParameters: [listOf(DYN), listOf(DYN)],
  },
  factor: type === 'string' || type === 'bytes' ? 2 + TRAVERSAL_FACTOR : 2,
}))

/** See the file. */
export const LISTS: Library = {
  name: 'lists',
  functions: [
    fn('slice', overload('list_slice', 'list<T>.(int, int): list<T>', slice)),
    fn(
      'flatten',
      // A list that is only known when called may hold anything: what is no list stays as it is.
      {
        ...overload('list_flatten', 'list<list<T>>.(): list<T>', flatten),
        runtimeParameters: [listOf(DYN)],
      },
      overload('list_flatten_int', 'list<dyn>.(int): list<dyn>', flatten),
    ),
    fn('sort', ...sortOverloads.map(({ sort }) => sort)),
    fn('@sortByAssociatedKeys', ...sortOverloads.map(({ sortBy: by }) => by)),
    fn('lists.range', overload('lists_range', '(int): list<int>', range)),
    fn(
      'reverse',
      overload(
        'list_reverse',
        'list<T>.(): list<T>',
        (list: ListValue) => new ArrayList(listItems(list).toReversed()),
      ),
    ),
    fn('distinct', overload('list_distinct', 'list<T>.(): list<T>', distinct)),
  ],
  macros: [sortBy],
  callCosts: {
    list_slice: estimateSlice,
    list_flatten: estimateFlatten,
    list_flatten_int: estimateFlatten,
    lists_range: ({ args: [count] }) => allocating(1, exactly(constantOr(count, UNBOUNDED))),
    list_reverse: ({ target, sizeOf: size }) => target && allocating(1, size(target)),
    list_distinct: quadratic(2),
    ...Object.fromEntries(
      sortOverloads.flatMap(({ sort, sortBy: by, factor }) => [
        [sort.id, quadratic(factor)],
        [by.id, quadratic(factor)],
      ]),
    ),
  },
  actualCosts: {
    list_slice: byResult,
    list_flatten: byFlattening,
    list_flatten_int: byFlattening,
    lists_range: byResult,
    list_reverse: byResult,
    list_distinct: ([list]) => selfCompared(list),
    ...Object.fromEntries(
      sortOverloads.flatMap(({ sort, sortBy: by }): [string, ActualCost][] => [
        [sort.id, ([list]) => selfCompared(list)],
        [by.id, ([, keys]) => selfCompared(keys)],
      ]),
    ),
  },
}
