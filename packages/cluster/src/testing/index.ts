/**
 * A whole control plane for a test, in its own process and in milliseconds: API server, stock controllers, nodes (simulated, or with real processes), and ways to
 * wait for what should come to hold.
 */
export { type ClusterOptions } from './cluster-options.ts'
export { type Cluster, startCluster } from './cluster.ts'
export { restoreDataFolder } from './data-folder.ts'
export { decodeSnapshot, encodeSnapshot, type Snapshot } from '../apiserver/index.ts'
export { type UntilOptions, NotYetError } from './until.ts'
export {
  type ImageMap,
  type ImageProgram,
  type ProcessNodeOptions,
  parseImageMap,
  processNode,
} from '../nodes/index.ts'
// How pods behave
export {
  type PodRule,
  type PodMatch,
  whenPod,
  type Stage,
  type StageNext,
  stage,
} from '../nodes/index.ts'
