import { APIService } from 'kubewright/kinds/apiregistration.k8s.io/v1'
import { ClusterRole } from 'kubewright/kinds/rbac.authorization.k8s.io/v1'
import { isAlreadyExists } from 'kubewright/machinery'
import type { Runnable } from 'kubewright/manager'

/** The service that stands for the metrics API: there is none, since it is in this process. */
export const METRICS_SERVICE: { readonly namespace: string; readonly name: string } = Object.freeze(
  { namespace: 'kube-system', name: 'metrics-server' },
)

/** Who may view may read metrics, as where a metrics-server is installed. */
const READER = {
  metadata: {
    name: 'system:aggregated-metrics-reader',
    labels: {
      'k8s-app': 'metrics-server',
      'rbac.authorization.k8s.io/aggregate-to-admin': 'true',
      'rbac.authorization.k8s.io/aggregate-to-edit': 'true',
      'rbac.authorization.k8s.io/aggregate-to-view': 'true',
    },
  },
  rules: [
    {
      apiGroups: ['metrics.k8s.io'],
      resources: ['pods', 'nodes'],
      verbs: ['get', 'list', 'watch'],
    },
  ],
}

const SERVICE = {
  metadata: { name: 'v1beta1.metrics.k8s.io', labels: { 'k8s-app': 'metrics-server' } },
  spec: {
    group: 'metrics.k8s.io',
    version: 'v1beta1',
    groupPriorityMinimum: 100,
    versionPriority: 100,
    insecureSkipTLSVerify: true,
    service: METRICS_SERVICE,
  },
}

/** Registers the metrics API with its server, unless somebody has. */
export function metricsRegistration(): Runnable {
  return {
    name: 'metrics registration',
    async run({ client }) {
      await client.create(ClusterRole, READER).catch(unlessThere)
      await client.create(APIService, SERVICE).catch(unlessThere)
    },
  }
}

function unlessThere(error: unknown): void {
  if (!isAlreadyExists(error)) throw error
}
