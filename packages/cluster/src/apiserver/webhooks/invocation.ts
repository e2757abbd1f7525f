import { forbidden, internalError } from 'kubewright/machinery'
import type { AdmissionRequest } from '../admission/admission.ts'
import type { MatchedAs, Versioned } from '../admission/matching/versions.ts'
import type { PolicyParts } from '../admission/policies/parts.ts'
import type { FindCredentials, ResolveService } from '../http/webhook-call.ts'
import type { WebhookConditions } from './conditions.ts'
import type { Hook } from './configuration.ts'

/** What the webhook plugins work with. */
export interface WebhookParts extends PolicyParts {
  readonly resolveService: ResolveService
  /** How the server proves itself to webhooks. Default: not at all. */
  readonly findCredentials?: FindCredentials
  readonly conditions: WebhookConditions
}

/**
 * As what a webhook is to be asked about a request; undefined where it is not (webhook/generic ShouldCallHook). `shown` is the request
 * as selectors see it, `see` what it brings in some version. Rejects with the ApiError that refuses the request.
 */
export async function invocationOf(
  { webhook }: Hook,
  shown: AdmissionRequest,
  parts: WebhookParts,
  see: (as: MatchedAs) => Promise<Versioned>,
  type: 'admit' | 'validating',
): Promise<MatchedAs | undefined> {
  const { matcher, conditions, observe } = parts
  if (!matcher.matchesObject(webhook.objectSelector, shown)) return undefined
  const as = matcher.byRules(webhook.rules ?? [], webhook.matchPolicy, shown)
  if (!as) return undefined
  if (!(await matcher.matchesNamespace(webhook.namespaceSelector, shown))) return undefined
  if (!webhook.matchConditions?.length) return as
  const match = await conditions.judge(webhook, shown, as, await converted(see, as))
  if (match === 'yes') return as
  if (match === 'no') {
    const { operation } = shown
    observe?.({ event: 'matchExclusion', kind: 'webhook', name: webhook.name, type, operation })
    return undefined
  }
  throw forbidden(shown.context.resource, shown.name, match.error)
}

/** What a request brings in another version. Rejects with the 500 of what cannot be converted. */
export async function converted(
  see: (as: MatchedAs) => Promise<Versioned>,
  as: MatchedAs,
): Promise<Versioned> {
  try {
    return await see(as)
  } catch (error) {
    throw internalError((error as Error).message)
  }
}
