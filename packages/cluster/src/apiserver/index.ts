/**
 * A kube-apiserver in this process. A request comes in over `http` or `fetch`, through the `filters`, to a verb of `endpoints`; a write
 * goes down the arrays of `endpoints/pipeline.ts`, past admission and the kind's strategy, to `storage`; a `watch` comes up from its
 * event log. `definitions` serves what CustomResourceDefinitions ask for, `webhooks` asks those that others registered, `bootstrap`
 * makes what every cluster begins with.
 *
 * In: requests, and a Storage, Clock and Random. Out: answers, byte for byte those of kube-apiserver v1.36 where that can be. It runs no
 * controller and no node.
 */
export { type ApiServer, type Address, createApiServer } from './server.ts'
export {
  type ApiServerOptions,
  type ServeOptions,
  type RequestLimits,
  type ShutdownOptions,
} from './server-options.ts'
export { type Answer, type ApiRequest, type User } from './http/message.ts'
export { type FindKubelet, type Kubelet, type KubeletTls } from './proxy/connecting.ts'
export { type FindApi, type InProcessApi } from './aggregation/in-process.ts'
export { type ResolveService } from './http/webhook-call.ts'
export { type TlsMaterial } from './http/listener.ts'
export {
  type Storage,
  type Stored,
  type Change,
  type Range,
  type Page,
  type Snapshot,
  type Swap,
  Compacted,
  StorageFailure,
} from './storage/storage.ts'
export { type MemoryStorageOptions, memoryStorage } from './storage/memory-storage.ts'
export { decodeSnapshot, encodeSnapshot } from './storage/snapshot-text.ts'
export { type SqliteStorageOptions, sqliteStorage } from './storage/sqlite-storage.ts'
export { type AdmissionPlugin, type AdmissionRequest } from './admission/admission.ts'
export {
  type AdmissionConfiguration,
  type AdmissionSelection,
  ADMISSION_PLUGIN_NAMES,
  ADMISSION_PLUGINS,
} from './admission/plugins.ts'
export { type AdmissionEvent, type AdmissionObserver } from './admission/observer.ts'
// Who is who, who may what, and what is kept of it
export { type AuthenticationOptions } from './authentication/make-authentication.ts'
export { type ServiceAccountOptions } from './authentication/service-account-tokens.ts'
export { type AuthorizationMode } from './authorization/stock.ts'
export { type AuditPolicy } from './audit/policy.ts'
export { type AuditSink } from './audit/sink.ts'
export { type AuditEvent } from './audit/entry.ts'
export { type EncryptionConfiguration } from './encryption/configuration.ts'
// kube-apiserver's own flags
export { parseArguments } from './configuration/parse-arguments.ts'
export { optionsFromFlags, type ServerConfiguration } from './configuration/options.ts'
export { FlagError } from './configuration/flag-error.ts'
export { followConfiguration, type Following } from './configuration/follow.ts'
export { type Loaded, loadConfiguration } from './configuration/load.ts'
export { FLAGS, type FlagSpec } from './configuration/flag-table.ts'
export { versionInfo } from './endpoints/version.ts'
