import type { ObjectMeta } from '../machinery/index.ts'
import type {
  ArrayOptions,
  CommonOptions,
  Declared,
  DefaultFor,
  ListRead,
  ListWrite,
  MapOptions,
  MapRead,
  MapWrite,
  NumberOptions,
  ObjectDefault,
  ObjectOptions,
  ObjectRead,
  StringOptions,
} from './builder-options.ts'
import { type Loose, declare } from './declare.ts'
import type { JsonSchema } from './json-schema.ts'
import {
  type Fields,
  type FieldsRead,
  type FieldsWrite,
  type ReadOf,
  type Schema,
  schemaOf,
} from './schema.ts'

/** The words with which an author declares values; one declaration gives the TypeScript type and the structural schema. */
export interface Builder {
  string<D extends DefaultFor<string, N> = undefined, N extends boolean = false>(
    options?: StringOptions<D, N>,
  ): Declared<string, string, D, N>
  /** A whole number of 64 bits; `format: 'int32'` narrows it. */
  integer<D extends DefaultFor<number, N> = undefined, N extends boolean = false>(
    options?: NumberOptions<D, N, 'int32' | 'int64'>,
  ): Declared<number, number, D, N>
  number<D extends DefaultFor<number, N> = undefined, N extends boolean = false>(
    options?: NumberOptions<D, N, 'float' | 'double'>,
  ): Declared<number, number, D, N>
  boolean<D extends DefaultFor<boolean, N> = undefined, N extends boolean = false>(
    options?: CommonOptions<D, N>,
  ): Declared<boolean, boolean, D, N>
  /** One of these values, all strings or all numbers. */
  enum<
    const V extends string | number,
    D extends DefaultFor<NoInfer<V>, N> = undefined,
    N extends boolean = false,
  >(
    values: readonly [V, ...V[]],
    options?: CommonOptions<D, N>,
  ): Declared<V, V, D, N>
  /** An object of declared fields, each required unless it has a default or is `optional()`. */
  object<
    F extends Fields,
    const D extends ObjectDefault<F, N> = undefined,
    N extends boolean = false,
    Open extends boolean = false,
  >(
    fields: F,
    options?: ObjectOptions<D, N, Open>,
  ): Declared<ObjectRead<FieldsRead<F>, Open>, ObjectRead<FieldsWrite<F>, Open>, D, N>
  /** Any string to a declared value. */
  map<
    V extends Schema,
    const D extends DefaultFor<MapWrite<V>, N> = undefined,
    N extends boolean = false,
  >(
    values: V,
    options?: MapOptions<D, N>,
  ): Declared<MapRead<V>, MapWrite<V>, D, N>
  array<
    I extends Schema,
    const D extends DefaultFor<ListWrite<I>, N> = undefined,
    N extends boolean = false,
  >(
    items: I,
    options?: ArrayOptions<ReadOf<I>, D, N>,
  ): Declared<ListRead<I>, ListWrite<I>, D, N>
  /** A whole number or a string, such as a port or a percentage. */
  intOrString<D extends DefaultFor<number | string, N> = undefined, N extends boolean = false>(
    options?: StringOptions<D, N>,
  ): Declared<number | string, number | string, D, N>
  /** An amount such as `500m` or `2Gi`, or a plain number (apimachinery resource.Quantity). */
  quantity<D extends DefaultFor<number | string, N> = undefined, N extends boolean = false>(
    options?: CommonOptions<D, N>,
  ): Declared<number | string, number | string, D, N>
  /** An instant as RFC 3339 text (meta/v1 Time). */
  dateTime<D extends DefaultFor<string, N> = undefined, N extends boolean = false>(
    options?: CommonOptions<D, N>,
  ): Declared<string, string, D, N>
  /** A length of time such as `1h30m` (meta/v1 Duration). */
  duration<D extends DefaultFor<string, N> = undefined, N extends boolean = false>(
    options?: CommonOptions<D, N>,
  ): Declared<string, string, D, N>
  /** Any JSON; nothing in it is pruned. */
  any<const D extends DefaultFor<unknown, N> = undefined, N extends boolean = false>(
    options?: CommonOptions<D, N>,
  ): Schema<unknown, unknown, [D] extends [undefined] ? 'required' : 'defaulted'>
  /** Any JSON object; nothing in it is pruned. */
  anyObject<
    const D extends DefaultFor<Readonly<Record<string, unknown>>, N> = undefined,
    N extends boolean = false,
  >(
    options?: MapOptions<D, N>,
  ): Declared<Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>, D, N>
  /** A whole Kubernetes object inside this one; its metadata is checked as such (x-kubernetes-embedded-resource). */
  embeddedResource<N extends boolean = false>(
    options?: CommonOptions<undefined, N>,
  ): Declared<EmbeddedResource, EmbeddedResource, undefined, N>
  /** A schema written by hand, for what these words cannot say. The type is the author's promise. */
  schema<T>(json: JsonSchema): Schema<T, T, 'required'>
}

