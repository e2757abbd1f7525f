import { DecodeError, DecodeState } from './decode-state.ts'
import { WrittenNumber } from './written-number.ts'

/**
 * Brings an untyped value that is not null into what a decoder of its type takes, as Kubernetes converts maps into structs: what apply
 * merged, and what a strategic patch made (apimachinery/pkg/runtime/converter.go fromUnstructured). Arrays and maps are changed in
 * place. Throws a {@link DecodeError} with the converter's own sentence where a type does not fit.
 */
export type Restore = (value: unknown) => unknown

/** What Go's reflection calls the kind of an untyped value. */
function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'slice'
  if (value instanceof WrittenNumber) return 'float64'
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'boolean':
      return 'bool'
    case 'bigint':
      return 'int64'
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64'
    default:
      return 'map'
  }
}

const BITS: Readonly<Record<string, number>> = { int32: 32, int64: 64, uint8: 8 }

/** Restores a plain Go kind (`string`, `int32` …), perhaps under a name of its own. */
export function restorePlain(kind: string, name: string): Restore {
  const restore = RESTORERS[kind] ?? restoreInteger(kind, name)
  return (value) => {
    const from = kindOf(value)
    if (from === kind) return value
    if (CONVERTIBLE[from]?.includes(kind in BITS ? 'int' : kind)) return restore(value, name)
    throw new DecodeError(`unrecognized type: ${kind}`)
  }
}

/** What Go lets a conversion between plain kinds try. */
const CONVERTIBLE: Readonly<Record<string, readonly string[]>> = {
  int64: ['int', 'float64', 'string'],
  float64: ['int', 'float64'],
}

const RESTORERS: Readonly<Record<string, (value: unknown, name: string) => unknown>> = {
  float64: numberOf,
  string: (_, name) => {
    throw new DecodeError(`cannot convert int64 to ${name}`)
  },
}

function numberOf(value: unknown): number {
  return value instanceof WrittenNumber ? value.value : Number(value)
}

/** An integer that is too large loses its upper bits; a float must be a whole number. */
function restoreInteger(kind: string, name: string): Restore {
  const bits = BITS[kind] ?? 64
  return (value) => {
    const number = typeof value === 'bigint' ? value : numberOf(value)
    if (typeof number === 'number' && !Number.isInteger(number))
      throw new DecodeError(`cannot convert float64 to ${name}`)
    const cut = kind.startsWith('u') ? BigInt.asUintN : BigInt.asIntN
    const kept = cut(bits, BigInt(number))
    return Number.isSafeInteger(Number(kept)) ? Number(kept) : kept
  }
}

/** Restores a list in place. */
export const restoreList =
  (item: Restore): Restore =>
  (value) => {
    if (!Array.isArray(value)) throw new DecodeError(`cannot restore slice from ${kindOf(value)}`)
    for (const [i, it] of value.entries()) if (it !== null) value[i] = item(it)
    return value
  }

/** Restores bytes: base64, or a list of numbers. */
export function restoreBytes(canonical: (text: string) => string, item: Restore): Restore {
  const list = restoreList(item)
  return (value) => {
    if (typeof value !== 'string') return list(value)
    try {
      return canonical(value)
    } catch (error) {
      const why = `error decoding from json: ${(error as Error).message}`
      throw new DecodeError(why, { cause: error })
    }
  }
}

/** Restores a map in place. */
export const restoreMap =
  (member: Restore): Restore =>
  (value) => {
    if (kindOf(value) !== 'map') throw new DecodeError(`cannot restore map from ${kindOf(value)}`)
    restoreMembers(value as Record<string, unknown>, Object.keys(value as object), () => member)
    return value
  }

/** Restores a struct in place, field by field in the order of the Go struct. */
export const restoreStruct =
  (
    fields: () => readonly {
      readonly name: string
      readonly plan: { readonly restore: Restore }
    }[],
  ): Restore =>
  (value) => {
    if (kindOf(value) !== 'map')
      throw new DecodeError(`cannot restore struct from: ${kindOf(value)}`)
    const object = value as Record<string, unknown>
    for (const { name, plan } of fields())
      if (Object.hasOwn(object, name)) restoreMembers(object, [name], () => plan.restore)
    return value
  }

const MEMBER = { enumerable: true, configurable: true, writable: true } as const

function restoreMembers(
  members: Record<string, unknown>,
  names: readonly string[],
  restoreOf: (name: string) => Restore,
): void {
  for (const name of names) {
    const value = members[name]
    if (value === null) continue
    const restored = restoreOf(name)(value)
    // A member called __proto__ cannot be assigned to.
    if (restored !== value) Object.defineProperty(members, name, { ...MEMBER, value: restored })
  }
}

/** Restores a type with a JSON form of its own, whose decoder is given the value as JSON. */
export const restoreByJson =
  (read: (value: unknown, state: DecodeState) => unknown): Restore =>
  (value) => {
    const state = new DecodeState()
    const restored = read(value, state)
    state.finish()
    return restored
  }
