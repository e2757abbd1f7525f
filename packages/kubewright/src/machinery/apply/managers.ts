import type { FieldSet } from './field-set.ts'
import { difference, emptySet, pathsOf } from './field-set.ts'
import type { FieldPath } from './path-element.ts'

/** What one manager owns, as paths of one API version. */
export interface ManagedSet {
  readonly set: FieldSet
  readonly version: string
  /** Owned by applying a configuration, not by updating the object. */
  readonly isApplied: boolean
}

/** What each manager owns, by the manager's identifier. Never changed in place. */
export type Managers = ReadonlyMap<string, ManagedSet>

/** A field that an applied configuration would change although another manager owns it. */
export interface Conflict {
  readonly manager: string
  readonly path: FieldPath
}

/** The conflicts of some owned sets, managers in order. */
export function conflictsOf(sets: ReadonlyMap<string, FieldSet>): Conflict[] {
  const names = [...sets.keys()].sort()
  return names.flatMap((manager) =>
    [...pathsOf(sets.get(manager) ?? emptySet)].map((path) => ({ manager, path })),
  )
}

/** The managers with one of them owning something else; a manager that owns nothing is dropped. */
export function withManager(managers: Managers, name: string, owned: ManagedSet): Managers {
  const out = new Map(managers)
  if (owned.set.size > 0) out.set(name, owned)
  else out.delete(name)
  return out
}

/** The managed set without these paths. */
export function without(owned: ManagedSet, paths: FieldSet): ManagedSet {
  const set = difference(owned.set, paths)
  return set === owned.set ? owned : { ...owned, set }
}
