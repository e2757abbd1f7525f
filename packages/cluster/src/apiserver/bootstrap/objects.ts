import type { UnknownObject } from 'kubewright/machinery'
import { DEFAULT_RANGE } from '../registry/core/service-addresses.ts'
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

/** The service under which pods find the API server. */
export const SERVICE: BootstrapObject = {
  key: '/services/default/kubernetes',
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
      clusterIP: '10.0.0.1',
      clusterIPs: ['10.0.0.1'],
      type: 'ClusterIP',
      sessionAffinity: 'None',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
    },
    status: { loadBalancer: {} },
  },
}

/** The range that addresses of services are taken from, ready from the start (kubernetes/pkg/controlplane/controller/defaultservicecidr). */
const serviceCidr = (now: string): BootstrapObject => ({
  key: 'networking.k8s.io/servicecidrs//kubernetes',
  object: {
    kind: 'ServiceCIDR',
    apiVersion: 'networking.k8s.io/v1',
    metadata: { name: 'kubernetes' },
    spec: { cidrs: [DEFAULT_RANGE] },
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

/** What is made where it is not there before the server is ready (kubernetes/pkg/controlplane), by its storage keys; `now` in RFC 3339. */
export const bootstrapObjects = (now: string): readonly BootstrapObject[] => [
  ...NAMESPACES.map(namespace),
  SERVICE,
  serviceCidr(now),
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
]
