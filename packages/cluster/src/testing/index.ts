/**
 * A whole control plane for a test, in its own process and in milliseconds: API server, stock controllers, simulated nodes, and ways to
 * wait for what should come to hold.
 */
export { type Cluster, type ClusterOptions, startCluster } from './cluster.ts'
export { type UntilOptions, NotYetError } from './until.ts'
