import { type LabelSelectorSpec, selectorOf, type UnknownObject } from 'kubewright/machinery'
import type { AdmissionRequest } from '../admission/admission.ts'
import type { WebhookTarget } from '../http/webhook-call.ts'
import type { MatchCondition } from './match-conditions.ts'

/** One webhook of a MutatingWebhookConfiguration or ValidatingWebhookConfiguration (admissionregistration/v1). */
export interface Webhook {
  readonly name: string
  readonly clientConfig: WebhookTarget
  readonly rules?: readonly Rule[]
  readonly failurePolicy?: 'Ignore' | 'Fail'
  readonly sideEffects?: string
  readonly timeoutSeconds?: number
  readonly admissionReviewVersions?: readonly string[]
  readonly namespaceSelector?: LabelSelectorSpec
  readonly objectSelector?: LabelSelectorSpec
  readonly matchConditions?: readonly MatchCondition[]
}

interface Rule {
  readonly operations?: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  readonly resources?: readonly string[]
  readonly scope?: '*' | 'Cluster' | 'Namespaced'
}

const GROUP = 'admissionregistration.k8s.io'

/** Where the configurations of webhooks lie. */
export const CONFIGURATIONS: Readonly<Record<'mutating' | 'validating', string>> = {
  mutating: `${GROUP}/mutatingwebhookconfigurations`,
  validating: `${GROUP}/validatingwebhookconfigurations`,
}

/** No webhook may judge the configurations of webhooks: nobody could mend them. */
export const isExempt = ({ context: { resource } }: AdmissionRequest): boolean =>
  resource.group === GROUP && /^(mutating|validating)(webhook|admission)/.test(resource.plural)

/** Whether a webhook is asked about a request: its rules, and its selectors of namespaces and objects. */
export async function concerns(webhook: Webhook, request: AdmissionRequest): Promise<boolean> {
  if (!(webhook.rules ?? []).some((it) => matchesRule(it, request))) return false
  if (!matchesObject(webhook, request)) return false
  return matchesNamespace(webhook, request)
}

function matchesRule(rule: Rule, { operation, subresource, context }: AdmissionRequest): boolean {
  const { group, version, plural, scope } = context.resource
  const own = context.resource.group === '' && plural === 'namespaces' ? 'Cluster' : scope
  return (
    (rule.scope === undefined || rule.scope === '*' || rule.scope === own) &&
    has(rule.operations, operation) &&
    has(rule.apiGroups, group) &&
    has(rule.apiVersions, version) &&
    (rule.resources ?? []).some((it) => matchesResource(it, plural, subresource))
  )
}

const has = (all: readonly string[] | undefined, one: string): boolean =>
  all !== undefined && (all.includes('*') || all.includes(one))

function matchesResource(pattern: string, plural: string, subresource: string): boolean {
  const [resource = '', sub = ''] = pattern.split('/')
  return (resource === '*' || resource === plural) && (sub === '*' || sub === subresource)
}

function matchesObject({ objectSelector }: Webhook, { object, old }: AdmissionRequest): boolean {
  if (isEmpty(objectSelector)) return true
  const selector = selectorOf(objectSelector)
  return [object, old].some((it) => it !== undefined && selector.matches(it.metadata.labels))
}

async function matchesNamespace(
  { namespaceSelector }: Webhook,
  { context, object, old }: AdmissionRequest,
): Promise<boolean> {
  if (isEmpty(namespaceSelector)) return true
  const { resource, namespace } = context
  const isNamespace = resource.group === '' && resource.plural === 'namespaces'
  if (!isNamespace && namespace === '') return true
  const found = isNamespace ? (object ?? old) : await context.find('/namespaces', '', namespace)
  return selectorOf(namespaceSelector).matches(
    (found as UnknownObject | undefined)?.metadata.labels,
  )
}

const isEmpty = (selector: LabelSelectorSpec | undefined): boolean =>
  !selector?.matchExpressions?.length && Object.keys(selector?.matchLabels ?? {}).length === 0
