import { definitionOf, META_V1, REF_PREFIX, type Definition } from '../resources/builtins.ts'
import type { Schema } from './dialect.ts'
import type { Descriptions } from './descriptions.ts'

/** Kinds that every group and version has as its own. */
const SHARED_KINDS: ReadonlySet<string> = new Set([
  `${META_V1}.DeleteOptions`,
  `${META_V1}.WatchEvent`,
])

/** Names a group and version that shares {@link SHARED_KINDS}. */
export interface GroupVersion {
  readonly group: string
  readonly version: string
}

/**
 * All schemas that a part of a document needs, by name: those it refers to, those they refer to, and so on. `own` has those of custom
 * kinds; `owners` are the groups and versions whose DeleteOptions and WatchEvent the document has.
 */
export function componentsOf(
  roots: readonly unknown[],
  own: ReadonlyMap<string, Schema>,
  owners: readonly GroupVersion[],
  descriptions: Descriptions,
): Readonly<Record<string, Schema>> {
  const found = new Map<string, Schema>()
  const open = roots.flatMap(refsIn)
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue
    const schema = own.get(name) ?? descriptions.describe(name, publishedSchema(name, owners))
    found.set(name, schema)
    open.push(...refsIn(schema))
  }
  return Object.fromEntries([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** The names of the definitions that a piece of a document refers to. */
function refsIn(part: unknown): string[] {
  if (Array.isArray(part)) return part.flatMap(refsIn)
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([key, value]) =>
    key === '$ref' && typeof value === 'string' ? [value.slice(REF_PREFIX.length)] : refsIn(value),
  )
}

function publishedSchema(name: string, owners: readonly GroupVersion[]): Schema {
  const definition = definitionOf(name)
  if (!definition) throw new Error(`${name} is referred to in an OpenAPI document and not defined.`)
  const {
    struct: _struct,
    go: _go,
    embedded: _embedded,
    unpublished: _unpublished,
    ...schema
  }: Definition = definition
  if (!SHARED_KINDS.has(name)) return schema
  const kind = name.slice(META_V1.length + 1)
  const kinds = owners.map(({ group, version }) => ({ group, kind, version }))
  return { ...schema, 'x-kubernetes-group-version-kind': kinds }
}
