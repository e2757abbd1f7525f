// The kinds of batch/v1, extracted from kube-apiserver v1.36 by tools/extract-kinds.ts. Do not edit.
import { kindOf, type Kind } from '../../machinery/kind.ts'
import type { KubeObject, ObjectMeta } from '../../machinery/object.ts'
import type { ObjectReference, PodTemplateSpec } from '../core/v1.ts'
import type { LabelSelector } from '../meta/v1.ts'

/** batch/v1 CronJob. */
export interface CronJob extends KubeObject {
  readonly spec: CronJobSpec
  readonly status?: CronJobStatus
}

/** The kind of cronjobs. */
export const CronJob: Kind<CronJob> = kindOf('batch/v1', 'CronJob', 'cronjobs', 'Namespaced')

/** batch/v1 Job. */
export interface Job extends KubeObject {
  readonly spec: JobSpec
  readonly status?: JobStatus
}

/** The kind of jobs. */
export const Job: Kind<Job> = kindOf('batch/v1', 'Job', 'jobs', 'Namespaced')

/** batch/v1 CronJobSpec. */
export interface CronJobSpec {
  readonly schedule: string
  readonly timeZone?: string
  readonly startingDeadlineSeconds?: number
  readonly concurrencyPolicy?: 'Allow' | 'Forbid' | 'Replace'
  readonly suspend?: boolean
  readonly jobTemplate: JobTemplateSpec
  readonly successfulJobsHistoryLimit?: number
  readonly failedJobsHistoryLimit?: number
}

/** batch/v1 CronJobStatus. */
export interface CronJobStatus {
  readonly active?: readonly ObjectReference[]
  readonly lastScheduleTime?: string
  readonly lastSuccessfulTime?: string
}

/** batch/v1 JobCondition. */
export interface JobCondition {
  readonly type: string
  readonly status: string
  readonly lastProbeTime?: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

/** batch/v1 JobSpec. */
export interface JobSpec {
  readonly parallelism?: number
  readonly completions?: number
  readonly activeDeadlineSeconds?: number
  readonly podFailurePolicy?: PodFailurePolicy
  readonly successPolicy?: SuccessPolicy
  readonly backoffLimit?: number
  readonly backoffLimitPerIndex?: number
  readonly maxFailedIndexes?: number
  readonly selector?: LabelSelector
  readonly manualSelector?: boolean
  readonly template: PodTemplateSpec
  readonly ttlSecondsAfterFinished?: number
  readonly completionMode?: 'Indexed' | 'NonIndexed'
  readonly suspend?: boolean
  readonly podReplacementPolicy?: 'Failed' | 'TerminatingOrFailed'
  readonly managedBy?: string
}

/** batch/v1 JobStatus. */
export interface JobStatus {
  readonly conditions?: readonly JobCondition[]
  readonly startTime?: string
  readonly completionTime?: string
  readonly active?: number
  readonly succeeded?: number
  readonly failed?: number
  readonly terminating?: number
  readonly completedIndexes?: string
  readonly failedIndexes?: string
  readonly uncountedTerminatedPods?: UncountedTerminatedPods
  readonly ready?: number
}

/** batch/v1 JobTemplateSpec. */
export interface JobTemplateSpec {
  readonly metadata?: ObjectMeta
  readonly spec: JobSpec
}

/** batch/v1 PodFailurePolicy. */
export interface PodFailurePolicy {
  readonly rules: readonly PodFailurePolicyRule[]
}

/** batch/v1 PodFailurePolicyOnExitCodesRequirement. */
export interface PodFailurePolicyOnExitCodesRequirement {
  readonly containerName?: string
  readonly operator: 'In' | 'NotIn'
  readonly values: readonly number[]
}

/** batch/v1 PodFailurePolicyOnPodConditionsPattern. */
export interface PodFailurePolicyOnPodConditionsPattern {
  readonly type: string
  readonly status?: string
}

/** batch/v1 PodFailurePolicyRule. */
export interface PodFailurePolicyRule {
  readonly action: 'Count' | 'FailIndex' | 'FailJob' | 'Ignore'
  readonly onExitCodes?: PodFailurePolicyOnExitCodesRequirement
  readonly onPodConditions?: readonly PodFailurePolicyOnPodConditionsPattern[]
}

/** batch/v1 SuccessPolicy. */
export interface SuccessPolicy {
  readonly rules: readonly SuccessPolicyRule[]
}

/** batch/v1 SuccessPolicyRule. */
export interface SuccessPolicyRule {
  readonly succeededIndexes?: string
  readonly succeededCount?: number
}

/** batch/v1 UncountedTerminatedPods. */
export interface UncountedTerminatedPods {
  readonly succeeded?: readonly string[]
  readonly failed?: readonly string[]
}
