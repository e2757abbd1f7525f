import { Endpoints, type EndpointAddress, type EndpointSubset } from 'kubewright/kinds/core/v1'
import type { Endpoint, EndpointSlice } from 'kubewright/kinds/discovery.k8s.io/v1'
import { controllerReference, type Draft } from 'kubewright/machinery'
import { canonicalJson } from '../workload/template-hash.ts'
import { MANAGED_BY, SERVICE_NAME, type SlicePlan } from './slices.ts'

export const MIRROR = 'endpointslicemirroring-controller.k8s.io'
const SKIP = 'endpointslice.kubernetes.io/skip-mirror'
const LEADER = 'control-plane.alpha.kubernetes.io/leader'
const NOT_COPIED: ReadonlySet<string> = new Set([
  'endpoints.kubernetes.io/last-change-trigger-time',
  'kubectl.kubernetes.io/last-applied-configuration',
])
/** How many addresses of a subset are mirrored (kube-controller-manager --mirroring-max-endpoints-per-subset). */
const MOST = 1000

/** Whether Endpoints are mirrored at all: unless they say not, or serve an election. */
export function isMirrored(endpoints: Endpoints): boolean {
  const { labels, annotations } = endpoints.metadata
  return labels?.[SKIP] !== 'true' && annotations?.[LEADER] === undefined
}

type Family = 'IPv4' | 'IPv6'

/** Compares the slices that mirror some Endpoints with these (kubernetes/pkg/controller/endpointslicemirroring). */
export function planMirror(endpoints: Endpoints, slices: readonly EndpointSlice[]): SlicePlan {
  const wanted = (endpoints.subsets ?? []).flatMap((subset) =>
    (['IPv4', 'IPv6'] as const).flatMap((family) => mirrored(endpoints, subset, family)),
  )
  const left = [...slices]
  const create: Draft<EndpointSlice>[] = []
  const update: EndpointSlice[] = []
  for (const draft of wanted) {
    const place = left.findIndex((it) => sameGroup(it, draft))
    const [there] = place < 0 ? [] : left.splice(place, 1)
    if (!there) create.push(draft)
    else if (differs(there, draft)) update.push(renewed(there, draft))
  }
  return { create, update, remove: left }
}

const group = (it: Draft<EndpointSlice>): string => canonicalJson([it.addressType, it.ports ?? []])
const sameGroup = (a: Draft<EndpointSlice>, b: Draft<EndpointSlice>): boolean =>
  group(a) === group(b)

const content = ({ endpoints, metadata }: Draft<EndpointSlice>): string =>
  canonicalJson([endpoints ?? [], metadata?.labels, { ...metadata?.annotations }])
const differs = (a: Draft<EndpointSlice>, b: Draft<EndpointSlice>): boolean =>
  content(a) !== content(b)

function renewed(slice: EndpointSlice, draft: Draft<EndpointSlice>): EndpointSlice {
  const { labels = {}, annotations = {} } = draft.metadata ?? {}
  return {
    ...slice,
    metadata: { ...slice.metadata, labels, annotations } as EndpointSlice['metadata'],
    endpoints: draft.endpoints ?? [],
  }
}

function mirrored(
  endpoints: Endpoints,
  subset: EndpointSubset,
  family: Family,
): readonly Draft<EndpointSlice>[] {
  const of = (list: readonly EndpointAddress[] | undefined, ready: boolean): readonly Endpoint[] =>
    (list ?? [])
      .filter(({ ip }) => ip.includes(':') === (family === 'IPv6'))
      .map((it) => endpointOf(it, ready))
  const all = [...of(subset.addresses, true), ...of(subset.notReadyAddresses, false)]
  if (all.length === 0) return []
  const { name, namespace, labels, annotations = {} } = endpoints.metadata
  const copied = Object.entries(annotations).filter(([key]) => !NOT_COPIED.has(key))
  return [
    {
      metadata: {
        namespace: namespace!,
        generateName: `${name}-`,
        labels: { ...labels, [SERVICE_NAME]: name!, [MANAGED_BY]: MIRROR },
        annotations: Object.fromEntries(copied),
        ownerReferences: [controllerReference(Endpoints, endpoints)],
      },
      addressType: family,
      ports: (subset.ports ?? []).map(({ name: port = '', ...it }) => ({ name: port, ...it })),
      endpoints: all.slice(0, MOST),
    },
  ]
}

function endpointOf(
  { ip, hostname, nodeName, targetRef }: EndpointAddress,
  ready: boolean,
): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname && { hostname }),
    ...(targetRef && { targetRef }),
    ...(nodeName && { nodeName }),
  }
}
