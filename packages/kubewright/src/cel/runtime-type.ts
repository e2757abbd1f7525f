/** Values and their types at run time, where lists, maps and objects have forgotten what is inside them. */
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
  runtimeTypeName,
} from './cel-type.ts'
import type { Value } from './value.ts'
import {
  Duration,
  OptionalValue,
  Timestamp,
  TypeValue,
  Uint,
  isError,
  isList,
  isMap,
  isOpaque,
} from './value.ts'

const LIST = listOf(DYN)
const MAP = mapOf(DYN, DYN)
const OPTIONAL = optionalOf(DYN)

/** The type of a value, as `type(x)` gives it. */
export function typeOfValue(value: Value): CelType {
  switch (typeof value) {
    case 'bigint':
      return INT
    case 'number':
      return DOUBLE
    case 'string':
      return STRING
    case 'boolean':
      return BOOL
    default:
      return value === null ? NULL : typeOfObject(value)
  }
}

function typeOfObject(value: Value & object): CelType {
  if (isMap(value)) return value.objectType ?? MAP
  if (isList(value)) return LIST
  if (value instanceof Uint) return UINT
  if (value instanceof Uint8Array) return BYTES
  if (value instanceof Timestamp) return TIMESTAMP
  if (value instanceof Duration) return DURATION
  if (value instanceof OptionalValue) return OPTIONAL
  if (isOpaque(value)) return value.type
  return TYPE
}

/** The run-time name of a value's type: `int`, `map`, `google.protobuf.Timestamp`. */
export function typeNameOf(value: Value): string {
  return isError(value) ? 'error' : runtimeTypeName(typeOfValue(value))
}

/** `type(x)`. */
export function typeValueOf(value: Value): TypeValue {
  const type = typeOfValue(value)
  return new TypeValue(type, runtimeTypeName(type))
}

type Guard = ((value: Value) => boolean) | undefined

/** Only the first element tells, as in cel-go: lists are taken to be of one type. */
function listGuard(element: Guard): (value: Value) => boolean {
  if (element === undefined) return isList
  return (value) => isList(value) && (value.size === 0 || element(value.at(0)))
}

function mapGuard(key: Guard, item: Guard): (value: Value) => boolean {
  if (key === undefined && item === undefined) return isMap
  return (value) => {
    if (!isMap(value)) return false
    const [first] = value.keys()
    if (first === undefined) return true
    return (key?.(first) ?? true) && (item?.(value.find(first) ?? null) ?? true)
  }
}

/** Tests whether a value may be passed for a parameter; undefined where anything may. */
export function guardFor(type: CelType): Guard {
  switch (type.kind) {
    case 'dyn':
    case 'any':
    case 'typeParam':
    case 'error':
      return undefined
    case 'bool':
      return (value) => typeof value === 'boolean'
    case 'int':
      return (value) => typeof value === 'bigint'
    case 'double':
      return (value) => typeof value === 'number'
    case 'string':
      return (value) => typeof value === 'string'
    case 'list':
      return listGuard(guardFor(type.element))
    case 'map':
      return mapGuard(guardFor(type.key), guardFor(type.value))
    case 'opaque':
      if (type.name === 'optional_type') return (value) => value instanceof OptionalValue
      break
    case 'uint':
      return (value) => value instanceof Uint
    case 'bytes':
      return (value) => value instanceof Uint8Array
    case 'timestamp':
      return (value) => value instanceof Timestamp
    case 'duration':
      return (value) => value instanceof Duration
    case 'null':
      return (value) => value === null
    case 'type':
      return (value) => value instanceof TypeValue
    default:
  }
  const name = runtimeTypeName(type)
  return (value) => typeNameOf(value) === name
}

/** The Go type of a value, which a few of cel-go's messages print. */
export function goTypeName(value: Value): string {
  switch (typeof value) {
    case 'bigint':
      return 'types.Int'
    case 'number':
      return 'types.Double'
    case 'string':
      return 'types.String'
    case 'boolean':
      return 'types.Bool'
    default:
      if (value === null) return 'types.Null'
      if (value instanceof Uint) return 'types.Uint'
      if (value instanceof Uint8Array) return 'types.Bytes'
      if (value instanceof Timestamp) return 'types.Timestamp'
      if (value instanceof Duration) return 'types.Duration'
      if (value instanceof OptionalValue) return '*types.Optional'
      return value instanceof TypeValue ? '*types.Type' : 'ref.Val'
  }
}
