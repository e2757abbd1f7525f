/** The macros of the standard library: has, all, exists, exists_one, map, filter (cel-go's parser/macro.go). */
import type { Expr } from './ast.ts'
import { ACCUMULATOR, OPERATORS } from './ast.ts'
import type { Macro, MacroError, NodeFactory } from './macro.ts'
import { iterationVariable } from './macro.ts'

/** The parts of a fold that distinguish one macro from another. */
interface FoldParts {
  readonly accuInit: Expr
  readonly condition: Expr
  readonly step: Expr
  readonly result: Expr
}

type Predicate = Expr

const accumulator = (make: NodeFactory): Expr => make.ident(ACCUMULATOR)

/** `all`: true until a step is false. */
export function allParts(make: NodeFactory, predicate: Predicate): FoldParts {
  return {
    accuInit: make.literal(true),
    condition: make.call(OPERATORS.notStrictlyFalse, accumulator(make)),
    step: make.call(OPERATORS.and, accumulator(make), predicate),
    result: accumulator(make),
  }
}

/** `exists`: false until a step is true. */
export function existsParts(make: NodeFactory, predicate: Predicate): FoldParts {
  return {
    accuInit: make.literal(false),
    condition: make.call(OPERATORS.notStrictlyFalse, make.call(OPERATORS.not, accumulator(make))),
    step: make.call(OPERATORS.or, accumulator(make), predicate),
    result: accumulator(make),
  }
}

/** `exists_one`: counts, without an early end. */
export function existsOneParts(make: NodeFactory, predicate: Predicate): FoldParts {
  const plusOne = make.call(OPERATORS.add, accumulator(make), make.literal(1n))
  return {
    accuInit: make.literal(0n),
    condition: make.literal(true),
    step: make.call(OPERATORS.conditional, predicate, plusOne, accumulator(make)),
    result: make.call(OPERATORS.equals, accumulator(make), make.literal(1n)),
  }
}

/** A list that grows by one transformed element a step, if the filter (where there is one) lets it. */
export function collectParts(
  make: NodeFactory,
  transform: Expr,
  filter: Expr | undefined,
): FoldParts {
  const added = make.call(OPERATORS.add, accumulator(make), make.list(transform))
  return {
    accuInit: make.list(),
    condition: make.literal(true),
    step: onlyIf(make, filter, added),
    result: accumulator(make),
  }
}

/** The step where the filter holds, else the accumulator as it is. */
export function onlyIf(make: NodeFactory, filter: Expr | undefined, step: Expr): Expr {
  return filter === undefined
    ? step
    : make.call(OPERATORS.conditional, filter, step, accumulator(make))
}

function foldMacro(
  name: string,
  argumentCount: number,
  parts: (make: NodeFactory, args: readonly Expr[]) => FoldParts,
  notAName?: string,
): Macro {
  return {
    name,
    arguments: argumentCount,
    receiver: true,
    expand(make, target, args): Expr | MacroError {
      const iterVar = iterationVariable(args[0], notAName)
      if (typeof iterVar !== 'string') return iterVar
      return make.fold({
        range: target as Expr,
        iterVar,
        iterVar2: undefined,
        accuVar: ACCUMULATOR,
        ...parts(make, args),
      })
    },
  }
}

const has: Macro = {
  name: 'has',
  arguments: 1,
  receiver: false,
  expand(make, _target, [argument]): Expr | MacroError {
    const at = argument as Expr
    if (at.kind !== 'select' || at.testOnly) {
      return { at, message: 'invalid argument to has() macro' }
    }
    return make.presenceTest(at.operand, at.field)
  },
}

const NOT_IDENTIFIER = 'argument is not an identifier'
const last = (args: readonly Expr[]): Expr => args[args.length - 1] as Expr

/** `list.map(x, …)`; also what sortBy is built on. */
export const mapMacro: Macro = foldMacro(
  'map',
  2,
  (make, args) => collectParts(make, last(args), undefined),
  NOT_IDENTIFIER,
)

/** Every macro of the standard library. */
export const STANDARD_MACROS: readonly Macro[] = Object.freeze([
  has,
  foldMacro('all', 2, (make, args) => allParts(make, last(args))),
  foldMacro('exists', 2, (make, args) => existsParts(make, last(args))),
  foldMacro('exists_one', 2, (make, args) => existsOneParts(make, last(args))),
  foldMacro('existsOne', 2, (make, args) => existsOneParts(make, last(args))),
  mapMacro,
  foldMacro('map', 3, (make, args) => collectParts(make, last(args), args[1]), NOT_IDENTIFIER),
  foldMacro(
    'filter',
    2,
    (make, args) => collectParts(make, args[0] as Expr, args[1]),
    NOT_IDENTIFIER,
  ),
])
