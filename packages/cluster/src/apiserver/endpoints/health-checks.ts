import type { Check, Health } from './health.ts'

/** What must be well for a server to be: each is undefined, or what is wrong. */
export interface Wellbeing {
  /** Whether the objects that every cluster begins with are there, and definitions are served. */
  readonly started: () => string | undefined
  readonly storage: () => string | undefined
  readonly shutdown: () => string | undefined
}

/** What kube-apiserver starts, in the order in which it tells whether it has. */
const HOOKS = [
  'start-apiserver-admission-initializer',
  'generic-apiserver-start-informers',
  'priority-and-fairness-config-consumer',
  'priority-and-fairness-filter',
  'storage-object-count-tracker-hook',
  'start-apiextensions-informers',
  'start-apiextensions-controllers',
  'crd-informer-synced',
  'start-system-namespaces-controller',
  'peer-endpoint-reconciler-controller',
  'start-cluster-authentication-info-controller',
  'start-kube-apiserver-identity-lease-controller',
  'start-kube-apiserver-identity-lease-garbage-collector',
  'storage-readiness',
  'start-legacy-token-tracking-controller',
  'start-service-ip-repair-controllers',
  'rbac/bootstrap-roles',
  'scheduling/bootstrap-system-priority-classes',
  'priority-and-fairness-config-producer',
  'bootstrap-controller',
  'start-kubernetes-service-cidr-controller',
  'aggregator-reload-proxy-client-cert',
  'start-kube-aggregator-informers',
  'apiservice-status-local-available-controller',
  'apiservice-status-remote-available-controller',
  'apiservice-registration-controller',
  'apiservice-discovery-controller',
  'kube-apiserver-autoregistration',
] as const

const LAST_HOOKS = ['apiservice-openapi-controller', 'apiservice-openapiv3-controller'] as const

/** The checks of each health path, under the names that kube-apiserver v1.36 has for them. */
export function healthChecks({ started, storage, shutdown }: Wellbeing): Health {
  const check = (name: string, run: Check['run']): Check => ({ name, run })
  const well = (): undefined => undefined
  const hook = (name: string): Check => check(`poststarthook/${name}`, started)
  const hooks = [
    ...HOOKS.map(hook),
    check('autoregister-completion', started),
    ...LAST_HOOKS.map(hook),
  ]
  const first = [check('ping', well), check('log', well)]
  const etcd = check('etcd', storage)
  return {
    healthz: [...first, check('loopback-serving-certificate', well), etcd, ...hooks],
    livez: [...first, check('loopback-serving-certificate', well), etcd, ...hooks],
    readyz: [
      ...first,
      etcd,
      check('etcd-readiness', storage),
      check('informer-sync', started),
      ...hooks,
      check('shutdown', shutdown),
    ],
  }
}
