import type { JsonSchema, MapType, ValidationRule } from './json-schema.ts'
import type { Fields, FieldsWrite, ReadOf, Schema, SchemaTypeError, WriteOf } from './schema.ts'

/** What every declaration may say. `D` is the type of its default, `N` whether null is a value. */
export interface CommonOptions<D, N extends boolean> {
  readonly description?: string
  readonly title?: string
  readonly example?: unknown
  /** Filled in where the field is absent (or null, unless it is nullable); makes the field optional when written. */
  readonly default?: D
  /** Whether null is a value. Default false: a null is dropped, or replaced by the default. */
  readonly nullable?: N
  /** Rules of the expression language (CEL): `self` is this value. */
  readonly validations?: readonly ValidationRule[]
  /** Value validations, which may not declare structure: `anyOf: [{ required: ['a'] }, { required: ['b'] }]`. */
  readonly allOf?: readonly JsonSchema[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly not?: JsonSchema
}

/** What may be said of a text. */
export interface StringOptions<D, N extends boolean> extends CommonOptions<D, N> {
  /** Counted in Unicode code points. */
  readonly minLength?: number
  readonly maxLength?: number
  /** A regular expression of RE2; it need not match the whole string unless it says so (`^…$`). */
  readonly pattern?: string
  readonly format?: StringFormat
}

/** The formats that the server checks on strings (apiextensions-apiserver/pkg/apiserver/validation/formats.go). */
export type StringFormat =
  | 'bsonobjectid'
  | 'uri'
  | 'email'
  | 'hostname'
  | 'ipv4'
  | 'ipv6'
  | 'cidr'
  | 'mac'
  | 'uuid'
  | 'uuid3'
  | 'uuid4'
  | 'uuid5'
  | 'isbn'
  | 'isbn10'
  | 'isbn13'
  | 'creditcard'
  | 'ssn'
  | 'hexcolor'
  | 'rgbcolor'
  | 'byte'
  | 'password'
  | 'date'
  | 'date-time'
  | 'duration'
  | 'k8s-short-name'
  | 'k8s-long-name'

/** What may be said of a number. Bounds are inclusive unless `exclusive…` says otherwise. */
export interface NumberOptions<D, N extends boolean, Format extends string> extends CommonOptions<
  D,
  N
> {
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: boolean
  readonly exclusiveMaximum?: boolean
  readonly multipleOf?: number
  readonly format?: Format
}

/** What may be said of an object beyond its fields. */
export interface ObjectOptions<D, N extends boolean, Open extends boolean> extends CommonOptions<
  D,
  N
> {
  readonly minProperties?: number
  readonly maxProperties?: number
  /** `atomic` makes the object one value under server-side apply. Default granular. */
  readonly mapType?: MapType
  /** Keeps fields that are not declared. Default false: the server prunes them. */
  readonly preserveUnknownFields?: Open
}

/** What may be said of a map beyond its values. */
export interface MapOptions<D, N extends boolean> extends CommonOptions<D, N> {
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly mapType?: MapType
}

/** What may be said of a list beyond its items. */
export interface ArrayOptions<Item, D, N extends boolean> extends CommonOptions<D, N> {
  readonly minItems?: number
  readonly maxItems?: number
  /** How the list merges under server-side apply. Default atomic; `map` where `mapKeys` says what the key is. */
  readonly listType?: 'atomic' | 'set'
  /** The fields by which items are told apart. Each must be required or have a default. */
  readonly mapKeys?: readonly [MapKey<Item>, ...MapKey<Item>[]]
}

/** The fields of an item that can be a map key: scalars that are always there. */
export type MapKey<Item> =
  Item extends Readonly<Record<string, unknown>>
    ? AlwaysScalar<Item> extends never
      ? SchemaTypeError<'mapKeys: the items have no field that is a scalar and required or defaulted'>
      : AlwaysScalar<Item>
    : SchemaTypeError<'mapKeys: only items that are objects have keys'>

type AlwaysScalar<Item> = {
  [K in keyof Item & string]-?: undefined extends Item[K]
    ? never
    : Item[K] extends string | number | boolean
      ? K
      : never
}[keyof Item & string]

/** The schema of a value of type `Read` under the options that were given. */
export type Declared<Read, Write, D, N extends boolean> = Schema<
  N extends true ? Read | null : Read,
  N extends true ? Write | null : Write,
  [D] extends [undefined] ? 'required' : 'defaulted'
>

/** What may stand as the default of a value of type `Write`. */
export type DefaultFor<Write, N extends boolean> =
  Write | undefined | (N extends true ? null : never)

/** The read and write types of an object that may be open. */
export type ObjectRead<F, Open extends boolean> = Open extends true
  ? F & Readonly<Record<string, unknown>>
  : F

/** A list of declared items, as read. */
export type ListRead<I extends Schema> = readonly ReadOf<I>[]
/** A list of declared items, as written. */
export type ListWrite<I extends Schema> = readonly WriteOf<I>[]

/** A map of declared values, as read. */
export type MapRead<V extends Schema> = Readonly<Record<string, ReadOf<V>>>
/** A map of declared values, as written. */
export type MapWrite<V extends Schema> = Readonly<Record<string, WriteOf<V>>>

/** The default of an object: its fields as written, none of the required ones left out. */
export type ObjectDefault<F extends Fields, N extends boolean> = DefaultFor<FieldsWrite<F>, N>
