// Objects and kinds
export {
  type KubeObject,
  type UnknownObject,
  type ObjectMeta,
  type OwnerReference,
  type ManagedFieldsEntry,
  type ListMeta,
  type ListOf,
} from './object.ts'
export {
  type Kind,
  type ObjectOf,
  type Scope,
  type GroupVersionKind,
  apiVersionOf,
  parseApiVersion,
  kindOf,
  groupKindText,
  groupResourceText,
} from './kind.ts'
export { type ObjectKey, keyOf, keyText, parseKey } from './object-key.ts'
export { type WatchEvent, INITIAL_EVENTS_END } from './watch-event.ts'
// Errors
export {
  type Status,
  type StatusReason,
  type StatusDetails,
  type StatusCause,
  ApiError,
  failure,
  isNotFound,
  isAlreadyExists,
  isConflict,
  isInvalid,
  isForbidden,
  isUnauthorized,
  isExpired,
  isTooManyRequests,
  isTimeout,
  notFound,
  alreadyExists,
  conflict,
  OPTIMISTIC_LOCK,
  forbidden,
  badRequest,
  unauthorized,
  internalError,
  expired,
  methodNotAllowed,
} from './status.ts'
export {
  type FieldError,
  type FieldErrorType,
  fieldErrorBody,
  fieldErrorText,
  invalid,
  required,
  invalidValue,
  duplicate,
  forbiddenField,
  notFoundField,
  tooLong,
  tooMany,
  notSupported,
  typeInvalid,
} from './field-error.ts'
// Contracts
export {
  type Reader,
  type Writer,
  type ListerWatcher,
  type ReadOptions,
  type ListOptions,
  type WatchOptions,
  type WriteOptions,
  type DeleteOptions,
  type Patch,
  type Draft,
  type DraftOf,
} from './contracts.ts'
// Quantities
export {
  type Quantity,
  type QuantityFormat,
  QuantityError,
  parseQuantity,
  formatQuantity,
  canonicalQuantity,
  quantityProblem,
  quantityOf,
  compareQuantities,
  quantitiesEqual,
  quantitySign,
  addQuantities,
  subtractQuantities,
  multiplyQuantity,
  roundUpQuantity,
  scaledValue,
  quantityValue,
  quantityMilliValue,
} from './quantity.ts'
// Names
export {
  type NameRule,
  type ObjectNameRule,
  isDns1123Label,
  isDns1123Subdomain,
  isDns1123SubdomainWithUnderscore,
  isDns1035Label,
  isWildcardDns1123Subdomain,
  isQualifiedName,
  isLabelValue,
  isPortName,
  isPortNumber,
  isInRange,
  isCIdentifier,
  isHttpHeaderName,
  isPercent,
  isConfigMapKey,
  isEnvVarName,
  isRelaxedEnvVarName,
  isConditionReason,
  isPathSegmentName,
  isPathSegmentPrefix,
  nameIsDnsSubdomain,
  nameIsDnsLabel,
  nameIsDns1035Label,
  nameIsPathSegment,
  regexProblem,
  maxLengthProblem,
  rangeProblem,
} from './names.ts'
// Selectors
export {
  type LabelSelector,
  type LabelRequirement,
  type LabelOperator,
  type LabelSelectorSpec,
  labelSelector,
  everything,
  nothing,
  selectorOf,
  selectorOfLabels,
} from './selector/label-selector.ts'
export { parseLabelSelector } from './selector/parse-label-selector.ts'
export {
  type FieldSelector,
  type FieldTerm,
  parseFieldSelector,
  fieldSelector,
  escapeFieldValue,
} from './selector/field-selector.ts'
// Owners, finalizers, conditions, time
export {
  type OwnerKind,
  controllerReference,
  ownerReference,
  controllerOf,
  refersTo,
  ownershipProblem,
  withOwner,
  sameOwner,
} from './owner-reference.ts'
export { hasFinalizer, withFinalizer, withoutFinalizer, isDeleting } from './finalizer.ts'
export {
  type Condition,
  type ConditionStatus,
  type ConditionDraft,
  type ConditionContext,
  condition,
  findCondition,
  isConditionTrue,
  completeConditions,
  setConditions,
} from './condition.ts'
export { summary } from './summary.ts'
export { type Progress, progressOf } from './kstatus.ts'
export { timeText, microTimeText } from './time.ts'
export { compareResourceVersions } from './resource-version.ts'
// Patches
export { type JsonValue, type JsonObject } from './patch/json.ts'
export { PatchError, type PatchErrorReason } from './patch/patch-error.ts'
export {
  type JsonPatch,
  decodeJsonPatch,
  applyJsonPatch,
  maxJsonPatchOperations,
} from './patch/json-patch.ts'
export { applyMergePatch, createMergePatch } from './patch/merge-patch.ts'
export { formatGo } from './patch/go-format.ts'
export { type PatchSchema, type PatchField } from './patch/schema.ts'
export { openApiPatchSchemas } from './patch/openapi-patch-schema.ts'
export { applyStrategicMergePatch } from './patch/strategic-merge.ts'
// Apply and managed fields
export {
  type FieldManager,
  type FieldManagerScope,
  type ApplyResult,
  createFieldManager,
} from './apply/field-manager.ts'
export {
  type Convert,
  type Converting,
  type TypeLookup,
  runConverting,
  runConvertingAsync,
} from './apply/conversion.ts'
export { type ConflictReport } from './apply/conflict-report.ts'
export { type FieldType } from './apply/type.ts'
export { mergeConfiguration } from './apply/merge-configuration.ts'
export { type FieldFilter, excludeFields, includeFields } from './apply/field-filter.ts'
export { type FieldSet, fieldSetOf } from './apply/field-set.ts'
export { type FieldPath, fieldPath } from './apply/path-element.ts'
export {
  type ReplicasPaths,
  parentManagedFields,
  scaleManagedFields,
} from './apply/scale-managed-fields.ts'
export { schemaTypeReader } from './apply/schema-types.ts'
export { customResourceType } from './apply/custom-resource-type.ts'
export { emptyObjectOf } from './apply/empty-object.ts'
export { keepTimestamps } from './apply/keep-timestamps.ts'
export { managerName } from './apply/manager-identity.ts'
export { type JsonPath, JsonPathError, parseJsonPath, printResults } from './json-path.ts'
export { goFloat, goNumber } from './go-number.ts'
