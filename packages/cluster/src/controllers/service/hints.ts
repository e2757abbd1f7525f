import type { Service } from 'kubewright/kinds/core/v1'
import type { Endpoint } from 'kubewright/kinds/discovery.k8s.io/v1'

const SAME_ZONE: readonly string[] = ['PreferClose', 'PreferSameZone', 'PreferSameNode']

/** For whom an endpoint is meant, by how a service wants its traffic distributed (endpointslice/trafficdist, KEP-3015). */
export function hintsFor({ spec }: Service, endpoint: Endpoint): Endpoint['hints'] | undefined {
  const wish = spec?.trafficDistribution ?? ''
  const { zone, nodeName, conditions } = endpoint
  if (!SAME_ZONE.includes(wish) || conditions?.ready !== true) return undefined
  const forNodes = wish === 'PreferSameNode' && nodeName ? [{ name: nodeName }] : []
  const forZones = zone ? [{ name: zone }] : []
  if (forNodes.length + forZones.length === 0) return undefined
  return {
    ...(forZones.length > 0 && { forZones }),
    ...(forNodes.length > 0 && { forNodes }),
  }
}
