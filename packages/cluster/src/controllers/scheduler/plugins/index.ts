/** The concerns of the default scheduler, in the order of its plugins (scheduler/apis/config/v1/default_plugins.go). */
import type { Plugin } from '../plugin.ts'
import { imageLocality } from './image-locality.ts'
import { interPodAffinity } from './inter-pod-affinity.ts'
import { nodeAffinity, nodeName, nodeUnschedulable, taintToleration } from './node-properties.ts'
import { balancedAllocation, nodePorts, nodeResourcesFit } from './node-resources.ts'
import { topologySpread } from './topology-spread.ts'
import { nodeVolumeLimits, volumeBinding, volumeRestrictions, volumeZone } from './volumes.ts'

/** All of them; the first that refuses a node says why. */
export const PLUGINS: readonly Plugin[] = Object.freeze([
  nodeUnschedulable,
  nodeName,
  taintToleration,
  nodeAffinity,
  nodePorts,
  nodeResourcesFit,
  volumeRestrictions,
  nodeVolumeLimits,
  volumeBinding,
  volumeZone,
  topologySpread,
  interPodAffinity,
  balancedAllocation,
  imageLocality,
])
