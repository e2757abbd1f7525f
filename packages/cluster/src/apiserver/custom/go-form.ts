import type { CrdVersion, JsonSchema, ValidationRule } from 'kubewright/schema'

type Json = Readonly<Record<string, unknown>>

/** The fields of a Go struct in order: name in Go, keyword in JSON, and what stands there when nothing was given. */
type Layout = readonly (readonly [go: string, json: string, zero: unknown])[]

const SCHEMA: Layout = [
  ['ID', 'id', ''],
  ['Schema', '$schema', ''],
  ['Ref', '$ref', null],
  ['Description', 'description', ''],
  ['Type', 'type', ''],
  ['Nullable', 'nullable', false],
  ['Format', 'format', ''],
  ['Title', 'title', ''],
  ['Default', 'default', null],
  ['Maximum', 'maximum', null],
  ['ExclusiveMaximum', 'exclusiveMaximum', false],
  ['Minimum', 'minimum', null],
  ['ExclusiveMinimum', 'exclusiveMinimum', false],
  ['MaxLength', 'maxLength', null],
  ['MinLength', 'minLength', null],
  ['Pattern', 'pattern', ''],
  ['MaxItems', 'maxItems', null],
  ['MinItems', 'minItems', null],
  ['UniqueItems', 'uniqueItems', false],
  ['MultipleOf', 'multipleOf', null],
  ['Enum', 'enum', null],
  ['MaxProperties', 'maxProperties', null],
  ['MinProperties', 'minProperties', null],
  ['Required', 'required', null],
  ['Items', 'items', null],
  ['AllOf', 'allOf', null],
  ['OneOf', 'oneOf', null],
  ['AnyOf', 'anyOf', null],
  ['Not', 'not', null],
  ['Properties', 'properties', null],
  ['AdditionalProperties', 'additionalProperties', null],
  ['PatternProperties', 'patternProperties', null],
  ['Dependencies', 'dependencies', null],
  ['AdditionalItems', 'additionalItems', null],
  ['Definitions', 'definitions', null],
  ['ExternalDocs', 'externalDocs', null],
  ['Example', 'example', null],
  ['XPreserveUnknownFields', 'x-kubernetes-preserve-unknown-fields', null],
  ['XEmbeddedResource', 'x-kubernetes-embedded-resource', false],
  ['XIntOrString', 'x-kubernetes-int-or-string', false],
  ['XListMapKeys', 'x-kubernetes-list-map-keys', null],
  ['XListType', 'x-kubernetes-list-type', null],
  ['XMapType', 'x-kubernetes-map-type', null],
  ['XValidations', 'x-kubernetes-validations', null],
]

const RULE: Layout = [
  ['Rule', 'rule', ''],
  ['Message', 'message', ''],
  ['MessageExpression', 'messageExpression', ''],
  ['Reason', 'reason', null],
  ['FieldPath', 'fieldPath', ''],
  ['OptionalOldSelf', 'optionalOldSelf', null],
]

const COLUMN: Layout = [
  ['Name', 'name', ''],
  ['Type', 'type', ''],
  ['Format', 'format', ''],
  ['Description', 'description', ''],
  ['Priority', 'priority', 0],
  ['JSONPath', 'jsonPath', ''],
]

const SCALE: Layout = [
  ['SpecReplicasPath', 'specReplicasPath', ''],
  ['StatusReplicasPath', 'statusReplicasPath', ''],
  ['LabelSelectorPath', 'labelSelectorPath', null],
]

const laidOut = (layout: Layout, value: Json): Json =>
  Object.fromEntries(layout.map(([go, json, zero]) => [go, value[json] ?? zero]))

const mapValues = (value: unknown, form: (it: JsonSchema) => Json): unknown =>
  value === null
    ? null
    : Object.fromEntries(
        Object.entries(value as Record<string, JsonSchema>)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([k, it]) => [k, form(it)]),
      )

const listOf = (value: unknown, form: (it: JsonSchema) => Json): unknown =>
  value === null ? null : (value as readonly JsonSchema[]).map(form)

/**
 * A schema as Kubernetes shows it in an error: the fields of its internal Go struct, all of them. Messages carry it, so it has to be
 * written out.
 */
export function goSchema(schema: JsonSchema): Json {
  const form = laidOut(SCHEMA, schema as Json)
  const orBool = (it: unknown): unknown =>
    it === null
      ? null
      : typeof it === 'boolean'
        ? { Allows: it, Schema: null }
        : { Allows: true, Schema: goSchema(it as JsonSchema) }
  const items = form['Items']
  return {
    ...form,
    Items:
      items === null
        ? null
        : Array.isArray(items)
          ? { Schema: null, JSONSchemas: listOf(items, goSchema) }
          : { Schema: goSchema(items as JsonSchema), JSONSchemas: null },
    AllOf: listOf(form['AllOf'], goSchema),
    OneOf: listOf(form['OneOf'], goSchema),
    AnyOf: listOf(form['AnyOf'], goSchema),
    Not: form['Not'] === null ? null : goSchema(form['Not'] as JsonSchema),
    Properties: mapValues(form['Properties'], goSchema),
    AdditionalProperties: orBool(form['AdditionalProperties']),
    PatternProperties: mapValues(form['PatternProperties'], goSchema),
    AdditionalItems: orBool(form['AdditionalItems']),
    Definitions: mapValues(form['Definitions'], goSchema),
    XValidations: (form['XValidations'] as readonly ValidationRule[] | null)?.map(goRule) ?? null,
  }
}

/** A rule in the same form. */
export const goRule = (rule: ValidationRule): Json => laidOut(RULE, rule as unknown as Json)

/** Versions in the same form; what all of them share stands at the spec and not here. */
export function goVersions(versions: readonly CrdVersion[]): readonly Json[] {
  return versions.map((it) => ({
    Name: it.name,
    Served: it.served,
    Storage: it.storage,
    Deprecated: it.deprecated ?? false,
    DeprecationWarning: it.deprecationWarning ?? null,
    Schema: it.schema
      ? {
          OpenAPIV3Schema: it.schema.openAPIV3Schema ? goSchema(it.schema.openAPIV3Schema) : null,
        }
      : null,
    Subresources: it.subresources
      ? {
          Status: it.subresources.status ? {} : null,
          Scale: it.subresources.scale
            ? laidOut(SCALE, it.subresources.scale as unknown as Json)
            : null,
        }
      : null,
    AdditionalPrinterColumns:
      it.additionalPrinterColumns?.map((column) => laidOut(COLUMN, column as unknown as Json)) ??
      null,
    SelectableFields: it.selectableFields?.map((field) => ({ JSONPath: field.jsonPath })) ?? null,
  }))
}
