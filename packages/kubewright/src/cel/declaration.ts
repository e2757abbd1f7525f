/**
 * Function declarations: a name, and overloads with typed signatures, an implementation, and what a call costs.
 *
 * Signatures are written as text and parsed once: `'string.(int): string'` is a member function on a string,
 * `'(list<A>, A): bool'` a global one. Single capital letters are type variables; `list<T>`, `map<K, V>`,
 * `optional<T>`, `type<T>`; a name with a dot is a library type and must be known to {@link signature}.
 */
import type { CelType } from './cel-type.ts'
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  NULL,
  STRING,
  TIMESTAMP,
  TYPE,
  UINT,
  listOf,
  mapOf,
  optionalOf,
  typeOfType,
  typeParam,
} from './cel-type.ts'
import type { ActualCost, CallCost } from './cost-model.ts'
import type { Macro } from './macro.ts'
import type { Value } from './value.ts'

/** The implementation of an overload: the target first, if there is one. Arguments have the declared run-time types. */
export type Implementation = (...args: readonly never[]) => Value

/** One signature of a function. */
export interface Overload {
  /** The id, as cel-go and Kubernetes name it; costs are looked up by it. */
  readonly id: string
  readonly member: boolean
  /** The target first, for a member. */
  readonly parameters: readonly CelType[]
  readonly result: CelType
  /** What arguments are tested for when called, where that is less than `parameters` say. */
  readonly runtimeParameters?: readonly CelType[]
  /** The type variables' names. */
  readonly variables: readonly string[]
  /** Absent for what the planner evaluates itself (operators that do not evaluate all their operands). */
  readonly apply?: (...args: readonly Value[]) => Value
}

/** All overloads of one name. */
export interface FunctionDeclaration {
  readonly name: string
  readonly overloads: readonly Overload[]
}

/** A library: what an environment is put together from. */
export interface Library {
  readonly name: string
  readonly functions: readonly FunctionDeclaration[]
  readonly macros?: readonly Macro[]
  /** Names of types that an expression can use as values, such as `net.IP`. */
  readonly types?: readonly CelType[]
  /** Names that check as types and cannot be evaluated, as kube-apiserver has them for what its schemas declare. */
  readonly declaredTypes?: Readonly<Record<string, CelType>>
  /** Estimated and counted costs by overload id, before the general ones. */
  readonly callCosts?: Readonly<Record<string, CallCost>>
  readonly actualCosts?: Readonly<Record<string, ActualCost>>
}

const NAMES: Readonly<Record<string, CelType>> = {
  bool: BOOL,
  bytes: BYTES,
  double: DOUBLE,
  duration: DURATION,
  dyn: DYN,
  int: INT,
  null: NULL,
  string: STRING,
  timestamp: TIMESTAMP,
  type: TYPE,
  uint: UINT,
}

/** Makes overloads whose signatures may name the given library types. */
export function signatures(
  types: Readonly<Record<string, CelType>> = {},
): (id: string, text: string, apply?: Implementation) => Overload {
  return (id, text, apply) => {
    const reader = new SignatureReader(text, types)
    const overload = reader.overload(id)
    return apply === undefined
      ? overload
      : { ...overload, apply: apply as (...args: readonly Value[]) => Value }
  }
}

/** Makes overloads over the language's own types. */
export const overload: (id: string, text: string, apply?: Implementation) => Overload = signatures()

/** A function with its overloads. */
export function fn(name: string, ...overloads: readonly Overload[]): FunctionDeclaration {
  return Object.freeze({ name, overloads: Object.freeze(overloads) })
}

class SignatureReader {
  readonly #words: readonly string[]
  readonly #types: Readonly<Record<string, CelType>>
  readonly #variables = new Set<string>()
  #at = 0

  constructor(text: string, types: Readonly<Record<string, CelType>>) {
    this.#words = text.match(/[A-Za-z_][\w]*(?:\.[A-Za-z_]\w*)*|\.\(|[<>(),:]/g) ?? []
    this.#types = types
  }

  overload(id: string): Overload {
    const member = this.#words[0] !== '('
    const parameters = member ? [this.#type()] : []
    this.#next()
    while (this.#words[this.#at] !== ')') {
      parameters.push(this.#type())
      if (this.#words[this.#at] === ',') this.#next()
    }
    this.#next()
    this.#next()
    const result = this.#type()
    return { id, member, parameters, result, variables: [...this.#variables] }
  }

  #next(): string {
    return this.#words[this.#at++] ?? ''
  }

  #type(): CelType {
    const name = this.#next()
    const parameters: CelType[] = []
    if (this.#words[this.#at] === '<') {
      do {
        this.#next()
        parameters.push(this.#type())
      } while (this.#words[this.#at] === ',')
      this.#next()
    }
    const [first, second] = parameters
    if (name === 'list' && first) return listOf(first)
    if (name === 'map' && first && second) return mapOf(first, second)
    if (name === 'optional' && first) return optionalOf(first)
    if (name === 'type' && first) return typeOfType(first)
    if (/^[A-Z]$/.test(name)) {
      this.#variables.add(name)
      return typeParam(name)
    }
    const type = NAMES[name] ?? this.#types[name]
    if (type === undefined)
      throw new Error(`A signature names the type ${name}, which is not declared.`)
    return type
  }
}
