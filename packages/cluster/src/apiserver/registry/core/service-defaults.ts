import {
  ensureObject,
  fillAbsent,
  fillEmpty,
  has,
  itemsAt,
  objectAt,
  textAt,
  textsAt,
  type Readable,
} from '../fields.ts'
import type { Draft } from '../strategy.ts'

const SPEC_DEFAULTS = Object.freeze({ sessionAffinity: 'None', type: 'ClusterIP' })
/** Three hours. */
const AFFINITY_SECONDS = 10800
const WITH_INTERNAL_POLICY: ReadonlySet<string> = new Set(['ClusterIP', 'NodePort', 'LoadBalancer'])

/** Whether traffic from outside can reach the service by a port or an address of its own. */
export function externallyAccessible(spec: Readable): boolean {
  const type = textAt(spec, 'type')
  if (type === 'LoadBalancer' || type === 'NodePort') return true
  return type === 'ClusterIP' && textsAt(spec, 'externalIPs').length > 0
}

/** The defaults of a service (kubernetes/pkg/apis/core/v1/defaults.go SetDefaults_Service). */
export function defaultService(object: Draft): void {
  const spec = ensureObject(object, 'spec')
  fillEmpty(spec, SPEC_DEFAULTS)
  defaultAffinity(spec)
  for (const port of itemsAt(spec, 'ports')) {
    fillEmpty(port, { protocol: 'TCP' })
    if (!port['targetPort']) port['targetPort'] = port['port']
  }
  if (externallyAccessible(spec)) fillEmpty(spec, { externalTrafficPolicy: 'Cluster' })
  const type = textAt(spec, 'type')
  if (WITH_INTERNAL_POLICY.has(type)) fillAbsent(spec, { internalTrafficPolicy: 'Cluster' })
  if (type === 'LoadBalancer') fillAbsent(spec, { allocateLoadBalancerNodePorts: true })
  const balancer = ensureObject(ensureObject(object, 'status'), 'loadBalancer')
  if (type !== 'LoadBalancer') return
  for (const each of itemsAt(balancer, 'ingress'))
    if (has(each, 'ip')) fillAbsent(each, { ipMode: 'VIP' })
}

function defaultAffinity(spec: Record<string, unknown>): void {
  if (textAt(spec, 'sessionAffinity') === 'None') delete spec['sessionAffinityConfig']
  if (textAt(spec, 'sessionAffinity') !== 'ClientIP') return
  const config = objectAt(objectAt(spec, 'sessionAffinityConfig'), 'clientIP')
  if (has(config, 'timeoutSeconds')) return
  spec['sessionAffinityConfig'] = { clientIP: { timeoutSeconds: AFFINITY_SECONDS } }
}
