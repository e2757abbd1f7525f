import type { DecodeState } from './decode-state.ts'
import { jsonTypeOf } from './decode-state.ts'
import { type Restore, restoreList, restoreMap, restorePlain } from './restore.ts'
import { WrittenNumber } from './written-number.ts'

/** How values of one Go type are read from JSON and written back. */
export interface Plan {
  /** The type as Go prints it: `int32`, `v1.PodSpec`, `map[string]string`. */
  readonly name: string
  /** Reads a value that is not null; the result is what Go would write. Arrays and maps are taken over and changed in place. */
  readonly read: (value: unknown, state: DecodeState) => unknown
  /** What comes before `read` where the value was a map or what apply merged, not JSON. */
  readonly restore: Restore
  /** What Go writes for a value that was never set, or was null. */
  readonly zero: () => unknown
  /** Whether `omitempty` leaves a written value out; {@link never} for structs, which Go does not think empty. */
  readonly isEmpty: (value: unknown) => boolean
}

/** For types that `omitempty` never leaves out. */
export const never = (): boolean => false

const isNull = (value: unknown): boolean => value === null

function plain<T>(kind: string, name: string, type: string, zero: T): Plan {
  return {
    name,
    zero: () => zero,
    isEmpty: (value) => value === zero,
    restore: restorePlain(kind, name),
    read: (value, state) => {
      if (typeof value === type) return value
      state.mismatch(jsonTypeOf(value), name)
      return zero
    },
  }
}

const LIMITS: Readonly<Record<string, readonly [number, number]>> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  // As numbers: what lies between comes as bigints.
  int64: [-(2 ** 63), 2 ** 63 - 1024],
  uint8: [0, 255],
}

/** Whether a value is an integer of a Go kind, and what to say where it is not. */
export function integerProblem(value: unknown, kind: string): string | undefined {
  const [min, max] = LIMITS[kind]!
  // Bigints are integers that a number cannot hold, and 64 bits can.
  if (typeof value === 'bigint') return kind === 'int64' ? undefined : `number ${value}`
  if (value instanceof WrittenNumber) return `number ${value.source}`
  if (typeof value !== 'number') return jsonTypeOf(value)
  return Number.isInteger(value) && value >= min && value <= max ? undefined : `number ${value}`
}

function integer(name: string, kind: string): Plan {
  return {
    name,
    zero: () => 0,
    isEmpty: (value) => value === 0,
    restore: restorePlain(kind, name),
    read: (value, state) => {
      const problem = integerProblem(value, kind)
      if (problem === undefined) return value
      state.mismatch(problem, name)
      return 0
    },
  }
}

function float(name: string): Plan {
  const number = plain('float64', name, 'number', 0)
  return {
    ...number,
    read: (value, state) => number.read(asNumber(value), state),
  }
}

function asNumber(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  return value instanceof WrittenNumber ? value.value : value
}

/** The plan of a plain Go kind (`string`, `bool`, `float64`, `int32` …), perhaps under a name of its own; undefined for others. */
export function plainPlan(kind: string, name: string): Plan | undefined {
  if (kind === 'string') return plain(kind, name, 'string', '')
  if (kind === 'bool') return plain(kind, name, 'boolean', false)
  if (kind === 'float64') return float(name)
  return kind in LIMITS ? integer(name, kind) : undefined
}

/** The plan of a pointer: null where it was never set, and empty only then. */
export function pointerPlan(to: Plan): Plan {
  return {
    name: `*${to.name}`,
    zero: () => null,
    isEmpty: isNull,
    restore: to.restore,
    read: to.read,
  }
}

/** The plan of a slice. */
export function listPlan(item: Plan, name: string): Plan {
  return {
    name,
    zero: () => null,
    isEmpty: (value) => value === null || (value as unknown[]).length === 0,
    restore: restoreList((it) => item.restore(it)),
    read: (value, state) => {
      if (Array.isArray(value)) return readItems(value, item, state)
      state.mismatch(jsonTypeOf(value), name)
      return null
    },
  }
}

/** Reads the items of an array in place. */
export function readItems(items: unknown[], plan: Plan, state: DecodeState): unknown[] {
  for (let i = 0; i < items.length; i++) {
    state.path.push(i)
    items[i] = items[i] === null ? plan.zero() : plan.read(items[i], state)
    state.path.pop()
  }
  return items
}

/** The plan of a map with string keys. */
export function mapPlan(value: Plan, name: string): Plan {
  return {
    name,
    zero: () => null,
    isEmpty: (it) => it === null || Object.keys(it as object).length === 0,
    restore: restoreMap((it) => value.restore(it)),
    read: (it, state) => {
      if (isObject(it)) return readMembers(it, value, state)
      state.mismatch(jsonTypeOf(it), name)
      return null
    },
  }
}

const MEMBER = { enumerable: true, configurable: true, writable: true } as const

function readMembers(members: Record<string, unknown>, plan: Plan, state: DecodeState): unknown {
  const keys = Object.keys(members)
  for (const key of keys) {
    state.path.push(key)
    const value = members[key]
    const read = value === null ? plan.zero() : plan.read(value, state)
    // A member called __proto__ cannot be assigned to.
    if (read !== value) Object.defineProperty(members, key, { ...MEMBER, value: read })
    state.path.pop()
  }
  return isSorted(keys) ? members : sorted(members, keys)
}

const isSorted = (keys: readonly string[]): boolean =>
  keys.every((key, index) => index === 0 || keys[index - 1]! < key)

/** Go writes maps by key. */
function sorted(members: Readonly<Record<string, unknown>>, keys: readonly string[]): unknown {
  return Object.fromEntries(keys.toSorted().map((key) => [key, members[key]]))
}

/** Whether a JSON value is an object. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof WrittenNumber)
