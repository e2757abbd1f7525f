/**
 * A kube-apiserver in this process. A request comes in over `http` or `fetch`, through the `filters`, to a verb of `endpoints`; a write
 * goes down the arrays of `endpoints/pipeline.ts`, past admission and the kind's strategy, to `storage`; a `watch` comes up from its
 * event log. `definitions` serves what CustomResourceDefinitions ask for, `webhooks` asks those that others registered, `bootstrap`
 * makes what every cluster begins with.
 *
 * In: requests, and a Storage, Clock and Random. Out: answers, byte for byte those of kube-apiserver v1.36 where that can be. It runs no
 * controller and no node.
 */
export {
  type ApiServer,
  type ApiServerOptions,
  type Address,
  type ServeOptions,
  createApiServer,
} from './server.ts'
export { type Answer, type ApiRequest, type User } from './http/message.ts'
export { type Connector } from './endpoints/server-parts.ts'
export { type ResolveService } from './http/webhook-call.ts'
export { type TlsMaterial } from './http/listener.ts'
export {
  type Storage,
  type Stored,
  type Change,
  type Range,
  type Page,
  type Swap,
  Compacted,
  StorageFailure,
} from './storage/storage.ts'
export { type MemoryStorageOptions, memoryStorage } from './storage/memory-storage.ts'
export { type SqliteStorageOptions, sqliteStorage } from './storage/sqlite-storage.ts'
export { type AdmissionPlugin, type AdmissionRequest } from './admission/admission.ts'
export { ADMISSION_PLUGINS } from './admission/plugins.ts'
