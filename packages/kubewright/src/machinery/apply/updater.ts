import { jsonEqual } from '../patch/json.ts'
import type { Comparison } from './compare.ts'
import { compareValues } from './compare.ts'
import type { Converting, TypedValue, TypeLookup } from './conversion.ts'
import { PatchError } from '../patch/patch-error.ts'
import { convertTo } from './conversion.ts'
import type { FieldFilter } from './field-filter.ts'
import type { FieldSet } from './field-set.ts'
import { difference, emptySet, intersection, union } from './field-set.ts'
import type { Conflict, ManagedSet, Managers } from './managers.ts'
import { conflictsOf, without, withManager } from './managers.ts'
import { mergeValues } from './merge.ts'
import { prune } from './prune.ts'
import { reconcileFieldSet } from './reconcile.ts'
import { toFieldSet } from './to-field-set.ts'

/** What ownership is worked out by. */
export interface UpdateRules {
  readonly typeOf: TypeLookup
  /** By version: what a request may own. */
  readonly filters?: ReadonlyMap<string, FieldFilter>
}

/**
 * Who owns what once `next` takes the place of `live`: the manager gains what it changed or added, everyone loses
 * what it took from them. Both values are of one version. Source: structured-merge-diff merge.Updater.Update.
 */
export function* updateOwnership(
  rules: UpdateRules,
  live: TypedValue,
  next: TypedValue,
  before: Managers,
  manager: string,
): Converting<Managers> {
  const managers = reconcileManagers(rules, before)
  const outcome = yield* takeOver(rules, live, next, managers, manager)
  const { added, modified, removed } = outcome.comparison
  const owned = outcome.managers.get(manager)?.set ?? emptySet
  const gained = union(union(difference(owned, removed), modified), added)
  const set = rules.filters?.get(next.version)?.(gained) ?? gained
  return withManager(outcome.managers, manager, { set, version: next.version, isApplied: false })
}

/** An applied configuration, merged. */
export type ApplyOutcome =
  | {
      readonly kind: 'merged'
      /** The new object; undefined when it would be the live one. */
      readonly value: TypedValue | undefined
      readonly managers: Managers
    }
  | { readonly kind: 'conflicts'; readonly conflicts: readonly Conflict[] }

/** Whether an applied configuration may take fields from other managers. */
export type ConflictRule = 'report' | 'force'

/**
 * Merges a configuration into the live object. The manager owns what the configuration says, and what it said
 * before and no longer says is removed unless someone else owns it. Both are of one version.
 * Source: structured-merge-diff merge.Updater.Apply.
 */
export function* applyConfiguration(
  rules: UpdateRules,
  live: TypedValue,
  applied: TypedValue,
  before: Managers,
  manager: string,
  conflictRule: ConflictRule,
): Converting<ApplyOutcome> {
  const reconciled = reconcileManagers(rules, before)
  const last = reconciled.get(manager)
  const said = toFieldSet(applied.type, applied.value)
  const set = rules.filters?.get(applied.version)?.(said) ?? said
  const owned: ManagedSet = { set, version: applied.version, isApplied: true }
  const managers = new Map(reconciled).set(manager, owned)
  const merged = { ...live, value: mergeValues(live.type, live.value, applied.value) }
  const next = yield* prune(rules.typeOf, merged, managers, manager, last)
  const outcome = yield* takeOver(rules, live, next, managers, manager)
  if (outcome.conflicts.size > 0 && conflictRule === 'report')
    return { kind: 'conflicts', conflicts: conflictsOf(outcome.conflicts) }
  const isSame = jsonEqual(live.value, next.value)
  return { kind: 'merged', value: isSame ? undefined : next, managers: outcome.managers }
}

interface TakeOver {
  /** The managers, with what the change takes from others taken from them. */
  readonly managers: Managers
  /** By manager: what it owned and the change sets otherwise. */
  readonly conflicts: ReadonlyMap<string, FieldSet>
  /** The change itself, at the request's version, without what may not be owned. */
  readonly comparison: Comparison
}

function* takeOver(
  rules: UpdateRules,
  live: TypedValue,
  next: TypedValue,
  before: Managers,
  manager: string,
): Converting<TakeOver> {
  const comparisons = new Map<string, Comparison | undefined>()
  comparisons.set(next.version, compareFiltered(rules, live, next))
  const conflicts = new Map<string, FieldSet>()
  const managers = new Map<string, ManagedSet>()
  for (const [name, owned] of before) {
    if (name !== manager && !comparisons.has(owned.version))
      comparisons.set(owned.version, yield* compareAt(rules, live, next, owned.version))
    const comparison = comparisons.get(owned.version)
    // Whoever owns fields of a version that is gone, owns them no longer.
    if (name !== manager && !comparison) continue
    const kept = name === manager ? owned : taken(name, owned, comparison as Comparison, conflicts)
    if (kept.set.size > 0) managers.set(name, kept)
  }
  return { managers, conflicts, comparison: comparisons.get(next.version) as Comparison }
}

function taken(
  name: string,
  owned: ManagedSet,
  { added, modified, removed }: Comparison,
  conflicts: Map<string, FieldSet>,
): ManagedSet {
  const conflict = intersection(owned.set, union(modified, added))
  if (conflict.size > 0) conflicts.set(name, conflict)
  return without(without(owned, conflict), removed)
}

function* compareAt(
  rules: UpdateRules,
  live: TypedValue,
  next: TypedValue,
  version: string,
): Converting<Comparison | undefined> {
  const before = yield* converted('old', live, version, rules)
  const after = before && (yield* converted('new', next, version, rules))
  return after && compareFiltered(rules, before, after)
}

/** One side in another version. Throws a PatchError Internal that says which. */
function* converted(
  side: 'old' | 'new',
  value: TypedValue,
  version: string,
  rules: UpdateRules,
): Converting<TypedValue | undefined> {
  try {
    return yield* convertTo(value, version, rules.typeOf)
  } catch (error) {
    const why = (error as Error).message
    throw new PatchError('Internal', `failed to convert ${side} object: ${why}`)
  }
}

function compareFiltered(rules: UpdateRules, before: TypedValue, after: TypedValue): Comparison {
  const comparison = compareValues(after.type, before.value, after.value)
  const filter = rules.filters?.get(after.version)
  if (!filter) return comparison
  return {
    removed: filter(comparison.removed),
    modified: filter(comparison.modified),
    added: filter(comparison.added),
  }
}

/** Adapts what is owned to types that have changed since; owners of versions that are gone are dropped. */
function reconcileManagers(rules: UpdateRules, managers: Managers): Managers {
  const out = new Map<string, ManagedSet>()
  for (const [name, owned] of managers) {
    const type = rules.typeOf(owned.version)
    if (!type) continue
    const set = reconcileFieldSet(owned.set, type)
    out.set(name, set === owned.set ? owned : { ...owned, set })
  }
  return out
}
