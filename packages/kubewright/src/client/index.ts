// The client
export {
  type Client,
  type ClientOptions,
  type ClientDefaults,
  type Subresource,
  createClient,
} from './client.ts'
export { type Call } from './exchange.ts'
export { type LogOptions } from './logs.ts'
export { type KindDirectory, type ServedKind } from './discovery.ts'
export { type MetadataKind, metadataOf, isMetadataOnly } from './metadata-only.ts'
export { listerWatcher } from './list-watch.ts'
export { type Write, type WriteVerb, type WriteObserver } from './write.ts'
// Errors
export { UnreachableError } from './answer.ts'
export { ConfigurationError } from './exchange.ts'
// Configuration
export {
  type KubeConfig,
  type ClusterEntry,
  type UserEntry,
  type ContextEntry,
  type ExecEntry,
  mergeKubeConfigs,
} from './kubeconfig/kubeconfig.ts'
export {
  type LoadOptions,
  loadKubeConfig,
  readKubeConfig,
  parseKubeConfig,
} from './kubeconfig/load.ts'
export { type ConnectOptions, connect, resolveContext } from './kubeconfig/connect.ts'
export { type Connection } from './connection.ts'
// Small parts
export { type LineDecoder, createLineDecoder } from './line-decoder.ts'
export { collectionPath, objectPath, groupVersionPath } from './path.ts'
