import { createRequire } from 'node:module'

/** A field of a message, as the extracted data tells it. */
export interface FieldFacts {
  readonly number: number
  /** In JSON; empty for an embedded struct, whose fields stand beside the others. */
  readonly name: string
  readonly holds: 'one' | 'list' | 'map'
  /** Whether Go leaves it out when it is nil; all other single fields it writes though they are empty. */
  readonly nilable: boolean
  /** Of one value: `string`, `int32` …, or the OpenAPI name of a message. */
  readonly type: string
}

/** By message and field number, `name type`; a `*` before the type where it may be nil. */
type Package = Readonly<Record<string, Readonly<Record<string, string>>>>

const require = createRequire(import.meta.url)

const SCALARS: ReadonlySet<string> = new Set([
  'string',
  'bytes',
  'bool',
  'int32',
  'int64',
  'double',
])

/** The fields of a message by its OpenAPI name (`io.k8s.api.core.v1.Pod`), by number. Throws where there is no such message. */
export function fieldsOf(name: string): readonly FieldFacts[] {
  const dot = name.lastIndexOf('.')
  const home = name.slice(0, dot)
  // The module cache keeps what was read.
  const fields = (require(`#data/protobuf/${home}.json`) as Package)[name.slice(dot + 1)]
  if (!fields) throw new Error(`${name} was given as a message, and no protobuf package has it.`)
  return Object.entries(fields).map(([number, text]) => fieldFacts(Number(number), text, home))
}

function fieldFacts(number: number, text: string, home: string): FieldFacts {
  const [name, all] = text.split(' ') as [string, string]
  const nilable = all.startsWith('*')
  const type = nilable ? all.slice(1) : all
  const holds = type.startsWith('{}') ? 'map' : type.startsWith('[]') ? 'list' : 'one'
  const one = holds === 'one' ? type : type.slice(2)
  const full = SCALARS.has(one) || one.includes('.') ? one : `${home}.${one}`
  return { number, name, holds, nilable: nilable || one === 'bytes', type: full }
}
