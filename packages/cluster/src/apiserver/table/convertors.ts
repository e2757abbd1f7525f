import columns from '../data/columns.json' with { type: 'json' }
import type { ResourceInfo } from '../resources/resource.ts'
import { age } from './age.ts'
import { AUTOSCALERS } from './autoscalers.ts'
import type { TableColumn, TableConvertor } from './columns.ts'
import { CORE } from './core.ts'
import { EVENTS } from './events.ts'
import { OTHERS } from './others.ts'
import { PODS } from './pods.ts'
import { POLICIES } from './policies.ts'
import type { Printer } from './printer.ts'
import { SERVICES } from './services.ts'
import { VOLUMES } from './volumes.ts'
import { WORKLOADS } from './workloads.ts'

type ColumnData = readonly [name: string, type: string, format?: string, priority?: number]

const COLUMNS = columns as unknown as Readonly<Record<string, readonly ColumnData[]>>

const PRINTERS: Readonly<Record<string, Printer>> = {
  ...PODS,
  ...CORE,
  ...SERVICES,
  ...VOLUMES,
  ...EVENTS,
  ...WORKLOADS,
  ...AUTOSCALERS,
  ...POLICIES,
  ...OTHERS,
}

/** What a column is for is left unsaid: the real server's texts are those of the fields that it shows. */
function column([name, type, format = '', priority = 0]: ColumnData): TableColumn {
  return { name, type, format, description: '', priority }
}

/** The columns of a resource as a real server has them. */
const columnsOf = (resource: string): readonly TableColumn[] | undefined =>
  COLUMNS[resource]?.map(column)

/** Kinds without a printer show their name and when they were made (apiserver/pkg/registry/rest/table.go). */
const DEFAULT: TableConvertor = Object.freeze({
  columns: [column(['Name', 'string', 'name']), column(['Created At', 'date'])],
  cells: ({ metadata }) => [metadata.name, metadata.creationTimestamp ?? '0001-01-01T00:00:00Z'],
  noRowsAreNull: true,
} satisfies TableConvertor)

/** Custom resources whose definition names no columns show their name and age. */
export const NAME_AND_AGE: TableConvertor = Object.freeze({
  columns: [column(['Name', 'string', 'name']), column(['Age', 'date'])],
  cells: ({ metadata }, now) => [metadata.name, age(metadata.creationTimestamp, now)],
} satisfies TableConvertor)

/** How a Scale is shown, whatever it scales. */
export const SCALE: TableConvertor = Object.freeze({
  columns: [
    column(['Name', 'string']),
    column(['Desired', 'integer']),
    column(['Available', 'integer']),
    column(['Age', 'string']),
  ],
  ...OTHERS['autoscaling/scales']!,
} satisfies TableConvertor)

/** The same of a custom resource, whose definition has the columns (apiextensions-apiserver getScaleColumnsForVersion). */
export const CUSTOM_SCALE: TableConvertor = Object.freeze({
  ...SCALE,
  columns: [
    column(['Name', 'string', 'name']),
    column(['Desired', 'integer']),
    column(['Available', 'integer']),
    column(['Age', 'date']),
  ],
  // No count is written where it is none.
  cells: ({ metadata, ...scale }, now) => {
    const { spec, status } = scale as Readonly<Record<string, { readonly replicas?: number }>>
    return [
      metadata.name,
      spec?.replicas || null,
      status?.replicas ?? 0,
      age(metadata.creationTimestamp, now),
    ]
  },
} satisfies TableConvertor)

/** How the objects of a built-in resource are shown. Their columns are a real server's. */
export function tableConvertor({ group, version, plural }: ResourceInfo): TableConvertor {
  const printer = PRINTERS[`${group}/${version}/${plural}`] ?? PRINTERS[`${group}/${plural}`]
  const columns = columnsOf(`${group}/${version}/${plural}`)
  return printer && columns ? { ...printer, columns } : DEFAULT
}
