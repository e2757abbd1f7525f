import type { ListMeta, UnknownObject } from 'kubewright/machinery'
import { metadataOrder } from '../resources/field-order.ts'
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
  /** Null where a convertor says so of none. */
  readonly rows: readonly TableRow[] | null
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
    rows:
      ordered.length === 0 && convertor.noRowsAreNull
        ? null
        : ordered.map((it) => rowOf(it, convertor, apiVersion, options)),
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
    // Go has no text that is not there.
    cells: convertor.cells(object, options.now).map((it) => (it === undefined ? '' : it)),
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
  const metadata = metadataOrder(internalMetadata(object)) as UnknownObject['metadata']
  return { kind: 'PartialObjectMetadata', apiVersion, metadata }
}

/** Annotations that stand for fields which a version of a kind does not have: inside, they are fields. */
const STAND_INS: Readonly<Record<string, RegExp>> = {
  DaemonSet: /^deprecated\.daemonset\.template\.generation$/,
  HorizontalPodAutoscaler:
    /^autoscaling\.alpha\.kubernetes\.io\/(?:behavior|conditions|current-metrics|metrics)$/,
}

/** Metadata as Kubernetes holds it inside, which is what it takes rows and metadata from. */
function internalMetadata({ kind = '', metadata }: UnknownObject): UnknownObject['metadata'] {
  const standIn = STAND_INS[kind]
  if (!standIn || !metadata.annotations) return metadata
  const { annotations, ...others } = metadata
  const kept = Object.entries(annotations).filter(([name]) => !standIn.test(name))
  return kept.length > 0 ? { ...others, annotations: Object.fromEntries(kept) } : others
}
