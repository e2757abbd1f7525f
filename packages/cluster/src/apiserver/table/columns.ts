import type { UnknownObject } from 'kubewright/machinery'

/** One column of a Table (meta/v1 TableColumnDefinition). Priority 0 shows always, above that with `-o wide`. */
export interface TableColumn {
  readonly name: string
  readonly type: string
  readonly format: string
  readonly description: string
  readonly priority: number
}

/** What a row is known to be (meta/v1 TableRowCondition): a pod that is over is `Completed`. */
export interface TableRowCondition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
}

/** How the objects of a kind are shown in a Table (kubernetes/pkg/printers/internalversion/printers.go). */
export interface TableConvertor {
  readonly columns: readonly TableColumn[]
  /** The cells of an object, one a column; `now` is milliseconds since the epoch, for ages. */
  readonly cells: (object: UnknownObject, now: number) => readonly unknown[]
  /** Conditions of an object's row. Default: none. */
  readonly conditions?: (object: UnknownObject) => readonly TableRowCondition[]
  /** Whether no rows at all are null: Go appends to a list that is not there yet. Default: they are an empty list. */
  readonly noRowsAreNull?: boolean
  /** The order of the rows of a list. Default: as listed. */
  readonly compare?: (a: UnknownObject, b: UnknownObject) => number
}
