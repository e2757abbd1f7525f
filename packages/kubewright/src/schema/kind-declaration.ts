import type { KubeObject, Scope } from '../machinery/index.ts'
import type { CrdConversion, PrinterColumn, ScalePaths } from './custom-resource-definition.ts'
import type { ValidationRule } from './json-schema.ts'
import type { Fields, FieldsRead, FieldsWrite, ReadOf, Schema, WriteOf } from './schema.ts'

/** The spec or the status of a kind: its fields, or an object made with `s.object` where the whole needs options of its own. */
export type Part = Fields | Schema

/**
 * What an author says of a kind. Fields of `spec` are required unless they have a default or are `optional()`; the fields right
 * under `status` may all be absent, since a controller fills them in one by one.
 */
export interface KindDeclaration<Spec extends Part, Status extends Part> {
  readonly spec?: Spec
  /** Being there, it makes `status` a subresource: only writes to /status change it. */
  readonly status?: Status
  readonly description?: string
  /** Plural name in paths. Default: the lower-case kind in English plural. */
  readonly plural?: string
  readonly singular?: string
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  /** Default Namespaced. */
  readonly scope?: Scope
  /** Columns of `kubectl get`, by heading; a path alone takes its type from the schema. `Age` comes last unless it is named. */
  readonly columns?: Readonly<Record<string, FieldPath | ColumnDeclaration>>
  /** The scale subresource; `true` stands for .spec.replicas, .status.replicas and, if declared, .status.selector. */
  readonly scale?: true | ScalePaths
  /** Fields by which lists may be selected, beyond name and namespace. */
  readonly selectableFields?: readonly FieldPath[]
  /** Rules over the whole object: `self.spec`, `self.status`, `self.metadata.name`. */
  readonly validations?: readonly ValidationRule[]
  /** Served, but with a warning: `true`, or the warning's text. */
  readonly deprecated?: boolean | string
  /** Default true. */
  readonly served?: boolean
  /** The same kind in its other versions; this one is the version in which objects are stored. */
  readonly otherVersions?: readonly VersionedKind[]
  /** How versions convert. Default None: only the apiVersion differs. */
  readonly conversion?: CrdConversion
}

/** A JSON path from the object's root: `.status.readyReplicas`. */
export type FieldPath = `.${string}`

/** A column in full; `type` is taken from the schema where it is left out. */
export interface ColumnDeclaration {
  readonly path: FieldPath
  readonly type?: PrinterColumn['type']
  readonly format?: string
  readonly description?: string
  /** 0 (the default) shows always, above that with `-o wide`. */
  readonly priority?: number
}

/** What a definition needs to know of a kind in another version. */
export interface VersionedKind {
  readonly group: string
  readonly kind: string
  readonly version: string
  readonly declaration: KindDeclaration<Part, Part>
}

/** A part as the server sends it. */
export type PartRead<P extends Part> = P extends Schema
  ? ReadOf<P>
  : P extends Fields
    ? FieldsRead<P>
    : never

/** A part as an author writes it. */
export type PartWrite<P extends Part> = P extends Schema
  ? WriteOf<P>
  : P extends Fields
    ? FieldsWrite<P>
    : never

/** A status as the server sends it: fields given one by one may each be absent. */
export type StatusRead<P extends Part> = P extends Schema
  ? ReadOf<P>
  : P extends Fields
    ? Partial<FieldsRead<P>>
    : never

/** An object of a declared kind, as the server sends it. */
export interface CustomObject<out Spec, out Status> extends KubeObject {
  readonly spec: Spec
  readonly status?: Status
}
