// The client
export {
  type Client,
  type ClientOptions,
  type ClientDefaults,
  type Subresource,
  createClient,
} from './client.ts'
export { type Call } from './exchange.ts'
export { type CallTimeout, type TimedVerb } from './deadline.ts'
export { type RateLimit } from './rate-limit.ts'
export {
  type ConflictOptions,
  type CreateOrUpdateOptions,
  type Settled,
  createOrUpdate,
  retryOnConflict,
} from './create-or-update.ts'
export { type LogOptions } from './logs.ts'
export { type KindDirectory, type ServedKind } from './discovery.ts'
export { type MetadataKind, metadataOf, isMetadataOnly } from './metadata-only.ts'
export { listerWatcher } from './list-watch.ts'
export { type Write, type WriteVerb, type WriteObserver } from './write.ts'
// Streams
export { type ExecOptions, type Output, type Ran, type Session, runIn } from './streams/exec.ts'
export { type Tunnel } from './streams/port-forward.ts'
export { type ForwardedPort, type ForwardOptions, forwardPort } from './streams/forward-port.ts'
export { type CopyOptions, copyFrom, copyTo } from './streams/copy.ts'
export { type TarEntry, decodeTar, encodeTarEntry } from './streams/tar.ts'
export { type WebSocketConnection } from './streams/websocket.ts'
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
  type AuthProviderEntry,
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
