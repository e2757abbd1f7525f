import type { KubeObject } from 'kubewright/machinery'
import type { TableConvertor } from './columns.ts'

/** A {@link TableConvertor} without its columns, which are extracted from a real server. */
export type Printer = Omit<TableConvertor, 'columns'>

/** Makes a printer of functions on a kind's own type: whatever is stored under a kind was checked against it. */
export function printer<T extends KubeObject>(
  cells: (object: T, now: number) => readonly unknown[],
  more: {
    readonly conditions?: (object: T) => ReturnType<NonNullable<Printer['conditions']>>
    readonly compare?: (a: T, b: T) => number
  } = {},
): Printer {
  return { cells, ...more } as unknown as Printer
}
