import { gateOf, isServedByDefault } from '../resources/builtins.ts'
import type { ResourceInfo } from '../resources/resource.ts'
import type { ApiServerOptions } from '../server-options.ts'

/**
 * Which built-in resources a server serves: those that its options name, or else those of versions that kube-apiserver v1.36 serves by
 * default; one that needs a feature gate only where the gate is on.
 */
export function servedBy({
  serves = isServedByDefault,
  featureGates = {},
}: Pick<ApiServerOptions, 'serves' | 'featureGates'>): (info: ResourceInfo) => boolean {
  return (info) => {
    const gate = gateOf(info)
    return serves(info) && (gate === undefined || featureGates[gate] === true)
  }
}
