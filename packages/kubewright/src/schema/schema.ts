import type { JsonSchema } from './json-schema.ts'

/**
 * A declaration of a value: its structural schema at run time, and by phantoms its two types. `Read` is the value as it comes from
 * the server (defaults are in), `Write` as an author hands it in (what has a default may be left out).
 *
 * Whether an object must have the field is the schema's own: it must (`required`), unless it has a `default` (always there when
 * read, optional when written) or was made `optional()`. That is kubebuilder's rule: required unless `+optional` or `+default`.
 */
export interface Schema<
  out Read = unknown,
  out Write = Read,
  out Presence extends SchemaPresence = SchemaPresence,
> {
  readonly json: JsonSchema
  readonly presence: Presence
  /** The same schema for a field that may be absent. */
  optional(): Schema<Read, Write, 'optional'>
  /** Never set: carry the types. */
  readonly '~read'?: Read
  readonly '~write'?: Write
}

/** Whether a field is there: `defaulted` always is when read, and may be left out when written. */
export type SchemaPresence = 'required' | 'defaulted' | 'optional'

/** The type of a declared value as the server sends it. */
export type ReadOf<S extends Schema> = Exclude<S['~read'], undefined>

/** The type of a declared value as an author writes it: fields with a default may be left out. */
export type WriteOf<S extends Schema> = Exclude<S['~write'], undefined>

/** The fields of an object, by name. */
export type Fields = Readonly<Record<string, Schema>>

type NamesWith<F extends Fields, P extends SchemaPresence> = {
  [K in keyof F]: F[K]['presence'] extends P ? K : never
}[keyof F]

type Flat<T> = { [K in keyof T]: T[K] }

/** An object of these fields as the server sends it. */
export type FieldsRead<F extends Fields> = Flat<
  { readonly [K in NamesWith<F, 'required' | 'defaulted'>]: ReadOf<F[K]> } & {
    readonly [K in NamesWith<F, 'optional'>]?: ReadOf<F[K]>
  }
>

/** An object of these fields as an author writes it. */
export type FieldsWrite<F extends Fields> = Flat<
  { readonly [K in NamesWith<F, 'required'>]: WriteOf<F[K]> } & {
    readonly [K in NamesWith<F, 'optional' | 'defaulted'>]?: WriteOf<F[K]>
  }
>

/** An error that reads as a sentence: shown in place of the type that a wrong declaration cannot have. */
export interface SchemaTypeError<Sentence extends string> {
  readonly '~error': Sentence
}

/** Makes a schema token. */
export function schemaOf<Read, Write = Read, P extends SchemaPresence = 'required'>(
  json: JsonSchema,
  presence: P,
): Schema<Read, Write, P> {
  return Object.freeze({
    json,
    presence,
    optional: (): Schema<Read, Write, 'optional'> => schemaOf(json, 'optional'),
  })
}
