import type { Scope } from 'kubewright/machinery'

/**
 * One resource in one version, as discovery tells it: facts only. Built-in ones are extracted from a real kube-apiserver, custom
 * ones come from a CustomResourceDefinition.
 */
export interface ResourceInfo {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly listKind: string
  readonly plural: string
  readonly singular: string
  readonly scope: Scope
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly verbs: readonly Verb[]
  readonly subresources: readonly SubresourceInfo[]
  /** The version in which objects are stored; another served version converts. */
  readonly storageVersion: string
  /**
   * Where objects are stored, the same for every version and for groups that share objects: `apps/deployments`, `/pods`,
   * `/events` for both events and events.k8s.io.
   */
  readonly storageKey: string
  /** True for a resource that a CustomResourceDefinition made. */
  readonly custom: boolean
}

/** A subresource as discovery tells it: its own kind may lie in another group (`autoscaling/v1` Scale under deployments). */
export interface SubresourceInfo {
  readonly name: string
  readonly kind: string
  readonly group: string
  readonly version: string
  readonly verbs: readonly Verb[]
}

/** The verbs of discovery and of authorization. */
export type Verb =
  'create' | 'get' | 'list' | 'watch' | 'update' | 'patch' | 'delete' | 'deletecollection'

/** A schema object of OpenAPI v3 as kube-apiserver publishes it, descriptions left out. */
export interface OpenApiSchema {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly default?: unknown
  readonly nullable?: boolean
  readonly enum?: readonly unknown[]
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, OpenApiSchema>>
  readonly additionalProperties?: OpenApiSchema | boolean
  readonly items?: OpenApiSchema
  readonly allOf?: readonly OpenApiSchema[]
  readonly oneOf?: readonly OpenApiSchema[]
  readonly anyOf?: readonly OpenApiSchema[]
  readonly [extension: `x-kubernetes-${string}`]: unknown
}
