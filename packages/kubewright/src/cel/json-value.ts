/**
 * Plain JSON read through a declared type, lazily: nothing is copied, elements and fields are made when asked for
 * (Kubernetes' apiserver/pkg/cel/common/valuesunstructured.go).
 */
import { jsonEqual } from '../base/json-equal.ts'
import { equalValues } from './equality.ts'
import { escapeIdentifier, unescapeIdentifier } from './escape.ts'
import type { CelType, ListType, MapType, ObjectType } from './cel-type.ts'
import { DYN, isOptionalType } from './cel-type.ts'
import { displayText } from './text.ts'
import { formattedValue } from './formatted-value.ts'
import type { ListMerge, ListValue, MapValue, Value } from './value.ts'
import {
  EvalError,
  NONE,
  NO_SUCH_OVERLOAD,
  OptionalValue,
  Uint,
  isCelValue,
  isMap,
  listItems,
} from './value.ts'

type JsonObject = Readonly<Record<string, unknown>>

/** The value of some JSON under a type. A mismatch is an error value: "invalid data, expected …". */
export function valueOf(json: unknown, type: CelType): Value {
  const { kind } = type
  // What most reads are, without the questions that the rest needs.
  if (typeof json === 'string' && kind === 'string') return json
  if (typeof json === 'number' && kind === 'int' && Number.isSafeInteger(json)) return BigInt(json)
  if (kind === 'object' && isBareObject(json)) return new JsonFields(json, type)
  return convert(json, type)
}

function isBareObject(json: unknown): json is JsonObject {
  return (
    typeof json === 'object' && json !== null && Object.getPrototypeOf(json) === Object.prototype
  )
}

function convert(json: unknown, type: CelType): Value {
  if (isOptionalType(type)) return optionalOf(json, type.parameters[0] ?? DYN)
  if (typeof json === 'bigint') return type.kind === 'double' ? Number(json) : json
  if (isCelValue(json)) return json
  if (json === null || json === undefined) {
    return type.nullable === true ||
      type.kind === 'dyn' ||
      type.kind === 'wrapper' ||
      type.kind === 'null'
      ? null
      : new EvalError('invalid data, got null for schema with nullable=false')
  }
  switch (type.kind) {
    case 'string':
      return typeof json === 'string' ? json : mismatch('string', json)
    case 'bool':
      return typeof json === 'boolean' ? json : mismatch('bool', json)
    case 'int':
      return integerOf(json)
    case 'uint':
      return typeof json === 'number' && Number.isInteger(json)
        ? new Uint(BigInt(json))
        : mismatch('uint', json)
    case 'double':
      return typeof json === 'number' ? json : mismatch('float', json)
    case 'list':
      return Array.isArray(json)
        ? new JsonList(json, type)
        : new EvalError('invalid data, expected an array for the provided schema with type=array')
    case 'map':
      return isPlainObject(json) ? new JsonMap(json, type) : notAMap()
    case 'object':
      return isPlainObject(json) ? new JsonFields(json, type) : notAMap()
    case 'bytes':
    case 'timestamp':
    case 'duration':
      return typeof json === 'string'
        ? formattedValue(json, type.kind, type.format)
        : mismatch('string', json)
    case 'wrapper':
      return valueOf(json, type.of)
    default:
      return dynamicOf(json, type)
  }
}

function optionalOf(json: unknown, type: CelType): Value {
  if (json === undefined) return NONE
  if (json instanceof OptionalValue || json instanceof EvalError) return json
  const value = valueOf(json, type)
  return value instanceof EvalError ? value : new OptionalValue(value)
}

function mismatch(expected: string, json: unknown): EvalError {
  return new EvalError(`invalid data, expected ${expected}, got ${goTypeOf(json)}`)
}

function notAMap(): EvalError {
  return new EvalError('invalid data, expected a map for the provided schema with type=object')
}

/** The Go type that the JSON value has in the API server, as its messages name it. */
function goTypeOf(json: unknown): string {
  if (Array.isArray(json)) return '[]interface {}'
  switch (typeof json) {
    case 'string':
      return 'string'
    case 'boolean':
      return 'bool'
    case 'number':
      return Number.isInteger(json) ? 'int64' : 'float64'
    default:
      return 'map[string]interface {}'
  }
}

const INT_LIMIT = 2 ** 63

/** The greatest int64 comes out of JSON.parse as 2^63, the nearest double. */
function integerOf(json: unknown): Value {
  if (typeof json !== 'number' || !Number.isInteger(json)) return mismatch('int', json)
  if (json === INT_LIMIT) return 2n ** 63n - 1n
  return json > INT_LIMIT || json < -INT_LIMIT ? mismatch('int', json) : BigInt(json)
}

function dynamicOf(json: unknown, type: CelType): Value {
  const onlyIntOrString = type.kind === 'dyn' && type.format === 'int-or-string'
  if (typeof json === 'string') return json
  if (typeof json === 'number' && Number.isInteger(json) && Math.abs(json) <= INT_LIMIT)
    return integerOf(json)
  if (onlyIntOrString) {
    return new EvalError(
      'invalid data, expected XIntOrString value to be either a string or integer',
    )
  }
  if (typeof json === 'number' || typeof json === 'boolean') return json
  if (Array.isArray(json)) return new JsonList(json, DYN_LIST)
  if (isPlainObject(json)) return new JsonMap(json, DYN_MAP)
  return new EvalError(`unsupported conversion to ref.Val: (${typeof json})`)
}

const DYN_LIST: ListType = { kind: 'list', element: DYN }
const DYN_MAP: MapType = { kind: 'map', key: DYN, value: DYN }

