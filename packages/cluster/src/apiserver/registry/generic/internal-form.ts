import structs from '../../data/internal-structs.json' with { type: 'json' }
import { has, objectAt, shownAt, type Fields, type Readable } from '../fields.ts'

/**
 * The fields of Kubernetes' internal types, by their Go names: `GoName publishedName type`, or `*ObjectMeta` for what is embedded.
 * A type is a struct's name, string, number, bool, quantity, map or `json:Name` (written as it is published), behind `*` for what
 * may be nil and `[]` for each list that it is in.
 */
const STRUCTS: Readonly<Record<string, readonly string[]>> = structs

/** Where a pod keeps what its internal form has in the security context. */
const OF_THE_HOST: readonly (readonly [string, string, string])[] = [
  ['HostNetwork', 'hostNetwork', 'bool'],
  ['HostPID', 'hostPID', 'bool'],
  ['HostIPC', 'hostIPC', 'bool'],
  ['ShareProcessNamespace', 'shareProcessNamespace', '*bool'],
  ['HostUsers', 'hostUsers', '*bool'],
]

/**
 * An object of a published type as Kubernetes' internal type of the name prints in messages: every field, under its Go name, in
 * Go's order. What the object does not have is nil, or Go's zero.
 */
export function internalForm(type: string, object: Readable | undefined): unknown {
  const value = object ?? {}
  const form: Fields = {}
  for (const row of STRUCTS[type] ?? []) {
    const [name = '', published = '', shape = ''] = row.split(' ')
    if (name === '*ObjectMeta') Object.assign(form, metadataForm(objectAt(value, 'metadata')))
    else if (name.startsWith('*')) continue
    else if (published !== '-') form[name] = shapeForm(shape, shownAt(value, published))
  }
  if (type !== 'PodSpec') return form
  const context = objectAt(form, 'SecurityContext')
  if (context) form['SecurityContext'] = { ...hostForm(value), ...context }
  return form
}

const hostForm = (spec: Readable): Fields =>
  Object.fromEntries(
    OF_THE_HOST.map(([name, published, shape]) => [name, shapeForm(shape, spec[published])]),
  )

function metadataForm(metadata: Readable | undefined): Fields {
  const form: Fields = {}
  for (const name in metadata) if (has(metadata, name)) form[name] = published(metadata[name])
  return form
}

const ZEROS: Readonly<Record<string, unknown>> = {
  string: '',
  number: 0,
  bool: false,
  quantity: '0',
  map: null,
  'json:IntOrString': 0,
}

function shapeForm(shape: string, value: unknown): unknown {
  if (shape.startsWith('*')) {
    return value === undefined || value === null ? null : shapeForm(shape.slice(1), value)
  }
  if (shape.startsWith('[]')) {
    const items = value as readonly unknown[] | null | undefined
    return items ? items.map((it) => shapeForm(shape.slice(2), it)) : null
  }
  if (STRUCTS[shape]) return internalForm(shape, value as Readable | undefined)
  if (value === undefined || value === null) return ZEROS[shape] ?? null
  if (shape === 'json:RawExtension') return value
  return shape === 'map' ? sorted(value) : published(value)
}

/** A value as it is published, maps by their keys. */
function published(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(published)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, it]) =>
      isEmpty(it) ? [] : [[name, name in MAPS ? sorted(it as object) : published(it)]],
    ),
  )
}

/** What published types leave out. */
const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === 'object' && Object.keys(value).length === 0)

/** Fields of published types that are maps, whose keys Go sorts. */
const MAPS: Readonly<Record<string, true>> = { matchLabels: true, labels: true, annotations: true }

const sorted = (map: object): unknown =>
  Object.fromEntries(Object.entries(map).toSorted(([a], [b]) => (a < b ? -1 : 1)))
