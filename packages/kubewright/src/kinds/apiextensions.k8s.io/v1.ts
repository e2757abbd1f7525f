// The kinds of apiextensions.k8s.io/v1, extracted from kube-apiserver v1.36 by tools/extract-kinds.ts. Do not edit.
import { kindOf, type Kind } from '../../machinery/kind.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Status } from '../../machinery/status.ts'

/** apiextensions.k8s.io/v1 CustomResourceDefinition. */
export interface CustomResourceDefinition extends KubeObject {
  readonly spec: CustomResourceDefinitionSpec
  readonly status?: CustomResourceDefinitionStatus
}

/** The kind of customresourcedefinitions. */
export const CustomResourceDefinition: Kind<CustomResourceDefinition> = kindOf(
  'apiextensions.k8s.io/v1',
  'CustomResourceDefinition',
  'customresourcedefinitions',
  'Cluster',
)

/** apiextensions.k8s.io/v1 ConversionRequest. */
export interface ConversionRequest {
  readonly uid?: string
  readonly desiredAPIVersion?: string
  readonly objects?: readonly Readonly<Record<string, unknown>>[] | null
}

/** apiextensions.k8s.io/v1 ConversionResponse. */
export interface ConversionResponse {
  readonly uid?: string
  readonly convertedObjects?: readonly Readonly<Record<string, unknown>>[] | null
  readonly result?: Status
}

/** apiextensions.k8s.io/v1 ConversionReview. */
export interface ConversionReview {
  readonly kind?: string
  readonly apiVersion?: string
  readonly request?: ConversionRequest
  readonly response?: ConversionResponse
}

/** apiextensions.k8s.io/v1 CustomResourceColumnDefinition. */
export interface CustomResourceColumnDefinition {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly description?: string
  readonly priority?: number
  readonly jsonPath: string
}

/** apiextensions.k8s.io/v1 CustomResourceConversion. */
export interface CustomResourceConversion {
  readonly strategy: string
  readonly webhook?: WebhookConversion
}

/** apiextensions.k8s.io/v1 CustomResourceDefinitionCondition. */
export interface CustomResourceDefinitionCondition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
  readonly observedGeneration?: number
}

/** apiextensions.k8s.io/v1 CustomResourceDefinitionNames. */
export interface CustomResourceDefinitionNames {
  readonly plural: string
  readonly singular?: string
  readonly shortNames?: readonly string[]
  readonly kind: string
  readonly listKind?: string
  readonly categories?: readonly string[]
}

/** apiextensions.k8s.io/v1 CustomResourceDefinitionSpec. */
export interface CustomResourceDefinitionSpec {
  readonly group: string
  readonly names: CustomResourceDefinitionNames
  readonly scope: string
  readonly versions: readonly CustomResourceDefinitionVersion[]
  readonly conversion?: CustomResourceConversion
  readonly preserveUnknownFields?: boolean
}

/** apiextensions.k8s.io/v1 CustomResourceDefinitionStatus. */
export interface CustomResourceDefinitionStatus {
  readonly conditions?: readonly CustomResourceDefinitionCondition[] | null
  readonly acceptedNames?: CustomResourceDefinitionNames
  readonly storedVersions?: readonly string[] | null
  readonly observedGeneration?: number
}

/** apiextensions.k8s.io/v1 CustomResourceDefinitionVersion. */
export interface CustomResourceDefinitionVersion {
  readonly name: string
  readonly served: boolean
  readonly storage: boolean
  readonly deprecated?: boolean
  readonly deprecationWarning?: string
  readonly schema?: CustomResourceValidation
  readonly subresources?: CustomResourceSubresources
  readonly additionalPrinterColumns?: readonly CustomResourceColumnDefinition[]
  readonly selectableFields?: readonly SelectableField[]
}

/** apiextensions.k8s.io/v1 CustomResourceSubresourceScale. */
export interface CustomResourceSubresourceScale {
  readonly specReplicasPath: string
  readonly statusReplicasPath: string
  readonly labelSelectorPath?: string
}

/** apiextensions.k8s.io/v1 CustomResourceSubresourceStatus. */
export interface CustomResourceSubresourceStatus {}

/** apiextensions.k8s.io/v1 CustomResourceSubresources. */
export interface CustomResourceSubresources {
  readonly status?: CustomResourceSubresourceStatus
  readonly scale?: CustomResourceSubresourceScale
}

/** apiextensions.k8s.io/v1 CustomResourceValidation. */
export interface CustomResourceValidation {
  readonly openAPIV3Schema?: JSONSchemaProps
}

/** apiextensions.k8s.io/v1 ExternalDocumentation. */
export interface ExternalDocumentation {
  readonly description?: string
  readonly url?: string
}

/** apiextensions.k8s.io/v1 JSONSchemaProps. */
export interface JSONSchemaProps {
  readonly id?: string
  readonly $schema?: string
  readonly $ref?: string
  readonly description?: string
  readonly type?: string
  readonly format?: string
  readonly title?: string
  readonly default?: unknown
  readonly maximum?: number
  readonly exclusiveMaximum?: boolean
  readonly minimum?: number
  readonly exclusiveMinimum?: boolean
  readonly maxLength?: number
  readonly minLength?: number
  readonly pattern?: string
  readonly maxItems?: number
  readonly minItems?: number
  readonly uniqueItems?: boolean
  readonly multipleOf?: number
  readonly enum?: readonly unknown[]
  readonly maxProperties?: number
  readonly minProperties?: number
  readonly required?: readonly string[]
  readonly items?: JSONSchemaProps | readonly JSONSchemaProps[]
  readonly allOf?: readonly JSONSchemaProps[]
  readonly oneOf?: readonly JSONSchemaProps[]
  readonly anyOf?: readonly JSONSchemaProps[]
  readonly not?: JSONSchemaProps
  readonly properties?: Readonly<Record<string, JSONSchemaProps>>
  readonly additionalProperties?: JSONSchemaProps | boolean
  readonly patternProperties?: Readonly<Record<string, JSONSchemaProps>>
  readonly dependencies?: Readonly<Record<string, JSONSchemaProps | readonly string[]>>
  readonly additionalItems?: JSONSchemaProps | boolean
  readonly definitions?: Readonly<Record<string, JSONSchemaProps>>
  readonly externalDocs?: ExternalDocumentation
  readonly example?: unknown
  readonly nullable?: boolean
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
  readonly 'x-kubernetes-embedded-resource'?: boolean
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-list-type'?: string
  readonly 'x-kubernetes-map-type'?: string
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[]
}

/** apiextensions.k8s.io/v1 SelectableField. */
export interface SelectableField {
  readonly jsonPath: string
}

/** apiextensions.k8s.io/v1 ServiceReference. */
export interface ServiceReference {
  readonly namespace: string
  readonly name: string
  readonly path?: string
  readonly port?: number
}

/** apiextensions.k8s.io/v1 ValidationRule. */
export interface ValidationRule {
  readonly rule: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?:
    'FieldValueDuplicate' | 'FieldValueForbidden' | 'FieldValueInvalid' | 'FieldValueRequired'
  readonly fieldPath?: string
  readonly optionalOldSelf?: boolean
}

/** apiextensions.k8s.io/v1 WebhookClientConfig. */
export interface WebhookClientConfig {
  readonly url?: string
  readonly service?: ServiceReference
  readonly caBundle?: string
}

/** apiextensions.k8s.io/v1 WebhookConversion. */
export interface WebhookConversion {
  readonly clientConfig?: WebhookClientConfig
  readonly conversionReviewVersions: readonly string[]
}
