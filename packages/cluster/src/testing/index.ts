export { type Cluster, type ClusterOptions, startCluster } from './cluster.ts'
export { type UntilOptions, NotYetError } from './until.ts'
