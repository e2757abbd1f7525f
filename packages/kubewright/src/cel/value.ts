/**
 * The values an expression works with. Scalars are JavaScript's own (null, boolean, string, number for double, bigint
 * for int, Uint8Array for bytes); everything else is an object with a `tag`.
 */
import type { CelType, ObjectType } from './cel-type.ts'

/** Every value of the language, errors included: an error is a value inside an evaluation. */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | TypeValue
  | OptionalValue
  | ListValue
  | MapValue
  | OpaqueValue
  | EvalError

/** A failure of one step, with cel-go's wording. Passed along, and absorbed by `||`, `&&` and the quantifiers. */
export class EvalError {
  readonly tag = 'error'
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

/** The error of an operation that no overload covers. */
export const NO_SUCH_OVERLOAD: EvalError = new EvalError('no such overload')

/** Whether the value is an error. */
export function isError(value: Value): value is EvalError {
  return typeof value === 'object' && value instanceof EvalError
}

/** A uint: an integer between 0 and 2^64-1. */
export class Uint {
  readonly tag = 'uint'
  readonly value: bigint

  constructor(value: bigint) {
    this.value = value
  }
}

/**
 * A point in time: whole seconds since 1970 (negative before it) and 0 to 999,999,999 nanoseconds after them. The offset it
 * was written with is kept for writing it again; it plays no part in comparisons.
 */
export class Timestamp {
  readonly tag = 'timestamp'
  readonly seconds: bigint
  readonly nanos: number
  /** Minutes east of UTC. */
  readonly offset: number

  constructor(seconds: bigint, nanos: number, offset = 0) {
    this.seconds = seconds
    this.nanos = nanos
    this.offset = offset
  }
}

/** A span of time in nanoseconds, within 64 bits (about 292 years either way). */
export class Duration {
  readonly tag = 'duration'
  readonly nanos: bigint

  constructor(nanos: bigint) {
    this.nanos = nanos
  }

  /** Whole seconds, rounded toward zero. */
  get seconds(): bigint {
    return this.nanos / 1_000_000_000n
  }
}

/** A type used as a value, as in `type(x) == int`. */
export class TypeValue {
  readonly tag = 'type'
  readonly type: CelType
  /** The run-time name: `int`, `list`, `google.protobuf.Timestamp`. Two type values are equal when their names are. */
  readonly name: string

  constructor(type: CelType, name: string) {
    this.type = type
    this.name = name
  }
}

/** A value that may be absent. */
export class OptionalValue {
  readonly tag = 'optional'
  /** Undefined for `optional.none()`. */
  readonly value: Value | undefined

  constructor(value: Value | undefined) {
    this.value = value
  }
}

/** `optional.none()`. */
export const NONE: OptionalValue = new OptionalValue(undefined)

/** A list. Elements are made on access; `at` is only called with 0 ≤ index < size. */
export interface ListValue {
  readonly tag: 'list'
  readonly size: number
  at(index: number): Value
  /** A JSON array behind the list, if there is one: for output without a walk. */
  readonly json?: readonly unknown[]
  /** Equality and `+` of lists declared as sets or maps; undefined for plain lists. */
  readonly merge?: ListMerge | undefined
}

/** How a list declared with x-kubernetes-list-type set or map compares and adds. */
export interface ListMerge {
  equals(list: ListValue, other: ListValue): boolean | EvalError
  add(list: ListValue, other: ListValue): Value
}

/** A map, or an object read as a map of its fields. */
export interface MapValue {
  readonly tag: 'map'
  readonly size: number
  /** The value at a key, undefined if there is none, an error if the key cannot be one. */
  find(key: Value): Value | undefined
  /** The keys, in insertion order. */
  keys(): readonly Value[]
  /** Equality of JSON objects, which may hold properties that no expression sees. */
  equals?(other: MapValue): boolean | EvalError
  /** Set for an object constructed in the expression (`Object{…}`): its declared type. */
  readonly objectType?: ObjectType
}

/** A value of a library type, such as a quantity, compared by `equals`. */
export interface OpaqueValue {
  readonly tag: 'opaque'
  readonly type: CelType
  equals(other: Value): boolean
  /** What `string(x)` gives, for types that have it. */
  toString(): string
}

/** A list over values already made. */
export class ArrayList implements ListValue {
  readonly tag = 'list'
  readonly items: readonly Value[]

