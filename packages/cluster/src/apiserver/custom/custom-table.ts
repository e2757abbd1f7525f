import {
  type JsonPath,
  JsonPathError,
  type UnknownObject,
  parseJsonPath,
  printResults,
} from 'kubewright/machinery'
import type { PrinterColumn } from 'kubewright/schema'
import { age } from '../table/age.ts'
import type { TableColumn, TableConvertor } from '../table/columns.ts'

/** What a definition without columns shows. */
const DEFAULT_COLUMNS: readonly PrinterColumn[] = [
  {
    name: 'Age',
    type: 'date',
    description: '',
    jsonPath: '.metadata.creationTimestamp',
  },
]

const NAME: TableColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: '',
  priority: 0,
}

/**
 * How custom resources are shown (registry/customresource/tableconvertor). A path that cannot be read ends the columns before it, as
 * the real server does.
 */
export function customTable(given: readonly PrinterColumn[] | undefined): TableConvertor {
  const columns = readable(given?.length ? given : DEFAULT_COLUMNS)
  return {
    columns: [NAME, ...columns.map((it) => headOf(it.column))],
    cells: (object, now) => [
      object.metadata.name ?? '',
      ...columns.map((it) => cellOf(it.column, it.path, object, now)),
    ],
  }
}

interface Readable {
  readonly column: PrinterColumn
  readonly path: JsonPath
}

function readable(columns: readonly PrinterColumn[]): readonly Readable[] {
  const made: Readable[] = []
  for (const column of columns) {
    try {
      made.push({ column, path: parseJsonPath(`{${column.jsonPath}}`) })
    } catch (error) {
      if (error instanceof JsonPathError) return made
      throw error
    }
  }
  return made
}

const headOf = ({
  name,
  type,
  format,
  description,
  priority,
  jsonPath,
}: PrinterColumn): TableColumn => ({
  name,
  type,
  format: format ?? '',
  description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
  priority: priority ?? 0,
})

function cellOf(
  column: PrinterColumn,
  path: JsonPath,
  object: UnknownObject,
  now: number,
): unknown {
  const found = firstOf(path, object)
  if (found.length === 0) return null
  const [value] = found
  return column.type === 'string' ? printResults([value]) : typed(column.type, value, now)
}

/** The first result, if any: a path that does not fit the object finds nothing. */
function firstOf(path: JsonPath, object: UnknownObject): readonly [] | readonly [unknown] {
  try {
    const first = path.results(object)[0] ?? []
    return first.length === 0 ? [] : [first[0]]
  } catch (error) {
    if (error instanceof JsonPathError) return []
    throw error
  }
}

/** An integer that a number cannot hold. */
const exactOr = (value: unknown): unknown => (typeof value === 'bigint' ? value : null)

/** A value under a column of another type is no cell. */
function typed(type: PrinterColumn['type'], value: unknown, now: number): unknown {
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : exactOr(value)
    case 'number':
      return typeof value === 'number' ? value : exactOr(value)
    case 'boolean':
      return typeof value === 'boolean' ? value : null
    case 'date':
      return typeof value === 'string' ? dateCell(value, now) : null
    default:
      return null
  }
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/

function dateCell(text: string, now: number): string {
  if (text === '' || text === 'null') return '<unknown>'
  return INSTANT.test(text) && !Number.isNaN(Date.parse(text)) ? age(text, now) : '<invalid>'
}
