import type { AdmissionRequest } from './admission.ts'

type Operation = AdmissionRequest['operation']

/** Whether a plugin, a webhook or a policy changes or judges, as the labels of the metrics say it. */
export type AdmissionType = 'admit' | 'validate'

/** The same of a webhook. */
export type WebhookType = 'admit' | 'validating'

/** Something worth counting. Durations are seconds. The field names are the labels of kube-apiserver's metrics. */
export type AdmissionEvent =
  /** `apiserver_admission_step_admission_duration_seconds`: all plugins of one type. */
  | (Timed & { readonly event: 'step' })
  /** `apiserver_admission_controller_admission_duration_seconds`: one plugin. */
  | (Timed & { readonly event: 'controller'; readonly name: string })
  /** `apiserver_admission_webhook_admission_duration_seconds` and `apiserver_admission_webhook_request_total`. */
  | {
      readonly event: 'webhook'
      readonly name: string
      readonly type: WebhookType
      readonly operation: Operation
      readonly rejected: boolean
      readonly code: number
      readonly seconds: number
    }
  /** `apiserver_admission_webhook_rejection_count`. */
  | {
      readonly event: 'webhookRejection'
      readonly name: string
      readonly type: WebhookType
      readonly operation: Operation
      readonly errorType: 'calling_webhook_error' | 'apiserver_internal_error' | 'no_error'
      readonly code: number
    }
  /** `apiserver_admission_webhook_fail_open_count`. */
  | {
      readonly event: 'webhookFailOpen'
      readonly name: string
      readonly type: WebhookType
    }
  /** `apiserver_admission_match_condition_exclusions_total`. */
  | {
      readonly event: 'matchExclusion'
      readonly kind: 'webhook' | 'policy'
      readonly name: string
      readonly type: WebhookType
      readonly operation: Operation
    }
  /**
   * `apiserver_validating_admission_policy_check_total` and `…_duration_seconds`, or the same of mutating policies. `action` is the
   * enforcement action: `allow`, `deny`, `warn` or `audit`.
   */
  | {
      readonly event: 'policyCheck'
      readonly type: 'validating' | 'mutating'
      readonly policy: string
      readonly binding: string
      readonly errorType: 'no_error' | 'compile_error' | 'invalid_error' | 'out_of_budget'
      readonly action: 'allow' | 'deny' | 'warn' | 'audit'
    }

interface Timed {
  readonly type: AdmissionType
  readonly operation: Operation
  readonly rejected: boolean
  readonly seconds: number
}

/** Is told what admission did, for metrics. Called on the way of requests: it must be quick, and must not throw. */
export type AdmissionObserver = (event: AdmissionEvent) => void
