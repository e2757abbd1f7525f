import type { ResourceInfo } from '../resources/resource.ts'
import { builtinPriority } from '../bootstrap/api-services.ts'
import { AGGREGATION } from './registered.ts'
import { compareVersions } from './version-order.ts'

/** A group as discovery shows it: its versions by preference, each with its resources. */
export interface ApiGroup {
  /** Empty for the core group. */
  readonly name: string
  readonly versions: readonly ApiGroupVersion[]
}

/** One served version of a group; `resources` keep the order in which they were given. */
export interface ApiGroupVersion {
  readonly version: string
  readonly resources: readonly ResourceInfo[]
}

/** The priority of a group elsewhere, by its name; undefined for one that this server serves itself. */
export type RemotePriority = (group: string) => number | undefined

/**
 * Sorts resources into groups in the order of a real server (kube-aggregator, by the priority of the APIServices): built-in groups as
 * given, then those that only CustomResourceDefinitions make, by name; those of other servers by the priority that they are registered
 * with. Built-in versions come as given, custom ones by stability and then newest first; the first is the preferred one.
 */
export function groupsOf(
  infos: readonly ResourceInfo[],
  remotePriority: RemotePriority = () => undefined,
): readonly ApiGroup[] {
  const groups = new Map<string, Map<string, ResourceInfo[]>>()
  for (const it of infos) {
    const versions = getOrAdd(groups, it.group, () => new Map<string, ResourceInfo[]>())
    getOrAdd(versions, it.version, () => []).push(it)
  }
  const all = [...groups].map(([name, versions]) => ({ name, versions: versionsOf(versions) }))
  const own = all.filter((it) => !isCustom(it))
  const custom = all.filter(isCustom).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const priority = (it: ApiGroup): number => remotePriority(it.name) ?? localPriority(it)
  // Sorting is stable: of equal priority, built-in groups stay as they were given.
  return [...own, ...custom].toSorted((a, b) => priority(b) - priority(a))
}

/** Aggregation is above all; a group has the highest priority of its versions. */
function localPriority({ name, versions }: ApiGroup): number {
  if (name === '' || name === AGGREGATION) return Number.POSITIVE_INFINITY
  const all = versions.map((it) => builtinPriority(name, it.version)?.[0] ?? CUSTOM_PRIORITY)
  return Math.max(...all)
}

const CUSTOM_PRIORITY = 1000

/** One group by name; undefined where no resource lies in it. */
export function groupOf(infos: readonly ResourceInfo[], name: string): ApiGroup | undefined {
  return groupsOf(infos.filter((it) => it.group === name))[0]
}

function versionsOf(versions: ReadonlyMap<string, readonly ResourceInfo[]>): ApiGroupVersion[] {
  const all = [...versions].map(([version, resources]) => ({ version, resources }))
  const own = all.filter((it) => it.resources.some((each) => !each.custom))
  const custom = all
    .filter((it) => it.resources.every((each) => each.custom))
    .toSorted((a, b) => compareVersions(a.version, b.version))
  return [...own, ...custom]
}

const isCustom = (group: ApiGroup): boolean =>
  group.versions.every((it) => it.resources.every((each) => each.custom))

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}
