import { definitionName, definitionOf, type KindName, META_V1 } from './builtins.ts'
import { hasEmptied } from './emptied.ts'

/** Puts the fields of a value in the order in which Go writes them: the very same value where they stand so already. */
export type Ordering = (value: unknown) => unknown

type Tree = Record<string, unknown>

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Orderings by OpenAPI name, and undefined for what has no fields: pure functions of the extracted data, which can only be recomputed. */
const orderings = new Map<string, Ordering>()

/** The ordering of the objects of a built-in kind: its structs by their fields, its maps by their keys. */
export function fieldOrder(kind: KindName): Ordering {
  return structOrder(definitionName(kind) ?? '')
}

/** The ordering of what is a map at every level, as Go holds a custom resource: by key. */
export function keyOrder(value: unknown): unknown {
  if (Array.isArray(value)) return orderedItems(value, keyOrder)
  return isTree(value) ? byKey(value, keyOrder) : value
}

/** The ordering of metadata where it stands for itself, whatever kind it is of. */
export const metadataOrder: Ordering = (value) => structOrder(`${META_V1}.ObjectMeta`)(value)

function structOrder(name: string): Ordering {
  const known = orderings.get(name)
  if (known) return known
  const go = definitionOf(name)?.go ?? {}
  const home = name.slice(0, name.lastIndexOf('.'))
  let fields: Fields | undefined
  // Structs may hold themselves: their fields are looked at when first needed.
  const made: Ordering = (value) =>
    isTree(value) ? byField(value, (fields ??= fieldsOf(go, home))) : value
  orderings.set(name, made)
  return made
}

/**
 * Packages whose objects are stored as JSON. All others pass through protobuf on their way to the store, which does not tell an
 * empty list or map from none.
 */
const STORED_AS_JSON: ReadonlySet<string> = new Set([
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1',
  'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1',
])

interface Field {
  readonly index: number
  readonly order: Ordering | undefined
  /** Whether an empty list or map is stored as null. */
  readonly emptyIsNull: boolean
}

type Fields = ReadonlyMap<string, Field>

const fieldsOf = (go: Readonly<Record<string, string>>, home: string): Fields =>
  new Map(
    Object.entries(go).map(([name, text], index) => [
      name,
      {
        index,
        order: orderOf(text.replace(/[?~]$/, ''), home),
        emptyIsNull: /^([\w.]+=)?(\[\]|map).*[^?~]$/.test(text) && !STORED_AS_JSON.has(home),
      },
    ]),
  )

/** The ordering of a type by its text in the data; undefined where it has no fields. */
function orderOf(text: string, home: string): Ordering | undefined {
  const type = text.replace(/^[\w.]+=/, '').replace(/^\*+/, '')
  if (type.startsWith('[]')) {
    const item = orderOf(type.slice(2), home)
    return item && ((value) => (Array.isArray(value) ? orderedItems(value, item) : value))
  }
  if (type.startsWith('map[')) {
    const item = orderOf(type.slice(type.indexOf(']') + 1), home)
    return (value) => (isTree(value) ? byKey(value, item) : value)
  }
  if (type.startsWith('#')) return structOrder(fullName(type, home))
  return type.startsWith('!') ? specialOrder(fullName(type, home)) : undefined
}

const fullName = (type: string, home: string): string =>
  type.slice(1).includes('.') ? type.slice(1) : `${home}.${type.slice(1)}`

const SCHEMA = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps'

/** Types with a JSON form of their own: what holds a schema, and what is read into maps and written again. */
function specialOrder(name: string): Ordering | undefined {
  if (name.endsWith('.JSON')) return keyOrder
  if (!name.startsWith(`${SCHEMA}Or`)) return undefined
  const schema = structOrder(SCHEMA)
  return (value) => (Array.isArray(value) ? orderedItems(value, schema) : schema(value))
}

function byField(value: Tree, fields: Fields): Tree {
  let last = -1
  let sorted = true
  // What is stored is read back without knowing what was empty and what was not there.
  let changed: Tree | undefined = hasEmptied(value) ? { ...value } : undefined
  for (const key of Object.keys(value)) {
    const field = fields.get(key)
    if (!field) continue
    if (field.index < last) sorted = false
    last = field.index
    const ordered = stored(value[key], field)
    if (ordered !== value[key]) (changed ??= { ...value })[key] = ordered
  }
  const all = changed ?? value
  if (sorted) return all
  return pick(all, byPosition(Object.keys(all), fields))
}

/** Keys in the order of the fields, unknown ones last; by insertion, for most of them stand where they belong. */
function byPosition(keys: string[], fields: Fields): readonly string[] {
  const positions = keys.map((key) => fields.get(key)?.index ?? fields.size)
  for (let i = 1; i < keys.length; i++) {
    const [key, position] = [keys[i]!, positions[i]!]
    let at = i
    for (; at > 0 && positions[at - 1]! > position; at--) {
      keys[at] = keys[at - 1]!
      positions[at] = positions[at - 1]!
    }
    keys[at] = key
    positions[at] = position
  }
  return keys
}

function stored(value: unknown, { order, emptyIsNull }: Field): unknown {
  if (emptyIsNull && typeof value === 'object' && value !== null && isVoid(value)) return null
  return order ? order(value) : value
}

const isVoid = (value: object): boolean => Object.keys(value).length === 0

function byKey(value: Tree, item: Ordering | undefined): Tree {
  const keys = Object.keys(value)
  let sorted = true
  let changed: Tree | undefined
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!
    if (i > 0 && keys[i - 1]! > key) sorted = false
    const ordered = item ? item(value[key]) : value[key]
    if (ordered !== value[key]) (changed ??= { ...value })[key] = ordered
  }
  const all = changed ?? value
  return sorted ? all : pick(all, keys.sort())
}

function pick(value: Tree, keys: readonly string[]): Tree {
  // A member of that name cannot be assigned.
  if (keys.includes('__proto__')) return Object.fromEntries(keys.map((key) => [key, value[key]]))
  const picked: Tree = {}
  for (const key of keys) picked[key] = value[key]
  return picked
}

function orderedItems(items: unknown[], order: Ordering): unknown[] {
  let changed: unknown[] | undefined
  for (let i = 0; i < items.length; i++) {
    const ordered = order(items[i])
    if (ordered !== items[i]) (changed ??= items.slice())[i] = ordered
  }
  return changed ?? items
}
