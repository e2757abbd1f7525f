/** Comprehensions over index and element, or key and value (cel-go's ext/comprehensions.go). */
import type { Expr } from '../ast.ts'
import { ACCUMULATOR } from '../ast.ts'
import type { Library } from '../declaration.ts'
import { fn, overload } from '../declaration.ts'
import type { Macro, MacroError, NodeFactory } from '../macro.ts'
import { iterationVariable } from '../macro.ts'
import { allParts, collectParts, existsOneParts, existsParts, onlyIf } from '../macros.ts'
import { displayText } from '../text.ts'
import type { EntryMap, MapValue, Value } from '../value.ts'
import { EvalError, isError } from '../value.ts'

type Parts = ReturnType<typeof allParts>
type MakeParts = (make: NodeFactory, args: readonly Expr[], key: string) => Parts

function macro(name: string, argumentCount: number, parts: MakeParts): Macro {
  return {
    name,
    arguments: argumentCount,
    receiver: true,
    expand(make, target, args): Expr | MacroError {
      const iterVar = iterationVariable(args[0])
      if (typeof iterVar !== 'string') return iterVar
      const iterVar2 = iterationVariable(args[1])
      if (typeof iterVar2 !== 'string') return iterVar2
      if (iterVar === iterVar2) {
        return { at: args[1] as Expr, message: `duplicate variable name: ${iterVar}` }
      }
      return make.fold({
        range: target as Expr,
        iterVar,
        iterVar2,
        accuVar: ACCUMULATOR,
        ...parts(make, args, iterVar),
      })
    },
  }
}

const last = (args: readonly Expr[]): Expr => args[args.length - 1] as Expr
/** The filter, where the macro is called with one. */
const filterOf = (args: readonly Expr[]): Expr | undefined =>
  args.length === 4 ? args[2] : undefined

function mapParts(make: NodeFactory, filter: Expr | undefined, insert: Expr): Parts {
  return {
    accuInit: make.map(),
    condition: make.literal(true),
    step: onlyIf(make, filter, insert),
    result: make.ident(ACCUMULATOR),
  }
}

const transformMap: MakeParts = (make, args, key) =>
  mapParts(
    make,
    filterOf(args),
    make.call(INSERT, make.ident(ACCUMULATOR), make.ident(key), last(args)),
  )
const transformMapEntry: MakeParts = (make, args) =>
  mapParts(make, filterOf(args), make.call(INSERT, make.ident(ACCUMULATOR), last(args)))
const transformList: MakeParts = (make, args) => collectParts(make, last(args), filterOf(args))

const INSERT = 'cel.@mapInsert'

/** Adds an entry to the map that the comprehension is building, which nothing else sees yet. */
function insert(map: EntryMap, key: Value, value: Value): Value {
  if (map.find(key) !== undefined) {
    return new EvalError(`insert failed: key ${displayText(key)} already exists`)
  }
  map.set(key, value)
  return map
}

function insertAll(map: EntryMap, entries: MapValue): Value {
  for (const key of entries.keys()) {
    const result = insert(map, key, entries.find(key) ?? null)
    if (isError(result)) return result
  }
  return map
}

/** See the file. */
export const TWO_VARIABLE: Library = {
  name: 'comprehensions',
  functions: [
    fn(
      INSERT,
      overload('@mapInsert_map_key_value', '(map<K, V>, K, V): map<K, V>', insert),
      overload('@mapInsert_map_map', '(map<K, V>, map<K, V>): map<K, V>', insertAll),
    ),
  ],
  macros: [
    macro('all', 3, (make, args) => allParts(make, last(args))),
    macro('exists', 3, (make, args) => existsParts(make, last(args))),
    macro('existsOne', 3, (make, args) => existsOneParts(make, last(args))),
    macro('exists_one', 3, (make, args) => existsOneParts(make, last(args))),
    macro('transformList', 3, transformList),
    macro('transformList', 4, transformList),
    macro('transformMap', 3, transformMap),
    macro('transformMap', 4, transformMap),
    macro('transformMapEntry', 3, transformMapEntry),
    macro('transformMapEntry', 4, transformMapEntry),
  ],
}
