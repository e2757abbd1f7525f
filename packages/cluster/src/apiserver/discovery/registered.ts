import type { ResourceInfo } from '../resources/resource.ts'
import { compareVersions } from './version-order.ts'

/** What an APIService says of a version (apiregistration/v1). Groups and versions of higher priority are told first. */
export interface RegisteredVersion {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly groupPriority: number
  readonly versionPriority: number
  /** Whether another server answers for it. */
  readonly isRemote: boolean
  /** Whether the server keeps it for a custom group, so that it lives no longer than that. */
  readonly isKept: boolean
}

/** A group of APIServices: the names of its versions, the preferred one first. */
export interface RegisteredGroup {
  readonly name: string
  readonly versions: readonly string[]
}

/** The group that has no APIService, as aggregation itself is not registered with itself; it is told first. */
export const AGGREGATION = 'apiregistration.k8s.io'

/** What a custom version is registered with. */
const CUSTOM = Object.freeze({ groupPriority: 1000, versionPriority: 100 })

/**
 * The groups but the core one, as `/apis` tells of them (kube-aggregator handler_apis.go): whatever is registered, served or not, and what custom
 * groups serve that is to be registered in a moment; not what they serve no more.
 */
export function registeredGroups(
  registered: readonly RegisteredVersion[],
  infos: readonly ResourceInfo[],
): readonly RegisteredGroup[] {
  const served = new Map(infos.map((it) => [`${it.group}/${it.version}`, it]))
  const there = registered.filter(
    (it) => it.group !== '' && (!it.isKept || served.has(`${it.group}/${it.version}`)),
  )
  const known = new Set(there.map((it) => `${it.group}/${it.version}`))
  const coming = [...served]
    .filter(([key, it]) => it.custom && !known.has(key))
    .map(([, { group, version }]) => ({ group, version, ...CUSTOM }))
  const groups = new Map<string, Priority[]>()
  for (const it of [...there, ...coming].toSorted(byGroupPriority)) {
    groups.set(it.group, [...(groups.get(it.group) ?? []), it])
  }
  const own = infos.filter((it) => it.group === AGGREGATION).map((it) => it.version)
  return [
    ...(own.length > 0 ? [{ name: AGGREGATION, versions: [...new Set(own)] }] : []),
    ...[...groups].map(([name, versions]) => ({
      name,
      versions: versions.toSorted(byVersionPriority).map((it) => it.version),
    })),
  ]
}

type Priority = Pick<RegisteredVersion, 'group' | 'version' | 'groupPriority' | 'versionPriority'>

const nameOf = ({ group, version }: Priority): string => `${version}.${group}`

const byGroupPriority = (a: Priority, b: Priority): number =>
  b.groupPriority - a.groupPriority || (nameOf(a) < nameOf(b) ? -1 : 1)

const byVersionPriority = (a: Priority, b: Priority): number =>
  b.versionPriority - a.versionPriority || compareVersions(a.version, b.version)
