/**
 * The types of the expression language: what a variable may be, what the checker computes, what an error names.
 *
 * A type is a frozen plain object, compared by structure ({@link sameType}), never by identity. Object types are
 * compared by name alone, as in cel-go; their fields are read only by field selection and by value reading.
 */

/** The kinds that have neither parameters nor fields. `any` behaves as `dyn` but prints as `any`. */
export type SimpleKind =
  | 'dyn'
  | 'any'
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'null'
  | 'timestamp'
  | 'duration'
  | 'error'

/** What a type may carry besides its shape; nothing here takes part in type equality. */
interface Bounds {
  /**
   * The greatest number of elements (list, map), bytes (bytes) or 4-byte characters (string) a value may have,
   * for cost estimation. Absent: unknown for strings, bytes, lists and maps, zero for everything else.
   */
  readonly maxElements?: number
  /** The smallest number of bytes a value takes when written as JSON; used for cardinality estimates. */
  readonly minSize?: number
  /** Whether a JSON null is a value (null) and not an error ("invalid data, got null for schema with nullable=false"). */
  readonly nullable?: boolean
}

/** A scalar. `format` tells how a JSON string is read: timestamps written as a date, or as a date and a time. */
export interface SimpleType extends Bounds {
  readonly kind: SimpleKind
  /** `date` for a timestamp written as YYYY-MM-DD; `int-or-string` for a dyn that only takes those two. */
  readonly format?: 'date' | 'int-or-string'
}

/** `list(element)`. A `set` or `map` list compares without order and `+` merges, as x-kubernetes-list-type says. */
export interface ListType extends Bounds {
  readonly kind: 'list'
  readonly element: CelType
  readonly listType?: 'atomic' | 'set' | 'map'
  /** The JSON property names that are the key of a `map` list. */
  readonly mapKeys?: readonly string[]
}

/** `map(key, value)`. */
export interface MapType extends Bounds {
  readonly kind: 'map'
  readonly key: CelType
  readonly value: CelType
}

/** One field of an object type. */
export interface CelField {
  /** The JSON property the field reads; the field's own name is its escaped form (see `escapeIdentifier`). */
  readonly property: string
  readonly type: CelType
}

/**
 * An object with declared fields, keyed by CEL identifier. `fields` may compute a field's type on demand (a getter),
 * so a recursive schema is allowed.
 */
export interface ObjectType extends Bounds {
  readonly kind: 'object'
  readonly name: string
  readonly fields: ReadonlyMap<string, CelField>
  /** Whether values of it have no fields at all, as a quantity's; selecting one is then another error than a wrong name. */
  readonly abstract?: boolean
}

/** A named parameterized type: `optional_type(T)`, `net.IP`, … */
export interface OpaqueType extends Bounds {
  readonly kind: 'opaque'
  readonly name: string
  readonly parameters: readonly CelType[]
}

/** The type of a type: `type(int)` for the expression `int`; without `of` for `type` itself. */
export interface TypeType extends Bounds {
  readonly kind: 'type'
  readonly of?: CelType
}

/** A type variable of an overload (`A`), or one the checker made (`_var0`). */
export interface TypeParam extends Bounds {
  readonly kind: 'typeParam'
  readonly name: string
}

/** A scalar that may also be null, such as a protobuf wrapper. */
export interface WrapperType extends Bounds {
  readonly kind: 'wrapper'
  readonly of: SimpleType
}

/** Every type of the language. Object and opaque types of the Kubernetes libraries are exported constants. */
export type CelType =
  SimpleType | ListType | MapType | ObjectType | OpaqueType | TypeType | TypeParam | WrapperType

const simple = (kind: SimpleKind): SimpleType => Object.freeze({ kind })

/** Any value; checked only when evaluated. */
export const DYN: SimpleType = simple('dyn')
/** As {@link DYN}, printed as `any`. */
export const ANY: SimpleType = simple('any')
/** true or false. */
export const BOOL: SimpleType = simple('bool')
/** A 64-bit signed integer, a bigint at run time. */
export const INT: SimpleType = simple('int')
/** A 64-bit unsigned integer. */
export const UINT: SimpleType = simple('uint')
/** A 64-bit floating point number. */
export const DOUBLE: SimpleType = simple('double')
/** A sequence of Unicode code points. */
export const STRING: SimpleType = simple('string')
/** A sequence of bytes, base64 in JSON. */
export const BYTES: SimpleType = simple('bytes')
/** The null value alone. */
export const NULL: SimpleType = simple('null')
/** A point in time with nanoseconds, an RFC 3339 string in JSON. */
export const TIMESTAMP: SimpleType = simple('timestamp')
/** A span of time in nanoseconds. */
export const DURATION: SimpleType = simple('duration')
/** The type of an expression that did not check; assignable to everything so that one mistake is told once. */
export const ERROR: SimpleType = simple('error')
/** The type of types. */
export const TYPE: TypeType = Object.freeze({ kind: 'type' })

