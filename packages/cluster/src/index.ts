export {
  type ApiServer,
  type ApiServerOptions,
  type Address,
  type ServeOptions,
  createApiServer,
} from './apiserver/index.ts'
export {
  type Storage,
  type MemoryStorageOptions,
  type SqliteStorageOptions,
  StorageFailure,
  memoryStorage,
  sqliteStorage,
} from './apiserver/index.ts'
