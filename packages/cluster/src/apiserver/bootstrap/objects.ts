import type { UnknownObject } from 'kubewright/machinery'
import { addressAt, addressRange } from '../registry/core/address-range.ts'
import { familyOf } from '../registry/core/ip.ts'
import { DEFAULT_RANGE } from '../registry/core/service-addresses.ts'
import { everyBuiltinResource, isServedByDefault } from '../resources/builtins.ts'
import type { ResourceInfo } from '../resources/resource.ts'
import { localApiServices } from './api-services.ts'
import { flowControlObjects } from './flow-control.ts'
import { ipAddress } from './ip-addresses.ts'
import { policyObjects } from './policy.ts'

/** One object that a cluster begins with, whole but for what the server mints, and where it lies. */
export interface BootstrapObject {
  readonly key: string
  readonly object: UnknownObject
}

const NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'] as const

const namespace = (name: string): BootstrapObject => ({
  key: `/namespaces//${name}`,
  object: {
    kind: 'Namespace',
    apiVersion: 'v1',
    metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  },
})

/** Where the service lies under which pods find the API server. */
export const SERVICE_KEY = '/services/default/kubernetes'

const service = (ip: string): BootstrapObject => ({
  key: SERVICE_KEY,
  object: {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: {
      name: 'kubernetes',
      namespace: 'default',
      labels: { component: 'apiserver', provider: 'kubernetes' },
    },
    spec: {
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: 6443 }],
      clusterIP: ip,
      clusterIPs: [ip],
      type: 'ClusterIP',
      sessionAffinity: 'None',
      ipFamilies: [familyOf(ip)],
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
    },
    status: { loadBalancer: {} },
  },
})

/** The range that addresses of services are taken from, ready from the start (kubernetes/pkg/controlplane/controller/defaultservicecidr). */
const serviceCidr = (
  now: string,
  { serviceRange = DEFAULT_RANGE, secondServiceRange }: BootstrapOptions,
): BootstrapObject => ({
  key: 'networking.k8s.io/servicecidrs//kubernetes',
  object: {
    kind: 'ServiceCIDR',
    apiVersion: 'networking.k8s.io/v1',
    metadata: { name: 'kubernetes' },
    spec: { cidrs: [serviceRange, ...(secondServiceRange ? [secondServiceRange] : [])] },
    status: {
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          lastTransitionTime: now,
          reason: '',
          message: 'Kubernetes default Service CIDR is ready',
        },
      ],
    },
  },
})

/** Since when the use of service-account tokens in secrets is noted (kubernetes/pkg/serviceaccount legacy tracking): a date. */
const tokenTracking = (now: string): BootstrapObject => ({
  key: '/configmaps/kube-system/kube-apiserver-legacy-service-account-token-tracking',
  object: {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: {
      name: 'kube-apiserver-legacy-service-account-token-tracking',
      namespace: 'kube-system',
    },
    data: { since: now.slice(0, 10) },
  },
})

const priority = (name: string, value: number, description: string): BootstrapObject => ({
  key: `scheduling.k8s.io/priorityclasses//${name}`,
  object: {
    kind: 'PriorityClass',
    apiVersion: 'scheduling.k8s.io/v1',
    metadata: { name, generation: 1 },
    value,
    description,
    preemptionPolicy: 'PreemptLowerPriority',
  },
})

/** What of a cluster's beginning depends on how its server is told to be. */
export interface BootstrapOptions {
  /** The range that addresses of services are taken from, of either family. Default `10.0.0.0/16`. */
  readonly serviceRange?: string
  /** A range of the other family. Default: there is none. */
  readonly secondServiceRange?: string
  /** Which built-in resources are served. Default: those whose version is served by default. */
  readonly serves?: (it: ResourceInfo) => boolean
}

/** Every group and version that is served. */
const localVersions = ({
  serves = isServedByDefault,
}: BootstrapOptions): readonly { readonly group: string; readonly version: string }[] => [
  ...new Map(
    everyBuiltinResource()
      .filter(serves)
      .map((it) => [`${it.group}/${it.version}`, it]),
  ).values(),
]

/** The first address of a range: the API server's service has it. */
export function firstAddress({ serviceRange = DEFAULT_RANGE }: BootstrapOptions): string {
  return addressAt(addressRange(serviceRange) ?? addressRange(DEFAULT_RANGE)!, 1n)
}

/**
 * What is made where it is not there before the server is ready (kubernetes/pkg/controlplane), by its storage keys; `now` in RFC 3339.
 */
export const bootstrapObjects = (
  now: string,
  options: BootstrapOptions = {},
): readonly BootstrapObject[] => [
  ...NAMESPACES.map(namespace),
  service(firstAddress(options)),
  serviceCidr(now, options),
  ipAddress(firstAddress(options), { namespace: 'default', name: 'kubernetes' }),
  tokenTracking(now),
  priority(
    'system-node-critical',
    2_000_001_000,
    'Used for system critical pods that must not be moved from their current node.',
  ),
  priority(
    'system-cluster-critical',
    2_000_000_000,
    'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  ),
  ...policyObjects(),
  ...flowControlObjects(now),
  ...localApiServices(localVersions(options), now),
]
