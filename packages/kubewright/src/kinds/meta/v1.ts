// Parts of objects that meta/v1 names, extracted from kube-apiserver v1.36 by tools/extract-kinds.ts. Do not edit.

/** meta/v1 Condition. */
export interface Condition {
  readonly type: string
  readonly status: string
  readonly observedGeneration?: number
  readonly lastTransitionTime: string
  readonly reason: string
  readonly message: string
}

/** meta/v1 DeleteOptions. */
export interface DeleteOptions {
  readonly kind?: string
  readonly apiVersion?: string
  readonly gracePeriodSeconds?: number
  readonly preconditions?: Preconditions
  readonly orphanDependents?: boolean
  readonly propagationPolicy?: string
  readonly dryRun?: readonly string[]
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean
}

/** meta/v1 FieldSelectorRequirement. */
export interface FieldSelectorRequirement {
  readonly key: string
  readonly operator: string
  readonly values?: readonly string[]
}

/** meta/v1 LabelSelector. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>
  readonly matchExpressions?: readonly LabelSelectorRequirement[]
}

/** meta/v1 LabelSelectorRequirement. */
export interface LabelSelectorRequirement {
  readonly key: string
  readonly operator: string
  readonly values?: readonly string[]
}

/** meta/v1 Preconditions. */
export interface Preconditions {
  readonly uid?: string
  readonly resourceVersion?: string
}