/** A Kubernetes object of any kind inside another one. */
export interface EmbeddedResource {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata?: ObjectMeta
  readonly [field: string]: unknown
}

/** The structural schema of an object of these fields. */
export function objectSchema(fields: Fields): JsonSchema {
  const names = Object.keys(fields)
  const required = names.filter((it) => fields[it]?.presence === 'required')
  return {
    type: 'object',
    ...(required.length ? { required } : {}),
    ...(names.length
      ? { properties: Object.fromEntries(names.map((it) => [it, (fields[it] as Schema).json])) }
      : {}),
  }
}

const INT_OR_STRING: JsonSchema = {
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  'x-kubernetes-int-or-string': true,
}

/** The grammar of a quantity (controller-tools' own; kubernetes/apimachinery resource.Quantity). */
const QUANTITY =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$'

function array(items: Schema, options: Loose = {}): Schema<never, never, never> {
  const base: JsonSchema = { type: 'array', items: items.json }
  return declare(options['mapKeys'] ? { ...base, 'x-kubernetes-list-type': 'map' } : base, options)
}

function enumOf(
  values: readonly (string | number)[],
  options?: object,
): Schema<never, never, never> {
  const type =
    typeof values[0] === 'string' ? 'string' : values.every(Number.isInteger) ? 'integer' : 'number'
  return declare({ type, enum: values }, options as Loose)
}

/** An own anyOf moves into an allOf, since the first anyOf is taken by the two types. */
function intOrString(options: Loose = {}): Schema<never, never, never> {
  const { anyOf, allOf, ...others } = options
  if (anyOf === undefined && allOf === undefined) return declare(INT_OR_STRING, others)
  const first = anyOf === undefined ? [] : [{ anyOf }]
  return declare(INT_OR_STRING, { ...others, allOf: [...first, ...((allOf as []) ?? [])] })
}

/** The implementations: what a word returns carries types that only its signature in {@link Builder} tells. */
export const words: Builder = Object.freeze({
  string: (options?: object) => declare({ type: 'string' }, options as Loose),
  integer: (options?: object) => declare({ type: 'integer' }, options as Loose),
  number: (options?: object) => declare({ type: 'number' }, options as Loose),
  boolean: (options?: object) => declare({ type: 'boolean' }, options as Loose),
  enum: enumOf,
  object: (fields: Fields, options?: object) => declare(objectSchema(fields), options as Loose),
  map: (values: Schema, options?: object) =>
    declare({ type: 'object', additionalProperties: values.json }, options as Loose),
  array: (items: Schema, options?: object) => array(items, options as Loose),
  intOrString: (options?: object) => intOrString(options as Loose),
  quantity: (options?: object) => intOrString({ pattern: QUANTITY, ...options }),
  dateTime: (options?: object) =>
    declare({ type: 'string', format: 'date-time' }, options as Loose),
  duration: (options?: object) => declare({ type: 'string' }, options as Loose),
  any: (options?: object) =>
    declare({ 'x-kubernetes-preserve-unknown-fields': true }, options as Loose),
  anyObject: (options?: object) =>
    declare({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, options as Loose),
  embeddedResource: (options?: object) =>
    declare(
      {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
      },
      options as Loose,
    ),
  schema: (json: JsonSchema) => schemaOf(json, 'required'),
}) as unknown as Builder
