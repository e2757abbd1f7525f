import type { ListMeta, UnknownObject } from 'kubewright/machinery'
import type { TableColumn, TableConvertor, TableRowCondition } from './columns.ts'

/** Which part of each object a Table carries; a client asks with `?includeObject=`. */
export type IncludeObject = 'None' | 'Metadata' | 'Object'

/** A Table as it goes over the wire (meta/v1 Table). */
export interface Table {
  readonly kind: 'Table'
  readonly apiVersion: string
  readonly metadata: ListMeta
  /** Null in every event of a watch but the first. */
  readonly columnDefinitions: readonly TableColumn[] | null
  readonly rows: readonly TableRow[]
}

/** A row of a {@link Table}. `object` is null where none was asked for. */
export interface TableRow {
  readonly cells: readonly unknown[]
  readonly conditions?: readonly TableRowCondition[]
  readonly object: object | null
}

/** How a {@link Table} is made. */
export interface TableOptions {
  /** Default Metadata. */
  readonly includeObject?: IncludeObject
  /** Milliseconds since the epoch, for ages. */
  readonly now: number
  /** Of the list; of one object, its resourceVersion. Default none. */
  readonly metadata?: ListMeta
  /** Version of meta.k8s.io that was asked for. Default `v1`. */
  readonly version?: string
  /** Leaves out the columns, for all but the first event of a watch. Default false. */
  readonly noHeaders?: boolean
}

/** Objects in rows and cells. Of an object's list, `metadata` is the list's own. */
export function tableOf(
  objects: readonly UnknownObject[],
  convertor: TableConvertor,
  options: TableOptions,
): Table {
  const apiVersion = `meta.k8s.io/${options.version ?? 'v1'}`
  const ordered = convertor.compare ? objects.toSorted(convertor.compare) : objects
  return {
    kind: 'Table',
    apiVersion,
    metadata: options.metadata ?? {},
    columnDefinitions: options.noHeaders ? null : convertor.columns,
    rows: ordered.map((it) => rowOf(it, convertor, apiVersion, options)),
  }
}

function rowOf(
  object: UnknownObject,
  convertor: TableConvertor,
  apiVersion: string,
  options: TableOptions,
): TableRow {
  const conditions = convertor.conditions?.(object) ?? []
  return {
    cells: convertor.cells(object, options.now),
    ...(conditions.length ? { conditions } : {}),
    object: included(object, apiVersion, options.includeObject ?? 'Metadata'),
  }
}

function included(
  object: UnknownObject,
  apiVersion: string,
  include: IncludeObject,
): object | null {
  switch (include) {
    case 'None':
      return null
    case 'Object':
      return object
    case 'Metadata':
      return partialMetadata(object, apiVersion)
  }
}

/** An object's metadata alone (meta/v1 PartialObjectMetadata). */
export function partialMetadata(
  object: UnknownObject,
  apiVersion: string = 'meta.k8s.io/v1',
): UnknownObject {
  return { kind: 'PartialObjectMetadata', apiVersion, metadata: object.metadata }
}
