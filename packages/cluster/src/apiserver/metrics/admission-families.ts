import type { AdmissionEvent, AdmissionObserver } from '../admission/observer.ts'
import type { MetricRegistry } from './registry.ts'

const PLUGIN_SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5]
const WEBHOOK_SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25]

/** Counts what admission does (apiserver/pkg/admission/metrics). */
export function admissionMetrics(registry: MetricRegistry): AdmissionObserver {
  const step = registry.histogram({
    name: 'apiserver_admission_step_admission_duration_seconds',
    help: '[STABLE] Admission sub-step latency histogram in seconds, broken out for each operation and API resource and step type (validate or admit).',
    labels: ['operation', 'rejected', 'type'],
    bounds: PLUGIN_SECONDS,
  })
  const controller = registry.histogram({
    name: 'apiserver_admission_controller_admission_duration_seconds',
    help: '[STABLE] Admission controller latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit).',
    labels: ['name', 'operation', 'rejected', 'type'],
    bounds: PLUGIN_SECONDS,
  })
  const webhook = registry.histogram({
    name: 'apiserver_admission_webhook_admission_duration_seconds',
    help: '[STABLE] Admission webhook latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit).',
    labels: ['name', 'operation', 'rejected', 'type'],
    bounds: WEBHOOK_SECONDS,
  })
  const webhookTotal = registry.counter({
    name: 'apiserver_admission_webhook_request_total',
    help: '[ALPHA] Admission webhook request total, identified by name and broken out for each admission type (validating or mutating) and operation. Additional labels specify whether the request was rejected or not and an HTTP status code. Codes greater than 600 are truncated to 600, to keep the metrics cardinality bounded.',
    labels: ['code', 'name', 'operation', 'rejected', 'type'],
  })
  const rejections = registry.counter({
    name: 'apiserver_admission_webhook_rejection_count',
    help: '[ALPHA] Admission webhook rejection count, identified by name and broken out for each admission type (validating or admit) and operation. Additional labels specify an error type (calling_webhook_error or apiserver_internal_error if an error occurred; no_error otherwise) and optionally a non-zero rejection code if the webhook rejects the request with an HTTP status code (honored by the apiserver when the code is greater or equal to 400). Codes greater than 600 are truncated to 600, to keep the metrics cardinality bounded.',
    labels: ['error_type', 'name', 'operation', 'rejection_code', 'type'],
  })
  const failOpen = registry.counter({
    name: 'apiserver_admission_webhook_fail_open_count',
    help: '[ALPHA] Admission webhook fail open count, identified by name and broken out for each admission type (validating or mutating).',
    labels: ['name', 'type'],
  })
  const exclusions = registry.counter({
    name: 'apiserver_admission_match_condition_exclusions_total',
    help: '[ALPHA] Admission match condition evaluation exclusions count, identified by name of resource containing the match condition and broken out for each kind containing matchConditions (webhook or policy), operation and admission type (validate or admit).',
    labels: ['kind', 'name', 'operation', 'type'],
  })
  const validating = registry.counter({
    name: 'apiserver_validating_admission_policy_check_total',
    help: '[BETA] Validation admission policy check total, labeled by policy and further identified by binding and enforcement action taken.',
    labels: ['enforcement_action', 'error_type', 'policy', 'policy_binding'],
  })
  const mutating = registry.counter({
    name: 'apiserver_mutating_admission_policy_check_total',
    help: '[ALPHA] Mutation admission policy check total, labeled by policy and further identified by binding.',
    labels: ['error_type', 'policy', 'policy_binding'],
  })
  const cut = (code: number): string => String(Math.min(code, 600))
  return (it: AdmissionEvent) => {
    switch (it.event) {
      case 'step':
        return step.observe(it.seconds, [it.operation, String(it.rejected), it.type])
      case 'controller':
        return controller.observe(it.seconds, [it.name, it.operation, String(it.rejected), it.type])
      case 'webhook':
        webhook.observe(it.seconds, [it.name, it.operation, String(it.rejected), it.type])
        return webhookTotal.add([cut(it.code), it.name, it.operation, String(it.rejected), it.type])
      case 'webhookRejection':
        return rejections.add([it.errorType, it.name, it.operation, cut(it.code), it.type])
      case 'webhookFailOpen':
        return failOpen.add([it.name, it.type])
      case 'matchExclusion':
        return exclusions.add([it.kind, it.name, it.operation, it.type])
      case 'policyCheck':
        return it.type === 'validating'
          ? validating.add([it.action, it.errorType, it.policy, it.binding])
          : mutating.add([it.errorType, it.policy, it.binding])
    }
  }
}
