import type { Converting, TypedValue, TypeLookup } from './conversion.ts'
import { convertTo } from './conversion.ts'
import type { FieldSet } from './field-set.ts'
import { difference, emptySet, intersection, union } from './field-set.ts'
import type { ManagedSet, Managers } from './managers.ts'
import { withNamedFields } from './named-fields.ts'
import { removeItems } from './remove.ts'
import { toFieldSet } from './to-field-set.ts'

/**
 * Removes from a merged object what the applying manager said the last time, says no longer, and nobody else
 * owns. Source: structured-merge-diff merge.Updater.prune.
 * @param managers who owns what after this apply, the applying manager among them
 * @param last what the applying manager owned before
 */
export function* prune(
  typeOf: TypeLookup,
  merged: TypedValue,
  managers: Managers,
  manager: string,
  last: ManagedSet | undefined,
): Converting<TypedValue> {
  if (!last || keepsAll(last, managers.get(manager))) return merged
  return yield* pruneFully(typeOf, merged, managers, last)
}

/** True when the new configuration says all that the last one did, so that there is nothing to remove. */
function keepsAll(last: ManagedSet, now: ManagedSet | undefined): boolean {
  if (last.set.size === 0) return true
  return now?.version === last.version && difference(last.set, now.set).size === 0
}

/** The whole of pruning, without the shortcut. Exported for the property that the shortcut changes nothing. */
export function* pruneFully(
  typeOf: TypeLookup,
  merged: TypedValue,
  managers: Managers,
  last: ManagedSet,
): Converting<TypedValue> {
  const at = yield* convertTo(merged, last.version, typeOf)
  if (!at) return merged
  const owned = withNamedFields(last.set, at.type)
  const removed = { ...at, value: removeItems(at.type, at.value, owned) }
  const restored = yield* restoreOwned(typeOf, at, removed, managers)
  const pruned = yield* keepUnowned(typeOf, at, restored, last)
  return (yield* convertTo(pruned, merged.version, typeOf)) ?? merged
}

/** Puts back what others, or the new configuration, own: version by version, the last one first. */
function* restoreOwned(
  typeOf: TypeLookup,
  merged: TypedValue,
  removed: TypedValue,
  managers: Managers,
): Converting<TypedValue> {
  let pair: MergedAndPruned = { merged, pruned: removed }
  const owned = ownedByVersion(managers)
  const versions = [merged.version, ...[...owned.keys()].filter((v) => v !== merged.version)]
  for (const version of versions) {
    const set = owned.get(version)
    if (set) pair = yield* restoreAtVersion(typeOf, pair, version, set)
  }
  return pair.pruned
}

interface MergedAndPruned {
  readonly merged: TypedValue
  readonly pruned: TypedValue
}

function ownedByVersion(managers: Managers): Map<string, FieldSet> {
  const out = new Map<string, FieldSet>()
  for (const { version, set } of managers.values())
    out.set(version, union(out.get(version) ?? emptySet, set))
  return out
}

function* restoreAtVersion(
  typeOf: TypeLookup,
  pair: MergedAndPruned,
  version: string,
  owned: FieldSet,
): Converting<MergedAndPruned> {
  const merged = yield* convertTo(pair.merged, version, typeOf)
  if (!merged) return pair
  const pruned = yield* convertTo(pair.pruned, version, typeOf)
  if (!pruned) return { merged, pruned: pair.pruned }
  const kept = union(namedFieldsOf(pruned), withNamedFields(owned, merged.type))
  const gone = difference(namedFieldsOf(merged), kept)
  return { merged, pruned: { ...merged, value: removeItems(merged.type, merged.value, gone) } }
}

/** Puts back what the applying manager did not own either: it is not its to remove. */
function* keepUnowned(
  typeOf: TypeLookup,
  merged: TypedValue,
  restored: TypedValue,
  last: ManagedSet,
): Converting<TypedValue> {
  const pruned = yield* convertTo(restored, last.version, typeOf)
  if (!pruned) return merged
  const gone = difference(namedFieldsOf(merged), namedFieldsOf(pruned))
  const own = intersection(gone, withNamedFields(last.set, merged.type))
  return { ...merged, value: removeItems(merged.type, merged.value, own) }
}

function namedFieldsOf({ type, value }: TypedValue): FieldSet {
  return withNamedFields(toFieldSet(type, value), type)
}