/** `list(element)`. */
export function listOf(
  element: CelType,
  bounds: Omit<ListType, 'kind' | 'element'> = {},
): ListType {
  return Object.freeze({ kind: 'list', element, ...bounds })
}

/** `map(key, value)`. */
export function mapOf(key: CelType, value: CelType, bounds: Bounds = {}): MapType {
  return Object.freeze({ kind: 'map', key, value, ...bounds })
}

/** `optional_type(of)`. */
export function optionalOf(of: CelType): OpaqueType {
  return opaqueType('optional_type', of)
}

/** The type whose only value is the type `of`. */
export function typeOfType(of: CelType): TypeType {
  return Object.freeze({ kind: 'type', of })
}

/** A named opaque type. */
export function opaqueType(name: string, ...parameters: readonly CelType[]): OpaqueType {
  return Object.freeze({ kind: 'opaque', name, parameters: Object.freeze(parameters) })
}

/** A type variable. */
export function typeParam(name: string): TypeParam {
  return Object.freeze({ kind: 'typeParam', name })
}

/** `wrapper(of)`: a scalar or null. */
export function wrapperOf(of: SimpleType): WrapperType {
  return Object.freeze({ kind: 'wrapper', of })
}

/**
 * An object type. `fields` maps the CEL identifier to a type, where the JSON property has the same name, or to a
 * {@link CelField}. The name appears in error messages only.
 */
export function objectOf(
  name: string,
  fields: Readonly<Record<string, CelType | CelField>> = {},
  bounds: Bounds = {},
): ObjectType {
  const entries = Object.entries(fields).map(([property, field]): [string, CelField] => [
    property,
    'property' in field ? field : { property, type: field },
  ])
  return Object.freeze({ kind: 'object', name, fields: new Map(entries), ...bounds })
}

/** An object type without fields, for values that only functions look into. */
export function abstractType(name: string): ObjectType {
  return Object.freeze({ kind: 'object', name, fields: new Map(), abstract: true })
}

/** Whether the type is `optional_type(T)`. */
export function isOptionalType(type: CelType): type is OpaqueType {
  return type.kind === 'opaque' && type.name === 'optional_type'
}

/** The type parameters in cel-go's order: list(element), map(key, value), type(of), opaque parameters. */
export function parametersOf(type: CelType): readonly CelType[] {
  switch (type.kind) {
    case 'list':
      return [type.element]
    case 'map':
      return [type.key, type.value]
    case 'opaque':
      return type.parameters
    case 'type':
      return type.of === undefined ? [] : [type.of]
    default:
      return []
  }
}

/** The name that `type(x)` prints at run time: `int`, `list`, `google.protobuf.Timestamp`, … */
export function runtimeTypeName(type: CelType): string {
  switch (type.kind) {
    case 'null':
      return 'null_type'
    case 'timestamp':
      return 'google.protobuf.Timestamp'
    case 'duration':
      return 'google.protobuf.Duration'
    case 'any':
      return 'google.protobuf.Any'
    case 'error':
      return '!error!'
    case 'object':
    case 'opaque':
    case 'typeParam':
      return type.name
    case 'wrapper':
      return type.of.kind
    default:
      return type.kind
  }
}

/** The type as cel-go's checker writes it in errors: `list(string)`, `map(string, dyn)`, `wrapper(int)`, … */
export function formatType(type: CelType): string {
  switch (type.kind) {
    case 'error':
      return '!error!'
    case 'object':
    case 'typeParam':
      return type.name
    case 'wrapper':
      return `wrapper(${formatType(type.of)})`
    case 'list':
    case 'map':
    case 'type':
    case 'opaque': {
      const name = type.kind === 'opaque' ? type.name : type.kind
      const parameters = parametersOf(type).map(formatType)
      return parameters.length === 0 ? name : `${name}(${parameters.join(', ')})`
    }
    default:
      return type.kind
  }
}

/** Whether two types are the same type (cel-go's IsExactType): by structure, objects by name. */
export function sameType(a: CelType, b: CelType): boolean {
  if (a === b) return true
  if (a.kind !== b.kind) return false
  switch (a.kind) {
    case 'object':
    case 'typeParam':
      return a.name === (b as ObjectType | TypeParam).name
    case 'wrapper':
      return a.of.kind === (b as WrapperType).of.kind
    case 'opaque':
      return (
        a.name === (b as OpaqueType).name && sameTypes(a.parameters, (b as OpaqueType).parameters)
      )
    case 'list':
    case 'map':
    case 'type':
      return sameTypes(parametersOf(a), parametersOf(b))
    default:
      return true
  }
}

function sameTypes(a: readonly CelType[], b: readonly CelType[]): boolean {
  return a.length === b.length && a.every((type, i) => sameType(type, b[i] as CelType))
}
