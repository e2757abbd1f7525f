import type { LabelSelectorSpec, UnknownObject } from 'kubewright/machinery'
import type { Rule } from '../admission/matching/rules.ts'
import type { NamedExpression } from '../admission/policies/policy.ts'
import type { WebhookTarget } from '../http/webhook-call.ts'

/** One webhook of a MutatingWebhookConfiguration or ValidatingWebhookConfiguration (admissionregistration/v1). */
export interface Webhook {
  readonly name: string
  readonly clientConfig: WebhookTarget
  readonly rules?: readonly Rule[]
  readonly failurePolicy?: 'Ignore' | 'Fail'
  readonly matchPolicy?: 'Exact' | 'Equivalent'
  readonly sideEffects?: string
  readonly timeoutSeconds?: number
  readonly admissionReviewVersions?: readonly string[]
  readonly namespaceSelector?: LabelSelectorSpec
  readonly objectSelector?: LabelSelectorSpec
  readonly matchConditions?: readonly NamedExpression[]
  /** Of mutating webhooks alone. Default Never. */
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded'
}

/** A webhook and where it stands. */
export interface Hook {
  readonly webhook: Webhook
  /** The name of its configuration. */
  readonly configuration: string
  /** Names it among all: configurations may have webhooks of one name. */
  readonly uid: string
}

/** The webhooks of configurations, which are by name, in their order. */
export function hooksOf(configurations: readonly UnknownObject[]): readonly Hook[] {
  return configurations.flatMap((it) => {
    const configuration = it.metadata.name ?? ''
    const counts = new Map<string, number>()
    return ((it['webhooks'] ?? []) as readonly Webhook[]).map((webhook) => {
      const count = counts.get(webhook.name) ?? 0
      counts.set(webhook.name, count + 1)
      return { webhook, configuration, uid: `${configuration}/${webhook.name}/${count}` }
    })
  })
}
