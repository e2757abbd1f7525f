import type { KubeObject, Scope } from '../machinery/index.ts'
import type { JsonSchema } from './json-schema.ts'

/** A CustomResourceDefinition of apiextensions.k8s.io/v1, as plain JSON. */
export interface CustomResourceDefinition extends KubeObject {
  readonly spec: CrdSpec
  readonly status?: CrdStatus
}

/** What is asked for. `conversion` and parts of `names` are defaulted by the server. */
export interface CrdSpec {
  readonly group: string
  readonly names: CrdNames
  readonly scope: Scope
  readonly versions: readonly CrdVersion[]
  readonly conversion?: CrdConversion
  /** Must be false or absent in v1. */
  readonly preserveUnknownFields?: boolean
}

/** The names of a kind; `singular` defaults to the lower-case kind, `listKind` to the kind with `List`. */
export interface CrdNames {
  readonly plural: string
  readonly singular?: string
  readonly shortNames?: readonly string[]
  readonly kind: string
  readonly listKind?: string
  readonly categories?: readonly string[]
}

/** One version of a kind. Exactly one is the storage version. */
export interface CrdVersion {
  readonly name: string
  readonly served: boolean
  readonly storage: boolean
  readonly deprecated?: boolean
  readonly deprecationWarning?: string
  readonly schema?: { readonly openAPIV3Schema?: JsonSchema }
  readonly subresources?: CrdSubresources
  readonly additionalPrinterColumns?: readonly PrinterColumn[]
  readonly selectableFields?: readonly { readonly jsonPath: string }[]
}

/** The subresources of a version: `status` by being there, `scale` by its paths. */
export interface CrdSubresources {
  readonly status?: Readonly<Record<string, never>>
  readonly scale?: ScalePaths
}

/** Where the numbers of autoscaling/v1 Scale lie in a custom resource: simple JSON paths such as `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicasPath: string
  readonly statusReplicasPath: string
  readonly labelSelectorPath?: string
}

/** A column of `kubectl get`. Priority 0 (the default) shows always, above that with `-o wide`. */
export interface PrinterColumn {
  readonly name: string
  readonly type: 'integer' | 'number' | 'string' | 'boolean' | 'date'
  readonly format?: string
  readonly description?: string
  readonly priority?: number
  readonly jsonPath: string
}

/** How an object is brought from one version to another. `None` changes its apiVersion and nothing else. */
export interface CrdConversion {
  readonly strategy: 'None' | 'Webhook'
  readonly webhook?: {
    readonly clientConfig?: {
      readonly url?: string
      readonly service?: {
        readonly namespace: string
        readonly name: string
        readonly path?: string
        readonly port?: number
      }
      readonly caBundle?: string
    }
    readonly conversionReviewVersions: readonly string[]
  }
}

/** What the server found. */
export interface CrdStatus {
  readonly conditions?: readonly CrdCondition[]
  readonly acceptedNames?: CrdNames
  readonly storedVersions?: readonly string[]
  readonly observedGeneration?: number
}

/** One condition of a definition. */
export interface CrdCondition {
  readonly type: CrdConditionType
  readonly status: 'True' | 'False' | 'Unknown'
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
  readonly observedGeneration?: number
}

/** What a condition of a definition is about. */
export type CrdConditionType =
  | 'Established'
  | 'NamesAccepted'
  | 'NonStructuralSchema'
  | 'Terminating'
  | 'KubernetesAPIApprovalPolicyConformant'
  | 'StorageMigrating'
