import { union } from './field-set.ts'
import type { Managed } from './managed-fields.ts'
import { secondsOf } from './managed-fields.ts'
import { managerId } from './manager-identity.ts'
import type { ManagedSet } from './managers.ts'
import { compareText } from './path-element.ts'

/** The most entries of updates that an object keeps; older ones are merged into `ancient-changes`. */
export const maxUpdateManagers = 10

/**
 * Merges the oldest updates, version by version, until at most ten are left. An update that is alone with its
 * version stays as it is. Source: apimachinery managedfields/internal/capmanagers.go.
 */
export function capUpdateManagers(managed: Managed): Managed {
  const updaters = [...managed.managers].filter(([, { isApplied }]) => !isApplied)
  if (updaters.length <= maxUpdateManagers) return managed
  const managers = new Map(managed.managers)
  const times = new Map(managed.times)
  const firstOfVersion = new Map<string, string>()
  let count = updaters.length
  for (const id of oldestFirst(updaters, managed)) {
    if (count <= maxUpdateManagers) break
    const owned = managers.get(id) as ManagedSet
    const first = firstOfVersion.get(owned.version)
    if (first === undefined) firstOfVersion.set(owned.version, id)
    else {
      mergeInto(managers, times, bucketOf(owned.version), first, id)
      count--
    }
  }
  return { managers, times }
}

function oldestFirst(updaters: readonly [string, ManagedSet][], { times }: Managed): string[] {
  return updaters
    .map(([id]) => id)
    .sort((a, b) => secondsOf(times.get(a)) - secondsOf(times.get(b)) || compareText(a, b))
}

function bucketOf(apiVersion: string): string {
  return managerId({
    manager: 'ancient-changes',
    operation: 'Update',
    apiVersion,
    subresource: '',
  })
}

function mergeInto(
  managers: Map<string, ManagedSet>,
  times: Map<string, string>,
  bucket: string,
  first: string,
  id: string,
): void {
  const owned = managers.get(id) as ManagedSet
  const before = managers.get(bucket) ?? (managers.get(first) as ManagedSet)
  if (!managers.has(bucket)) managers.delete(first)
  managers.delete(id)
  managers.set(bucket, { ...owned, set: union(owned.set, before.set) })
  // The update being merged is the more recent one.
  const time = times.get(id)
  if (time === undefined) times.delete(bucket)
  else times.set(bucket, time)
}
