/**
 * From an author's declaration to types and a CustomResourceDefinition, and from a definition's schema to what a server does with
 * an object: prune, default, validate. Pure: no I/O, no clock.
 *
 * In: declarations, structural schemas, plain JSON. Out: types, definitions, conformed JSON, field errors. It never writes to what
 * it is given.
 */

// Declaring
export { kind, pluralOf, type CustomKind, type SpecOf } from './kind.ts'
export type {
  ColumnDeclaration,
  CustomObject,
  FieldPath,
  KindDeclaration,
  Part,
  PartRead,
  PartWrite,
  StatusRead,
  VersionedKind,
} from './kind-declaration.ts'
export { s, type SchemaWords } from './words.ts'
export type { Builder, EmbeddedResource } from './builder.ts'
export type { Fragment, Fragments, ListFragment } from './fragments/fragments.ts'
export type {
  ArrayOptions,
  CommonOptions,
  Declared,
  DefaultFor,
  ListRead,
  ListWrite,
  MapKey,
  MapOptions,
  MapRead,
  MapWrite,
  NumberOptions,
  ObjectDefault,
  ObjectOptions,
  ObjectRead,
  StringFormat,
  StringOptions,
} from './builder-options.ts'
export {
  type Fields,
  type FieldsRead,
  type FieldsWrite,
  type ReadOf,
  type Schema,
  type SchemaPresence,
  type SchemaTypeError,
  type WriteOf,
  schemaOf,
} from './schema.ts'
export { definitionOf } from './definition.ts'
// Definitions
export type {
  CrdCondition,
  CrdConditionType,
  CrdConversion,
  CrdNames,
  CrdSpec,
  CrdStatus,
  CrdSubresources,
  CrdVersion,
  CustomResourceDefinition,
  PrinterColumn,
  ScalePaths,
} from './custom-resource-definition.ts'
export type { JsonSchema, ListType, MapType, RuleReason, ValidationRule } from './json-schema.ts'
// Schemas at work
export {
  type SchemaNode,
  type SchemaUse,
  asResourceRoot,
  compilePattern,
  compileSchema,
} from './schema-node.ts'
export { structuralErrors } from './structural-check.ts'
export { validateDefaults } from './default-check.ts'
export { type ConformOptions, conform } from './conform.ts'
export { validateValue } from './validate-value.ts'
export { isInteger } from './validate-number.ts'
export { validateListTypes } from './list-types.ts'
export { CoercionError, coerceEmbedded, validateEmbedded } from './embedded-resources.ts'
export { MetadataError, type MetadataOptions, decodeMetadata } from './object-meta-decode.ts'
// Rules
export { type CompiledRule, PER_CALL_LIMIT, RUNTIME_BUDGET, compileRules } from './rules.ts'
export { elementType, propertyType, typeOfNode } from './rule-types.ts'
export { type RuleValidator, ruleValidator } from './rule-validator.ts'
export { type RuleInput, type RuleOutcome, validateRules } from './validate-rules.ts'
export { type ResolvedPath, resolveFieldPath } from './field-path.ts'
export { Correlated } from './correlated.ts'
export { hasFormat, supportedFormat } from './formats.ts'
// JSON
export { type JsonObject, canonicalJson, copyJson, equalJson, isList, isObject } from './json.ts'
