/**
 * Kubernetes' expression language: parse, check, estimate, evaluate. Pure; no I/O, no clock.
 *
 * In: a source text and the types of its variables. Out: a {@link Program}, or every mistake with its position and
 * cel-go's wording. A program reads plain JSON lazily through the declared types and counts its cost.
 */

// compile
export { parse } from './parser.ts'
export type { Parsed } from './parser.ts'
export type { Expr } from './ast.ts'
export { compile } from './compile.ts'
export type { CompileOptions } from './compile.ts'
export type {
  Bindings,
  Compiled,
  CostEstimate,
  EvaluateOptions,
  Evaluation,
  FailedStep,
  Issue,
  Program,
  SizeEstimate,
  SizeEstimator,
} from './program.ts'
export { extendEnvironment } from './environment.ts'
export type { Environment } from './environment.ts'
export { KUBERNETES, KUBERNETES_MUTATION } from './library/kubernetes.ts'

// types
export {
  ANY,
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  NULL,
  STRING,
  TIMESTAMP,
  TYPE,
  UINT,
  formatType,
  isOptionalType,
  listOf,
  mapOf,
  objectOf,
  optionalOf,
  sameType,
} from './cel-type.ts'
export type {
  CelField,
  CelType,
  ListType,
  MapType,
  ObjectType,
  OpaqueType,
  SimpleType,
} from './cel-type.ts'

export { QUANTITY_TYPE } from './library/quantity.ts'
export { CIDR_TYPE, IP_TYPE } from './library/ip.ts'
export { URL_TYPE } from './library/url.ts'
export { parseAnyUrl } from './library/go-url.ts'
export type { GoUrl } from './library/go-url.ts'
export { SEMVER_TYPE } from './library/semver.ts'
export { FORMAT_TYPE } from './library/named-format.ts'
export {
  AUTHORIZER_TYPE,
  RESOURCE_CHECK_TYPE,
  authorizerValue,
  resourceCheckValue,
} from './library/authorizer.ts'
export type { AccessDecision, AccessRequest, Authorizer } from './library/authorizer.ts'

// admission policies and match conditions
export { AdmissionCompiler } from './admission-compiler.ts'
export type {
  AdmissionExpression,
  AdmissionResult,
  AdmissionScope,
  AdmissionTypes,
} from './admission-compiler.ts'
export {
  ADMISSION_BUDGET,
  MATCH_CONDITION_BUDGET,
  evaluateAdmission,
} from './admission-evaluation.ts'
export type {
  AdmissionBindings,
  AdmissionOutcome,
  AdmissionOutcomes,
} from './admission-evaluation.ts'
export { goQuote } from './go-quote.ts'

// types from schemas
export { MAX_REQUEST_BYTES, celTypeOfSchema, maxCardinality } from './schema-type.ts'
export type { SchemaTypeOptions, StructuralSchema } from './schema-type.ts'
export { RESERVED_WORDS, escapeIdentifier, unescapeIdentifier } from './escape.ts'

// values
export {
  Duration,
  EvalError,
  OptionalValue,
  Timestamp,
  Uint,
  isError,
  isList,
  isMap,
  isOpaque,
} from './value.ts'
export type { ListValue, MapValue, OpaqueValue, Value } from './value.ts'
export { toJson, toText, typeNameProblems } from './to-json.ts'
export { parseDuration } from './time.ts'
