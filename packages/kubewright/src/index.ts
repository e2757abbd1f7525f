// Write an operator
export {
  type Manager,
  type ManagerOptions,
  type Running,
  type Runnable,
  manager,
} from './manager/index.ts'
export {
  type Context,
  type KeyContext,
  type Result,
  type ControllerBuilder,
  type ControllerDefinition,
  type ControllerOptions,
  type Reconciler,
  type KeyReconciler,
  type StatusDraft,
  type Listers,
  type Source,
  controller,
  terminalError,
  temporaryError,
  type RetryPolicy,
} from './controller/index.ts'
// Declare a kind
export { type DeclaredKind, installKinds, declaredKinds } from './manager/index.ts'
export { kind } from './schema/kind.ts'
export { s } from './schema/words.ts'
export { type Kind, type ObjectOf, kindOf } from './machinery/index.ts'
// Choose what counts
export {
  type Predicate,
  generationChanged,
  labelsChanged,
  annotationsChanged,
  resourceVersionChanged,
  labelsMatch,
  objectsWhere,
  and,
  or,
  not,
} from './controller/index.ts'
export { cacheOnly, withoutManagedFields } from './cache/index.ts'
// Talk to a server
export {
  type Client,
  type ClientOptions,
  createClient,
  metadataOf,
  UnreachableError,
  ConfigurationError,
} from './client/index.ts'
export {
  type KubeObject,
  type UnknownObject,
  type ObjectMeta,
  type ObjectKey,
  type OwnerReference,
  type Draft,
  type Patch,
  keyOf,
  keyText,
} from './machinery/index.ts'
// Errors of the API
export {
  ApiError,
  isNotFound,
  isAlreadyExists,
  isConflict,
  isInvalid,
  isForbidden,
  isUnauthorized,
  isExpired,
  isTooManyRequests,
  isTimeout,
} from './machinery/index.ts'
// Conditions, owners, finalizers
export {
  type Condition,
  type ConditionDraft,
  type ConditionStatus,
  condition,
  findCondition,
  isConditionTrue,
  setConditions,
  controllerReference,
  ownerReference,
  controllerOf,
  hasFinalizer,
  isDeleting,
  summary,
  progressOf,
} from './machinery/index.ts'
// Admit and convert
export {
  type WebhookDefinition,
  type Defaulter,
  type Validator,
  defaulting,
  validating,
  converting,
  spoke,
} from './webhook/index.ts'
// Watch it work
export { type RuntimeEvent, type RuntimeObserver } from './controller/index.ts'
export { type Logger, createLogger, textSink, jsonSink } from './base/index.ts'
