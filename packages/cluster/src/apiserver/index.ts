export {
  type ApiServer,
  type ApiServerOptions,
  type Address,
  type ServeOptions,
  createApiServer,
} from './server.ts'
export { type User } from './http/message.ts'
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
