import { objectAt, textAt, textsAt } from '../fields.ts'
import type { Draft } from '../strategy.ts'
import { cidrWarnings, ipWarnings } from './ip-warnings.ts'

const HINTS = 'service.kubernetes.io/topology-aware-hints'
const MODE = 'service.kubernetes.io/topology-mode'

/** What is odd about a service (kubernetes/pkg/api/service/warnings.go). */
export function serviceWarnings(service: Draft): readonly string[] {
  const spec = objectAt(service, 'spec') ?? {}
  const type = textAt(spec, 'type')
  const external = textsAt(spec, 'externalIPs')
  const balancer = textAt(spec, 'loadBalancerIP')
  const clusterIP = textAt(spec, 'clusterIP')
  const isHeadless = type === 'ClusterIP' && clusterIP === 'None'
  const isName = type === 'ExternalName'
  const hasAddress = clusterIP !== '' && clusterIP !== 'None'
  const say = (isSo: boolean, text: string): readonly string[] => (isSo ? [text] : [])
  return [
    ...say(
      service.metadata.annotations?.[HINTS] !== undefined,
      `annotation ${HINTS} is deprecated, please use ${MODE} instead`,
    ),
    ...(hasAddress ? textsAt(spec, 'clusterIPs') : []).flatMap((it, i) =>
      ipWarnings(`spec.clusterIPs[${i}]`, it),
    ),
    ...say(isHeadless && balancer !== '', 'spec.loadBalancerIP is ignored for headless services'),
    ...say(isHeadless && external.length > 0, 'spec.externalIPs is ignored for headless services'),
    ...say(
      isHeadless && textAt(spec, 'sessionAffinity') !== 'None',
      'spec.SessionAffinity is ignored for headless services',
    ),
    ...external.flatMap((it, i) => ipWarnings(`spec.externalIPs[${i}]`, it)),
    ...say(
      external.length > 0 && !isHeadless && !isName,
      'spec.externalIPs is deprecated and may no longer be implemented in some clusters',
    ),
    ...(balancer === '' ? [] : ipWarnings('spec.loadBalancerIP', balancer)),
    ...textsAt(spec, 'loadBalancerSourceRanges').flatMap((it, i) =>
      cidrWarnings(`spec.loadBalancerSourceRanges[${i}]`, it),
    ),
    ...say(
      isName && external.length > 0,
      'spec.externalIPs is ignored when spec.type is "ExternalName"',
    ),
    ...say(
      !isName && textAt(spec, 'externalName') !== '',
      'spec.externalName is ignored when spec.type is not "ExternalName"',
    ),
    ...say(
      textAt(spec, 'trafficDistribution') === 'PreferClose',
      'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
    ),
  ]
}
