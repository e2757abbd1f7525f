import { everyBuiltinResource, type KindName } from '../resources/builtins.ts'

/** Kinds that every group has beside its own. */
const IN_EVERY_GROUP: readonly string[] = [
  'CreateOptions',
  'DeleteOptions',
  'GetOptions',
  'ListOptions',
  'PatchOptions',
  'UpdateOptions',
  'WatchEvent',
]

const IN_CORE: readonly string[] = [
  'APIGroup',
  'APIGroupList',
  'APIResourceList',
  'APIVersions',
  'List',
  'NodeProxyOptions',
  'PodAttachOptions',
  'PodExecOptions',
  'PodLogOptions',
  'PodPortForwardOptions',
  'PodProxyOptions',
  'PodStatusResult',
  'RangeAllocation',
  'SerializedReference',
  'ServiceProxyOptions',
  'Status',
]

const KINDS: ReadonlySet<string> = new Set([
  ...everyBuiltinResource().flatMap(({ group, version, kind, listKind, subresources }) => [
    ...[kind, listKind, ...IN_EVERY_GROUP].map((it) => `${group}/${version}/${it}`),
    ...subresources.map((it) => `${it.group}/${it.version}/${it.kind}`),
  ]),
  ...IN_CORE.map((it) => `/v1/${it}`),
])

/** Whether Kubernetes' scheme knows a kind: a body of such a kind is read, and fails only when it is to be converted. */
export const isRegistered = ({ group, version, kind }: KindName): boolean =>
  KINDS.has(`${group}/${version}/${kind}`)
