/** An environment: the functions, macros, types and rules that a source is compiled under. Immutable; make it once. */
import type { CelType } from './cel-type.ts'
import type { ActualCost, CallCost } from './cost-model.ts'
import type { FunctionDeclaration, Library, Overload } from './declaration.ts'
import type { Macro } from './macro.ts'
import { macroKey } from './macro.ts'

/** What {@link createEnvironment} takes. */
export interface EnvironmentOptions {
  readonly libraries: readonly Library[]
  /** Whether all elements of a list or map literal must have one type, except as arguments of format. Default true, as in Kubernetes. */
  readonly homogeneousLiterals?: boolean
  /** Whether constant durations, timestamps, patterns and format strings are checked at compile time. Default true. */
  readonly validateLiterals?: boolean
  /** The namespace in which names are looked up first. Default none. */
  readonly container?: string
  /** Finds an object type that an expression constructs, as in `Object.spec{…}`. Default: none. */
  readonly resolveType?: (name: string) => CelType | undefined
}

/** See {@link createEnvironment}. */
export interface Environment {
  readonly functions: ReadonlyMap<string, FunctionDeclaration>
  readonly macros: ReadonlyMap<string, Macro>
  /** The types that are values by name, such as `int`. */
  readonly types: ReadonlyMap<string, CelType>
  readonly callCosts: ReadonlyMap<string, CallCost>
  readonly actualCosts: ReadonlyMap<string, ActualCost>
  readonly homogeneousLiterals: boolean
  readonly validateLiterals: boolean
  readonly container: string
  readonly resolveType: (name: string) => CelType | undefined
}

/** Puts libraries together; functions of one name add up their overloads in library order. */
export function createEnvironment(options: EnvironmentOptions): Environment {
  const { libraries } = options
  return Object.freeze({
    functions: mergeFunctions(libraries),
    macros: new Map(
      libraries
        .flatMap((library) => library.macros ?? [])
        .map((macro) => [macroKey(macro.name, macro.arguments, macro.receiver), macro]),
    ),
    types: new Map([
      ...libraries.flatMap(({ declaredTypes }) => Object.entries(declaredTypes ?? {})),
      ...libraries
        .flatMap((library) => library.types ?? [])
        .map((type): [string, CelType] => [typeIdentifier(type), type]),
    ]),
    callCosts: new Map(libraries.flatMap((library) => Object.entries(library.callCosts ?? {}))),
    actualCosts: new Map(libraries.flatMap((library) => Object.entries(library.actualCosts ?? {}))),
    homogeneousLiterals: options.homogeneousLiterals ?? true,
    validateLiterals: options.validateLiterals ?? true,
    container: options.container ?? '',
    resolveType: options.resolveType ?? ((): undefined => undefined),
  })
}

/** The same environment with other rules or more libraries. */
export function extendEnvironment(
  base: Environment,
  changes: Partial<
    Pick<Environment, 'homogeneousLiterals' | 'validateLiterals' | 'container' | 'resolveType'>
  >,
): Environment {
  return Object.freeze({ ...base, ...changes })
}

function mergeFunctions(libraries: readonly Library[]): ReadonlyMap<string, FunctionDeclaration> {
  const merged = new Map<string, Overload[]>()
  for (const { name, overloads } of libraries.flatMap((library) => library.functions)) {
    const all = merged.get(name) ?? []
    const known = new Set(all.map((overload) => overload.id))
    all.push(...overloads.filter((overload) => !known.has(overload.id)))
    merged.set(name, all)
  }
  return new Map(Array.from(merged, ([name, overloads]) => [name, { name, overloads }]))
}

function typeIdentifier(type: CelType): string {
  switch (type.kind) {
    case 'null':
      return 'null_type'
    case 'timestamp':
      return 'google.protobuf.Timestamp'
    case 'duration':
      return 'google.protobuf.Duration'
    case 'object':
    case 'opaque':
      return type.name
    default:
      return type.kind
  }
}
