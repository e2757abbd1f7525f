import type { ResourceInfo, SubresourceInfo } from '../resources/resource.ts'
import { groupOf, groupsOf, type ApiGroup } from './groups.ts'
import { type RegisteredGroup, registeredGroups, type RegisteredVersion } from './registered.ts'
import { storageVersionHash } from './storage-version-hash.ts'
import { verbsInOrder } from './verbs.ts'

/** A document as it goes over the wire, its fields in the order of a real server. */
export type Document = Readonly<Record<string, unknown>>

/** `/api`: the versions of the core group, and where clients of all addresses reach the server (`127.0.0.1:6443`). */
export function apiVersions(infos: readonly ResourceInfo[], serverAddress: string): Document {
  const versions = groupOf(infos, '')?.versions.map((it) => it.version) ?? []
  return {
    kind: 'APIVersions',
    versions,
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  }
}

/** `/apis`: an APIGroupList of every group but the core one; of what is registered, where that is given. */
export function apiGroupList(
  infos: readonly ResourceInfo[],
  registered?: readonly RegisteredVersion[],
): Document {
  const groups = registered ? registeredGroups(registered, infos) : servedGroups(infos)
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(groupBody) }
}

const servedGroups = (infos: readonly ResourceInfo[]): readonly RegisteredGroup[] =>
  groupsOf(infos)
    .filter((it) => it.name !== '')
    .map(registeredAs)

const registeredAs = ({ name, versions }: ApiGroup): RegisteredGroup => ({
  name,
  versions: versions.map((it) => it.version),
})

/** `/apis/<group>`: an APIGroup, or undefined for a group that is neither registered nor served. */
export function apiGroup(
  infos: readonly ResourceInfo[],
  name: string,
  registered: readonly RegisteredVersion[] = [],
): Document | undefined {
  if (name === '') return undefined
  const own = (it: { readonly group: string }): boolean => it.group === name
  const known = registered.filter(own)
  const served = infos.filter(own)
  const group = known.length > 0 ? registeredGroups(known, served)[0] : servedGroups(served)[0]
  return group && { kind: 'APIGroup', apiVersion: 'v1', ...groupBody(group) }
}

/** `/api/v1` and `/apis/<group>/<version>`: an APIResourceList, or undefined for a version that is not served. */
export function apiResourceList(
  infos: readonly ResourceInfo[],
  group: string,
  version: string,
): Document | undefined {
  const resources = infos.filter((it) => it.group === group && it.version === version)
  if (resources.length === 0) return undefined
  return {
    kind: 'APIResourceList',
    // The core group's own list has always gone without it.
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: group === '' ? version : `${group}/${version}`,
    resources: resources.flatMap(resourceBodies),
  }
}

function groupBody({ name, versions }: RegisteredGroup): Document {
  const all = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }))
  return { name, versions: all, preferredVersion: all[0] }
}

function resourceBodies(info: ResourceInfo): readonly Document[] {
  const hash = storageVersionHash(info)
  const body = {
    name: info.plural,
    singularName: info.singular,
    namespaced: info.scope === 'Namespaced',
    kind: info.kind,
    verbs: verbsInOrder(info),
    ...(info.shortNames.length ? { shortNames: info.shortNames } : {}),
    ...(info.categories.length ? { categories: info.categories } : {}),
    ...(hash === undefined ? {} : { storageVersionHash: hash }),
  }
  return [body, ...info.subresources.map((it) => subresourceBody(info, it))]
}

function subresourceBody(info: ResourceInfo, it: SubresourceInfo): Document {
  const foreign = it.group !== info.group || it.version !== info.version
  return {
    name: `${info.plural}/${it.name}`,
    singularName: '',
    namespaced: info.scope === 'Namespaced',
    ...(foreign ? { group: it.group, version: it.version } : {}),
    kind: it.kind,
    verbs: it.verbs,
  }
}
