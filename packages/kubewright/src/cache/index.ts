export { type Cache, type CacheOptions, type CachedKind, createCache, cacheOnly } from './cache.ts'
export {
  type InformerSelection,
  type NamespaceSelector,
  onlyFields,
  withoutManagedFields,
} from './selection.ts'
export { type Informer, type InformerHealth, type ChangeListener } from './informer.ts'
export { type Lister, type Selection } from './lister.ts'
export { type Change } from './store.ts'
// The reflector
export {
  type ReflectorState,
  type ReflectorInput,
  type ReflectorAction,
  type ReflectorStep,
  type Delta,
  newReflector,
  stepReflector,
} from './reflector.ts'
export { type ReflectorOptions, runReflector } from './run-reflector.ts'
export { deepFreeze } from '../base/deep-freeze.ts'
