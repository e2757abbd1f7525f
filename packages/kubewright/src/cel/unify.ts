/** Assignability and type variables (cel-go's checker/types.go and mapping.go). */
import type { CelType, TypeParam } from './cel-type.ts'
import {
  DYN,
  isOptionalType,
  listOf,
  mapOf,
  opaqueType,
  parametersOf,
  sameType,
  typeOfType,
} from './cel-type.ts'

/** What type variables stand for, by the variable's name. Attempts that fail are taken back, so nothing is ever copied. */
export class Substitution {
  readonly #types = new Map<string, CelType>()
  readonly #trail: (readonly [name: string, before: CelType | undefined])[] = []

  get(name: string): CelType | undefined {
    return this.#types.get(name)
  }

  set(name: string, type: CelType): void {
    this.#trail.push([name, this.#types.get(name)])
    this.#types.set(name, type)
  }

  /** Runs an attempt; if it fails, what it learned is forgotten. */
  attempt(run: () => boolean): boolean {
    const start = this.#trail.length
    if (run()) return true
    while (this.#trail.length > start) {
      const [name, before] = this.#trail.pop() as readonly [string, CelType | undefined]
      if (before === undefined) this.#types.delete(name)
      else this.#types.set(name, before)
    }
    return false
  }
}

/** Whether the type is dyn or any. */
export function isDyn(type: CelType): boolean {
  return type.kind === 'dyn' || type.kind === 'any'
}

/** Whether the type says nothing that could be wrong. */
export function isDynOrError(type: CelType): boolean {
  return type.kind === 'error' || isDyn(type)
}

/** The type inside an optional, and whether there was one. */
export function unwrapOptional(type: CelType): readonly [CelType, boolean] {
  return isOptionalType(type) ? [type.parameters[0] ?? DYN, true] : [type, false]
}

/** Whether every type of `a` is assignable to its counterpart in `b`; if so the substitution knows what makes it so. */
export function assignAll(
  substitution: Substitution,
  a: readonly CelType[],
  b: readonly CelType[],
): boolean {
  return substitution.attempt(() => areAssignable(substitution, a, b))
}

/** Of two types that fit, the one that says less. */
export function mostGeneral(a: CelType, b: CelType): CelType {
  return isEqualOrLessSpecific(a, b) ? a : b
}

/** The type with its variables replaced; free ones become dyn if `freeToDyn`. */
export function substitute(substitution: Substitution, type: CelType, freeToDyn: boolean): CelType {
  if (type.kind === 'typeParam') {
    const found = substitution.get(type.name)
    if (found !== undefined) return substitute(substitution, found, freeToDyn)
  }
  const inner = (t: CelType): CelType => substitute(substitution, t, freeToDyn)
  switch (type.kind) {
    case 'typeParam':
      return freeToDyn ? DYN : type
    case 'opaque':
      return type.parameters.length === 0
        ? type
        : opaqueType(type.name, ...type.parameters.map(inner))
    case 'list': {
      const element = inner(type.element)
      return element === type.element ? type : listOf(element)
    }
    case 'map': {
      const key = inner(type.key)
      const value = inner(type.value)
      return key === type.key && value === type.value ? type : mapOf(key, value)
    }
    case 'type':
      return type.of === undefined ? type : typeOfType(inner(type.of))
    default:
      return type
  }
}

function areAssignable(
  substitution: Substitution,
  a: readonly CelType[],
  b: readonly CelType[],
): boolean {
  return (
    a.length === b.length && a.every((type, i) => isAssignable(substitution, type, b[i] as CelType))
  )
}

/** Writes what it learns about variables into the substitution, also when the answer is no: see `attempt`. */
function isAssignable(substitution: Substitution, a: CelType, b: CelType): boolean {
  if (b.kind === 'typeParam') {
    const { valid, bound } = bind(substitution, a, b)
    if (valid) return true
    if (bound) return false
  }
  if (a.kind === 'typeParam') return bind(substitution, b, a).valid
  if (isDynOrError(a) || isDynOrError(b)) return true
  if (a.kind === 'null') return acceptsNull(b)
  if (b.kind === 'null') return acceptsNull(a)
  switch (a.kind) {
    case 'type':
      return b.kind === 'type'
    case 'opaque':
    case 'list':
    case 'map':
      return (
        a.kind === b.kind &&
        (a.kind !== 'opaque' || (b.kind === 'opaque' && a.name === b.name)) &&
        areAssignable(substitution, parametersOf(a), parametersOf(b))
      )
    case 'wrapper':
      return unwrapped(b).kind === a.of.kind
    default:
      return b.kind === 'wrapper' ? b.of.kind === a.kind : sameType(a, b)
  }
}

function unwrapped(type: CelType): CelType {
  return type.kind === 'wrapper' ? type.of : type
}

function acceptsNull(type: CelType): boolean {
  switch (type.kind) {
    case 'null':
    case 'wrapper':
    case 'opaque':
    case 'object':
    case 'any':
    case 'duration':
    case 'timestamp':
      return true
    default:
      return false
  }
}

/** Whether the variable can stand for the type; `bound` says that it already stood for something. */
function bind(
  substitution: Substitution,
  type: CelType,
  variable: TypeParam,
): { readonly valid: boolean; readonly bound: boolean } {
  if (sameType(type, variable)) return { valid: true, bound: true }
  const key = variable.name
  const current = substitution.get(key)
  if (current !== undefined) {
    if (sameType(type, current)) return { valid: true, bound: true }
    if (!isAssignable(substitution, type, current)) return { valid: false, bound: true }
    const general = mostGeneral(type, current)
    if (isFreeOf(substitution, variable, general)) substitution.set(key, general)
    return { valid: true, bound: true }
  }
  if (!isFreeOf(substitution, variable, type)) return { valid: false, bound: false }
  substitution.set(key, type)
  return { valid: true, bound: false }
}

/** Whether the variable does not occur in the type: else a substitution would be infinite. */
function isFreeOf(substitution: Substitution, variable: CelType, type: CelType): boolean {
  if (sameType(variable, type)) return false
  if (type.kind === 'typeParam') {
    const found = substitution.get(type.name)
    return found === undefined || isFreeOf(substitution, variable, found)
  }
  return parametersOf(type).every((parameter) => isFreeOf(substitution, variable, parameter))
}

function isEqualOrLessSpecific(a: CelType, b: CelType): boolean {
  if (isDyn(a) || a.kind === 'typeParam') return true
  if (isDyn(b) || b.kind === 'typeParam' || unwrapped(a).kind !== unwrapped(b).kind) return false
  switch (a.kind) {
    case 'opaque':
    case 'list':
    case 'map': {
      const [x, y] = [parametersOf(a), parametersOf(b)]
      const sameName = a.kind !== 'opaque' || (b.kind === 'opaque' && a.name === b.name)
      return (
        sameName &&
        x.length === y.length &&
        x.every((t, i) => isEqualOrLessSpecific(t, y[i] as CelType))
      )
    }
    case 'type':
      return true
    default:
      return a.kind === 'wrapper' || b.kind === 'wrapper' ? a.kind === b.kind : sameType(a, b)
  }
}