function isPlainObject(json: unknown): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

/** A JSON array with a declared element type. */
export class JsonList implements ListValue {
  readonly tag = 'list'
  readonly json: readonly unknown[]
  readonly type: ListType

  constructor(json: readonly unknown[], type: ListType) {
    this.json = json
    this.type = type
  }

  get size(): number {
    return this.json.length
  }

  at(index: number): Value {
    return valueOf(this.json[index], this.type.element)
  }

  get merge(): ListMerge | undefined {
    switch (this.type.listType) {
      case 'set':
        return mergeByKey
      case 'map':
        return mergeByKey
      default:
        return undefined
    }
  }
}

/** What identifies an element: of a set itself, of a map list its key properties, looked up by their escaped names as Kubernetes does. */
function elementKey(list: JsonList, element: Value): string {
  if (list.type.listType === 'set') return keyText(element)
  const names = (list.type.mapKeys ?? []).map((key) => escapeIdentifier(key) ?? key)
  return JSON.stringify(names.map((name) => keyPart(element, name)))
}

function keyPart(element: Value, name: string): string {
  if (element instanceof JsonFields) return JSON.stringify(element.json[name]) ?? ''
  return isMap(element) ? keyText(element.find(name) ?? null) : ''
}

/** As JSON writes it, so that values and JSON have equal keys. */
function keyText(value: Value): string {
  return typeof value === 'string' ? JSON.stringify(value) : displayText(value)
}

/** Sets and map lists: equal without regard to order; `+` replaces elements of the same key in place and appends the rest. */
const mergeByKey: ListMerge = {
  equals(a, b) {
    const list = a as JsonList
    const mine = new Map(listItems(list).map((item) => [elementKey(list, item), item]))
    for (const other of listItems(b)) {
      const item = mine.get(elementKey(list, other))
      if (item === undefined) return false
      const same = list.type.listType === 'set' || equalValues(item, other)
      if (same !== true) return same
    }
    return true
  },
  add(a, b) {
    const list = a as JsonList
    const merged = new Map<string, unknown>(
      list.json.map((json, i) => [elementKey(list, list.at(i)), json]),
    )
    for (const item of listItems(b)) {
      const key = elementKey(list, item)
      if (list.type.listType === 'set' && merged.has(key)) continue
      merged.set(key, item)
    }
    return new JsonList([...merged.values()], list.type)
  },
}

/** A JSON object whose keys are data. */
export class JsonMap implements MapValue {
  readonly tag = 'map'
  readonly json: JsonObject
  readonly type: MapType

  constructor(json: JsonObject, type: MapType) {
    this.json = json
    this.type = type
  }

  get size(): number {
    return Object.keys(this.json).length
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return this.type === DYN_MAP ? undefined : NO_SUCH_OVERLOAD
    if (!Object.hasOwn(this.json, key)) return undefined
    return valueOf(this.json[key], this.type.value)
  }

  keys(): readonly Value[] {
    return Object.keys(this.json)
  }
}

/** Whether what was read is Object.prototype's, whose properties are functions and `__proto__`. */
function isInherited(json: JsonObject, property: string, found: unknown): boolean {
  if (typeof found !== 'function' && property !== '__proto__') return false
  return !Object.hasOwn(json, property)
}

/** A JSON object with declared fields; properties that are not declared count in its size and are not seen otherwise. */
export class JsonFields implements MapValue {
  readonly tag = 'map'
  readonly json: JsonObject
  readonly type: ObjectType

  constructor(json: JsonObject, type: ObjectType) {
    this.json = json
    this.type = type
  }

  get size(): number {
    return Object.keys(this.json).length
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return NO_SUCH_OVERLOAD
    const field = this.type.fields.get(key) ?? this.#fieldOfProperty(key)
    if (field === undefined) return undefined
    const json = this.json[field.property]
    if (json === undefined || json === null || isInherited(this.json, field.property, json)) {
      return undefined
    }
    return valueOf(json, field.type)
  }

  /** A key that is no identifier as declared: `namespace` for `__namespace__`, or a property as it is written. */
  #fieldOfProperty(key: string): ReturnType<ObjectType['fields']['get']> {
    const property = unescapeIdentifier(key)
    const name = property === undefined ? undefined : escapeIdentifier(property)
    return name === undefined ? undefined : this.type.fields.get(name)
  }

  /**
   * As in Kubernetes: declared fields compare as values, other properties as JSON where both objects have them, and the number
   * of all properties counts.
   */
  equals(other: MapValue): boolean | EvalError {
    if (this.size !== other.size) return false
    for (const property of Object.keys(this.json)) {
      const name = escapeIdentifier(property)
      const same =
        name !== undefined && this.type.fields.has(name)
          ? sameField(this.find(name), other.find(name))
          : this.#sameUndeclared(property, other)
      if (same !== true) return same
    }
    return true
  }

  #sameUndeclared(property: string, other: MapValue): boolean | EvalError {
    if (!(other instanceof JsonFields)) return NO_SUCH_OVERLOAD
    if (!Object.hasOwn(other.json, property)) return true
    return jsonEqual(this.json[property], other.json[property])
  }

  keys(): readonly Value[] {
    const names: string[] = []
    for (const [name, field] of this.type.fields) {
      if (Object.hasOwn(this.json, field.property)) names.push(name)
    }
    return names
  }
}

function sameField(a: Value | undefined, b: Value | undefined): boolean | EvalError {
  return a === undefined || b === undefined ? a === b : equalValues(a, b)
}
