/** Names: the variables in scope, types that are values, and functions, looked up from the container outwards. */
import type { CelType } from './cel-type.ts'
import { runtimeTypeName, typeOfType } from './cel-type.ts'
import type { FunctionDeclaration } from './declaration.ts'
import type { Environment } from './environment.ts'
import type { Value } from './value.ts'
import { TypeValue } from './value.ts'

/** What a name or call refers to. */
export interface Reference {
  /** The variable or type, fully qualified; for a call the function. */
  readonly name: string
  /** The constant a type name stands for. */
  readonly value?: Value
  /** The overloads a call may mean, in declaration order; undefined for names. */
  readonly overloads?: readonly string[]
  /** Whether a call's target is the beginning of the function's name (`a.b.f(x)` where `a.b.f` is the function). */
  readonly namespaced?: boolean
}

/** A name's meaning and type. */
export interface Found {
  readonly reference: Reference
  readonly type: CelType
}

/** The declared variables, and those of the comprehensions around the expression being checked. */
export class Scope {
  readonly #environment: Environment
  readonly #levels: Map<string, CelType>[]

  constructor(environment: Environment, variables: Readonly<Record<string, CelType>>) {
    this.#environment = environment
    this.#levels = [new Map(Object.entries(variables))]
  }

  push(variables: Map<string, CelType>): void {
    this.#levels.push(variables)
  }

  pop(): void {
    this.#levels.pop()
  }

  /** The reference and type of a name, or undefined. */
  lookup(name: string): Found | undefined {
    for (const candidate of this.#candidates(name)) {
      const local = this.#levels.findLast((level) => level.has(candidate))?.get(candidate)
      if (local !== undefined) return { reference: { name: candidate }, type: local }
      const { types, resolveType } = this.#environment
      const type = types.get(candidate) ?? resolveType(candidate)
      if (type !== undefined) return typeReference(candidate, type)
    }
    return undefined
  }

  lookupFunction(name: string): FunctionDeclaration | undefined {
    for (const candidate of this.#candidates(name)) {
      const found = this.#environment.functions.get(candidate)
      if (found !== undefined) return found
    }
    return undefined
  }

  #candidates(name: string): readonly string[] {
    if (name.startsWith('.')) return [name.slice(1)]
    const { container } = this.#environment
    if (container === '') return [name]
    const parts = container.split('.')
    return [...parts.map((_, i) => [...parts.slice(0, parts.length - i), name].join('.')), name]
  }
}

function typeReference(name: string, type: CelType): Found {
  const value = new TypeValue(type, runtimeTypeName(type))
  return { reference: { name, value }, type: typeOfType(type) }
}
