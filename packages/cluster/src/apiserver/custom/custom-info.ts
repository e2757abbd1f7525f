import type { CrdVersion, CustomResourceDefinition } from 'kubewright/schema'
import { compareVersions } from '../discovery/version-order.ts'
import type { ResourceInfo, SubresourceInfo, Verb } from '../resources/resource.ts'

/** In the order in which discovery tells them for custom resources. */
const VERBS: readonly Verb[] = Object.freeze([
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'create',
  'update',
  'watch',
])

const PART_VERBS: readonly Verb[] = Object.freeze(['get', 'patch', 'update'])

/** Where the objects of a definition lie. */
export const storageKeyOf = (crd: CustomResourceDefinition): string =>
  `${crd.spec.group}/${crd.spec.names.plural}`

/** What discovery tells of one version of a definition. */
export function customInfo(crd: CustomResourceDefinition, version: CrdVersion): ResourceInfo {
  const { group, scope, versions } = crd.spec
  const accepted = crd.status?.acceptedNames
  const names = accepted?.kind ? accepted : crd.spec.names
  return {
    group,
    version: version.name,
    kind: names.kind,
    listKind: names.listKind ?? `${names.kind}List`,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    scope,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    verbs: VERBS,
    subresources: subresourcesOf(group, names.kind, version),
    storageVersion: versions.find((it) => it.storage)?.name ?? version.name,
    storageKey: storageKeyOf(crd),
    custom: true,
  }
}

function subresourcesOf(
  group: string,
  kind: string,
  version: CrdVersion,
): readonly SubresourceInfo[] {
  const { status, scale } = version.subresources ?? {}
  return [
    ...(status ? [{ name: 'status', kind, group, version: version.name, verbs: PART_VERBS }] : []),
    ...(scale
      ? [{ name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: PART_VERBS }]
      : []),
  ]
}

/**
 * The warning that requests for a deprecated version get: its own, or one that names the best of the better versions
 * (apiextensions-apiserver/pkg/apiserver/customresource_handler.go defaultDeprecationWarning).
 */
export function deprecationOf(
  crd: CustomResourceDefinition,
  version: CrdVersion,
): string | undefined {
  if (!version.deprecated) return undefined
  if (version.deprecationWarning !== undefined) return version.deprecationWarning
  const { group, names, versions } = crd.spec
  const [better] = versions
    .filter((it) => it.served && !it.deprecated && compareVersions(it.name, version.name) < 0)
    .map((it) => it.name)
    .toSorted(compareVersions)
  const instead = better === undefined ? '' : `; use ${group}/${better} ${names.kind}`
  return `${group}/${version.name} ${names.kind} is deprecated${instead}`
}