  constructor(items: readonly Value[]) {
    this.items = items
  }

  get size(): number {
    return this.items.length
  }

  at(index: number): Value {
    return this.items[index] as Value
  }
}

/** The list a comprehension builds: `+` on it appends in place, since nothing else can see it yet. */
export class GrowingList implements ListValue {
  readonly tag = 'list'
  readonly items: Value[] = []

  get size(): number {
    return this.items.length
  }

  at(index: number): Value {
    return this.items[index] as Value
  }
}

/** The elements of a list, each made once. */
export function listItems(list: ListValue): readonly Value[] {
  if (list instanceof ArrayList || list instanceof GrowingList) return list.items
  return Array.from({ length: list.size }, (_, i) => list.at(i))
}

/**
 * A map over entries. Keys that are equal as numbers are one key, whether int, uint or a whole double.
 * `set` is for the code that builds the map only.
 */
export class EntryMap implements MapValue {
  readonly tag = 'map'
  readonly #entries = new Map<NormalKey, { readonly key: Value; readonly value: Value }>()

  get size(): number {
    return this.#entries.size
  }

  find(key: Value): Value | undefined {
    return this.#entries.get(normalKey(key))?.value
  }

  keys(): readonly Value[] {
    return Array.from(this.#entries.values(), (entry) => entry.key)
  }

  set(key: Value, value: Value): void {
    this.#entries.set(normalKey(key), { key, value })
  }

  delete(key: Value): void {
    this.#entries.delete(normalKey(key))
  }
}

/** A key in the form in which equal keys are identical. */
function normalKey(key: Value): NormalKey {
  if (typeof key === 'string' || typeof key === 'bigint' || typeof key === 'boolean') return key
  if (key instanceof Uint) return key.value
  if (typeof key === 'number') return Number.isInteger(key) ? BigInt(key) : key
  if (key instanceof Timestamp) return `\0timestamp ${key.seconds} ${key.nanos}`
  return key instanceof Duration ? `\0duration ${key.nanos}` : key
}

/** Keys that have no identical form count as one only with themselves. */
type NormalKey = string | boolean | bigint | number | object | null

/** Whether the value is a list. */
export function isList(value: Value): value is ListValue {
  return typeof value === 'object' && value !== null && 'tag' in value && value.tag === 'list'
}

/** Whether the value is a map or an object. */
export function isMap(value: Value): value is MapValue {
  return typeof value === 'object' && value !== null && 'tag' in value && value.tag === 'map'
}

/** Whether the value belongs to a library type. */
export function isOpaque(value: Value): value is OpaqueValue {
  return typeof value === 'object' && value !== null && 'tag' in value && value.tag === 'opaque'
}

const TAGS: ReadonlySet<unknown> = new Set(
  'error uint timestamp duration type optional list map opaque'.split(' '),
)

/** Whether something bound to a variable is a CEL value already and not plain JSON: a bigint, bytes, or a tagged object of this room. */
export function isCelValue(value: unknown): value is Value {
  if (typeof value === 'bigint' || value instanceof Uint8Array) return true
  if (typeof value !== 'object' || value === null) return false
  // A JSON object has a plain prototype; a JSON property that happens to be called tag does not count.
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null || Array.isArray(value)) return false
  return TAGS.has((value as { tag?: unknown }).tag)
}

/** The number of Unicode code points in a string; a lone surrogate counts as one. */
export function codePointCount(text: string): number {
  let count = text.length
  for (let i = 0; i < text.length - 1; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      count--
      i++
    }
  }
  return count
}
