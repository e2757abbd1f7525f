import type { FieldType, UnknownObject } from 'kubewright/machinery'
import type { Draft, Strategy } from '../registry/strategy.ts'
import type { KindName } from '../resources/builtins.ts'
import type { ResourceInfo } from '../resources/resource.ts'
import type { TableConvertor } from '../table/columns.ts'

/** What the endpoints need of one resource in one version: facts, strategy, and how its objects are read, shown and merged. */
export interface Served {
  readonly info: ResourceInfo
  readonly strategy: Strategy
  readonly table: TableConvertor
  /** The revision from which its history is told: a watch from before it is too old. */
  readonly since: number
  /** Text of the Warning that every request for it gets. */
  readonly deprecation: string | undefined
  /** How bodies of the resource itself are read. */
  readonly body: BodyReader
  /** How bodies of subresources of other kinds are read (`scale`, `eviction` …), by the subresource's name. */
  readonly bodies: Readonly<Record<string, BodyReader>>
  /** Who owns which field of those bodies, where that is kept. */
  readonly bodyFields: Readonly<Record<string, FieldTracker>>
  /** Turns what is stored into this version; absent where it is stored in this version. The result is the caller's. */
  readonly fromStorage?: (object: UnknownObject) => UnknownObject
  /** Turns an object of this version into the stored one, in place or anew. */
  readonly toStorage?: (draft: Draft) => Draft
  /**
   * Brings objects of other versions into this one, or an object of this version into the stored one, where that takes a webhook;
   * absent where the two functions above can. What needs no converting comes back as it is. Rejects with a sentence.
   */
  readonly webhook?: {
    readonly fromStorage: (objects: readonly UnknownObject[]) => Promise<readonly UnknownObject[]>
    readonly toStorage: (draft: Draft) => Promise<Draft>
  }
  /** Strategic merge: absent for custom resources. `shown` is the document's kind where it is not the resource's. Throws a PatchError. */
  readonly strategicMerge?: (document: UnknownObject, patch: object, shown?: KindName) => unknown
  /** Makes an object of what server-side apply merged; absent where that is read like any body. */
  readonly fromApply?: (merged: Draft) => Draft
  readonly fields: FieldTracker
  /** Field selectors that may be asked for, beyond metadata.name and metadata.namespace. */
  readonly selectableFields: Readonly<Record<string, (object: UnknownObject) => string>>
  /** Refuses creates: the definition is going. */
  readonly terminating: boolean
}

/** Reads bodies of one kind. */
export interface BodyReader {
  readonly group: string
  readonly version: string
  readonly kind: string
  /**
   * What comes before `read` where a value is not a decoded body, but what apply merged or a strategic patch made; absent where nothing
   * does. Takes over `value`. Throws an Error with the converter's sentence where a type does not fit.
   */
  readonly restore?: (value: Record<string, unknown>) => Record<string, unknown>
  /**
   * Checks a parsed body against the kind's types and gives the object as Kubernetes would hold it, with what strict decoding finds
   * wrong. Takes over `value`. Throws an Error with the decoder's sentence where a type does not fit, or an ApiError.
   */
  readonly read: (value: Record<string, unknown>) => {
    readonly object: Draft
    readonly problems: readonly string[]
  }
}

/** Which manager owns which field of the objects of one resource (KEP-555). */
export interface FieldTracker {
  /** Sets the managedFields of `next` after a create (no `live`) or an update. */
  readonly update: (
    live: UnknownObject | undefined,
    next: Draft,
    manager: string,
    subresource: string,
  ) => void
  /** Server-side apply: the merged object. Throws an ApiError (conflicts, typing errors). */
  readonly apply: (
    live: UnknownObject | undefined,
    applied: Record<string, unknown>,
    manager: string,
    force: boolean,
    subresource: string,
  ) => Draft
  /** The type that apply merges objects of this version by. */
  readonly type: () => FieldType | undefined
}
