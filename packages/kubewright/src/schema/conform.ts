import { copyJson, isList, isObject } from './json.ts'
import type { SchemaNode } from './schema-node.ts'

/**
 * What a walk is to do besides pruning. `unknown` collects the paths of fields that were dropped for being undeclared.
 * `prune: false` keeps undeclared fields; `nulls: false` keeps
 * nulls, but for those that a default replaces; `defaults: false` fills in nothing. `resource` says that the
 * value is a whole object, whose kind, apiVersion and metadata are there without being declared. Default: prune, drop nulls, fill in
 * defaults of a value that is no whole object.
 */
export interface ConformOptions {
  readonly unknown?: string[]
  readonly prune?: boolean
  readonly nulls?: boolean
  readonly defaults?: boolean
  readonly resource?: boolean
}

/**
 * Brings a value into the form that its schema has: undeclared fields dropped, nulls that may not be dropped or replaced by the
 * default, absent fields with a default filled in. One walk does what apiextensions-apiserver does in three (pruning,
 * PruneNonNullableNullsWithoutDefaults, Default). Nothing that was given is changed: what needs no change comes back as it is, and
 * shares its unchanged parts otherwise, so frozen objects can be walked, and an equal result is the same object.
 */
export function conform(node: SchemaNode, value: unknown, options: ConformOptions = {}): unknown {
  return walk(node, value, { ...ALL, ...options }, '')
}

type Walk = Required<Omit<ConformOptions, 'unknown'>> & Pick<ConformOptions, 'unknown'>

const ALL = { prune: true, nulls: true, defaults: true, resource: false }

const META: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata'])

function walk(node: SchemaNode | undefined, value: unknown, how: Walk, path: string): unknown {
  if (isObject(value)) return walkObject(node, value, how, path)
  return isList(value) ? walkList(node, value, how, path) : value
}

/** The schema of the items; beneath what is preserved, an undeclared list's items are preserved too. */
function walkList(
  node: SchemaNode | undefined,
  value: readonly unknown[],
  how: Walk,
  path: string,
): unknown {
  const items = node?.items
  const below = node?.preserve && items && !items.preserve ? preserving(items) : items
  if (!below && node?.preserve) return value
  let made: unknown[] | undefined
  for (const [i, item] of value.entries()) {
    const next = how.defaults && item === null ? nullItem(items) : item
    const walked = walk(below, next, how, `${path}[${i}]`)
    if (walked !== item) (made ??= [...value])[i] = walked
  }
  return made ?? value
}

/** A null item stays, unless a default may take its place. */
const nullItem = (items: SchemaNode | undefined): unknown =>
  items && !items.nullable && items.default !== undefined ? copyJson(items.default) : null

function walkObject(
  node: SchemaNode | undefined,
  value: Readonly<Record<string, unknown>>,
  how: Walk,
  path: string,
): unknown {
  let made: Record<string, unknown> | undefined
  for (const name of Object.keys(value)) {
    const given = value[name]
    const next = walkField(node, name, given, how, path)
    if (next === given) continue
    made ??= { ...value }
    if (next === undefined) delete made[name]
    else setField(made, name, next)
  }
  if (!how.defaults || !node?.defaults.length) return made ?? value
  return fillIn(node, made ?? value, made !== undefined, how, path)
}

/** A field as it is to be; undefined where it is dropped. */
function walkField(
  node: SchemaNode | undefined,
  name: string,
  value: unknown,
  how: Walk,
  path: string,
): unknown {
  const known = node?.properties.get(name) ?? additionalOf(node)
  if (known === undefined) return walkUnknown(node, name, value, how, path)
  if (value === null) {
    const goes = how.nulls || (how.defaults && known.default !== undefined)
    return goes ? nullField(known, how, () => at(path, name)) : null
  }
  const kept = isMeta(node, name, how, path)
  return walk(known, value, kept ? { ...how, prune: false } : how, at(path, name))
}

/** Whether a field is kind, apiVersion or metadata of an object, whole or embedded: these are not pruned. */
const isMeta = (node: SchemaNode | undefined, name: string, how: Walk, path: string): boolean =>
  META.has(name) && (node?.embedded === true || (how.resource && path === ''))

/** The schema of undeclared fields: `true` allows the field, and nothing inside it. */
const additionalOf = (node: SchemaNode | undefined): SchemaNode | undefined => {
  const additional = node?.additional
  return typeof additional === 'object' ? additional : undefined
}

const at = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

function nullField(known: SchemaNode, how: Walk, path: () => string): unknown {
  if (known.nullable) return null
  if (known.default === undefined) return undefined
  return how.defaults ? walk(known, copyJson(known.default), how, path()) : null
}

function walkUnknown(
  node: SchemaNode | undefined,
  name: string,
  value: unknown,
  how: Walk,
  path: string,
): unknown {
  if (!how.prune || node?.preserve) return value
  if (isMeta(node, name, how, path)) return value
  if (node?.additional !== undefined) return walk(undefined, value, how, at(path, name))
  if (!META.has(name) || path !== '') how.unknown?.push(at(path, name))
  return undefined
}

/** Fills in the defaults of absent fields, and what they have inside. */
function fillIn(
  node: SchemaNode,
  value: Readonly<Record<string, unknown>>,
  owned: boolean,
  how: Walk,
  path: string,
): Readonly<Record<string, unknown>> {
  let made = owned ? (value as Record<string, unknown>) : undefined
  for (const [name, property] of node.defaults) {
    if (Object.hasOwn(value, name)) continue
    made ??= { ...value }
    setField(made, name, walk(property, copyJson(property.default), how, at(path, name)))
  }
  return made ?? value
}

/** A field called __proto__ cannot be assigned to. */
function setField(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value
  else Object.defineProperty(object, name, { ...FIELD, value })
}

const FIELD = { enumerable: true, writable: true, configurable: true }

/** A list under a preserved node keeps undeclared fields of its items, as the list itself does. */
const preserving = (node: SchemaNode): SchemaNode => ({ ...node, preserve: true })
