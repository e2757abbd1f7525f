/**
 * An OpenAPI v3 schema as a CustomResourceDefinition holds it (apiextensions/v1 JSONSchemaProps): plain JSON, readonly. Only the
 * keywords that a v1 definition may use; the validator of definitions looks for the forbidden ones by name.
 */
export interface JsonSchema {
  readonly type?: string
  readonly format?: string
  readonly title?: string
  readonly description?: string
  readonly default?: unknown
  readonly example?: unknown
  readonly externalDocs?: { readonly description?: string; readonly url?: string }
  readonly nullable?: boolean
  readonly enum?: readonly unknown[]
  readonly maximum?: number
  readonly exclusiveMaximum?: boolean
  readonly minimum?: number
  readonly exclusiveMinimum?: boolean
  readonly multipleOf?: number
  readonly maxLength?: number
  readonly minLength?: number
  readonly pattern?: string
  readonly maxItems?: number
  readonly minItems?: number
  readonly uniqueItems?: boolean
  readonly maxProperties?: number
  readonly minProperties?: number
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: JsonSchema | boolean
  readonly allOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly anyOf?: readonly JsonSchema[]
  readonly not?: JsonSchema
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
  readonly 'x-kubernetes-embedded-resource'?: boolean
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-list-type'?: ListType
  readonly 'x-kubernetes-map-type'?: MapType
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[]
}

/** How a list merges under server-side apply: as one value, as a set of scalars, or as a map by the fields of its keys. */
export type ListType = 'atomic' | 'set' | 'map'

/** How an object merges under server-side apply: field by field, or as one value. */
export type MapType = 'granular' | 'atomic'

/** A rule of the expression language (CEL) that a value must satisfy (apiextensions/v1 ValidationRule). */
export interface ValidationRule {
  /** The expression; `self` is the value, `oldSelf` the one before an update. */
  readonly rule: string
  /** What to say when the rule fails; default: `failed rule: …`. */
  readonly message?: string
  /** An expression that yields the message; wins over `message`. */
  readonly messageExpression?: string
  readonly reason?: RuleReason
  /** Path, relative to where the rule stands, of the field that the error names: `.spec.size`. */
  readonly fieldPath?: string
  /** Makes `oldSelf` an optional, so that the rule runs on creates too. */
  readonly optionalOldSelf?: boolean
}

/** The reasons that a failed rule may give; default FieldValueInvalid. */
export type RuleReason =
  'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate'
