/** Optional values: `optional.of`, `a.?b`, `a[?b]`, `or`, `orValue`, `optMap`, … (cel-go's cel/library.go). */
import type { Expr } from '../ast.ts'
import { OPERATORS, UNUSED_VARIABLE } from '../ast.ts'
import { DYN, optionalOf, typeParam } from '../cel-type.ts'
import type { Library } from '../declaration.ts'
import { fn, overload } from '../declaration.ts'
import type { Macro, MacroError, NodeFactory } from '../macro.ts'
import { displayText } from '../text.ts'
import type { ListValue, Value } from '../value.ts'
import {
  ArrayList,
  Duration,
  EvalError,
  NONE,
  OptionalValue,
  Timestamp,
  Uint,
  isList,
  isMap,
  listItems,
} from '../value.ts'

/** Whether the value is the zero of its type: null, false, 0, nothing in it. */
function isZero(value: Value): boolean {
  switch (typeof value) {
    case 'boolean':
      return !value
    case 'bigint':
      return value === 0n
    case 'number':
      return value === 0
    case 'string':
      return value === ''
    default:
      return value === null || isZeroObject(value)
  }
}

const ZERO_TIME = -62_135_596_800n

function isZeroObject(value: Value & object): boolean {
  if (value instanceof Uint) return value.value === 0n
  if (value instanceof Uint8Array) return value.length === 0
  if (value instanceof Duration) return value.nanos === 0n
  if (value instanceof Timestamp) return value.seconds === ZERO_TIME && value.nanos === 0
  return (isList(value) || isMap(value)) && value.size === 0
}

function unwrap(list: ListValue): Value {
  const items: Value[] = []
  for (const item of listItems(list)) {
    if (!(item instanceof OptionalValue)) {
      return new EvalError(`value ${displayText(item)} is not optional`)
    }
    if (item.value !== undefined) items.push(item.value)
  }
  return new ArrayList(items)
}

/** `target.optMap(x, expr)`: the expression with the value as x, if there is one. */
function optionalMacro(name: string, wrap: (make: NodeFactory, expr: Expr) => Expr): Macro {
  return {
    name,
    arguments: 2,
    receiver: true,
    expand(make, target, args): Expr | MacroError {
      const [variable, expr] = args as [Expr, Expr]
      if (variable.kind !== 'ident') {
        return { at: variable, message: `${name}() variable name must be a simple identifier` }
      }
      const optional = target as Expr
      const bound = make.fold({
        range: make.list(),
        iterVar: UNUSED_VARIABLE,
        iterVar2: undefined,
        accuVar: variable.name,
        accuInit: make.memberCall('value', make.copy(optional)),
        condition: make.literal(false),
        step: make.ident(variable.name),
        result: expr,
      })
      return make.call(
        OPERATORS.conditional,
        make.memberCall('hasValue', optional),
        wrap(make, bound),
        make.call('optional.none'),
      )
    },
  }
}

const first = (list: ListValue): Value => (list.size === 0 ? NONE : new OptionalValue(list.at(0)))
const last = (list: ListValue): Value =>
  list.size === 0 ? NONE : new OptionalValue(list.at(list.size - 1))

/** See the file. */
export const OPTIONALS: Library = {
  name: 'optional',
  functions: [
    fn(
      'optional.of',
      overload('optional_of', '(V): optional<V>', (value: Value) => new OptionalValue(value)),
    ),
    fn(
      'optional.ofNonZeroValue',
      overload('optional_ofNonZeroValue', '(V): optional<V>', (value: Value) =>
        isZero(value) ? NONE : new OptionalValue(value),
      ),
    ),
    fn('optional.none', {
      id: 'optional_none',
      member: false,
      parameters: [],
      result: optionalOf(typeParam('V')),
      variables: ['V'],
      apply: () => NONE,
    }),
    fn(
      'value',
      overload(
        'optional_value',
        'optional<V>.(): V',
        ({ value }: OptionalValue) => value ?? noValue(value),
      ),
    ),
    fn(
      'hasValue',
      overload(
        'optional_hasValue',
        'optional<V>.(): bool',
        ({ value }: OptionalValue) => value !== undefined,
      ),
    ),
    fn('or', overload('optional_or_optional', 'optional<V>.(optional<V>): optional<V>')),
    fn('orValue', overload('optional_orValue_value', 'optional<V>.(V): V')),
    fn(OPERATORS.optSelect, overload('select_optional_field', '(dyn, string): optional<V>')),
    fn(
      OPERATORS.optIndex,
      overload('list_optindex_optional_int', '(list<V>, int): optional<V>'),
      overload('optional_list_optindex_optional_int', '(optional<list<V>>, int): optional<V>'),
      overload('map_optindex_optional_value', '(map<K, V>, K): optional<V>'),
      overload('optional_map_optindex_optional_value', '(optional<map<K, V>>, K): optional<V>'),
    ),
    fn(
      OPERATORS.index,
      overload('optional_list_index_int', '(optional<list<V>>, int): optional<V>'),
      overload('optional_map_index_value', '(optional<map<K, V>>, K): optional<V>'),
    ),
    fn('first', overload('list_first', 'list<V>.(): optional<V>', first)),
    fn('last', overload('list_last', 'list<V>.(): optional<V>', last)),
    fn('optional.unwrap', overload('optional_unwrap', '(list<optional<V>>): list<V>', unwrap)),
    fn('unwrapOpt', overload('optional_unwrapOpt', 'list<optional<V>>.(): list<V>', unwrap)),
  ],
  macros: [
    optionalMacro('optMap', (make, expr) => make.call('optional.of', expr)),
    optionalMacro('optFlatMap', (_make, expr) => expr),
  ],
  types: [optionalOf(DYN)],
}

/** Null is a value like any other; only undefined is none. */
function noValue(value: null | undefined): Value {
  return value === null ? null : new EvalError('optional.none() dereference')
}
