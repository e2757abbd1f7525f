import { ApiError, internalError } from 'kubewright/machinery'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts'
import { isExcludedFromWebhooks } from '../admission/policies/excluded.ts'
import type { MatchedAs, Versioned } from '../admission/matching/versions.ts'
import { askWebhook, CallFailure } from './call.ts'
import { type Hook, hooksOf } from './configuration.ts'
import { converted, invocationOf, type WebhookParts } from './invocation.ts'
import { outcomeObserver, tooLate } from './outcome.ts'

const FAILED_OPEN = 'failed-open.validating.webhook.admission.k8s.io/'

/** Asks the webhooks that ValidatingWebhookConfigurations name, all at once; the first refusal counts (webhook/validating). */
export const validatingWebhooks = (parts: WebhookParts): AdmissionPlugin => ({
  name: 'ValidatingAdmissionWebhook',
  handles: (request) =>
    parts.registrations.current?.validatingWebhooks.length !== 0 &&
    !isExcludedFromWebhooks(request),
  validate: async (request) => {
    const { validatingWebhooks: all } = await parts.registrations.load()
    if (all.length > 0) await dispatch(hooksOf(all), request, parts)
  },
})

async function dispatch(
  hooks: readonly Hook[],
  request: AdmissionRequest,
  parts: WebhookParts,
): Promise<void> {
  const known = new Map<string, Promise<Versioned>>()
  const see = (as: MatchedAs): Promise<Versioned> => {
    const key = JSON.stringify(as.kind)
    const found = known.get(key) ?? parts.versions.of(request, as)
    known.set(key, found)
    return found
  }
  const asked: { readonly hook: Hook; readonly as: MatchedAs; readonly versioned: Versioned }[] = []
  for (const hook of hooks) {
    const as = await invocationOf(hook, request, parts, see, 'validating')
    if (as) asked.push({ hook, as, versioned: await converted(see, as) })
  }
  if (asked.length === 0) return
  if (tooLate(request)) throw tooLate(request)
  const errors: Error[] = []
  await Promise.all(
    asked.map(async ({ hook, as, versioned }, i) => {
      const done = outcomeObserver(hook.webhook, 'validating', request, parts)
      try {
        await askWebhook({ hook, request, as, versioned, mutating: false }, parts)
        done(undefined)
      } catch (error) {
        done(error)
        const refusal = counted(error as Error, hook, request, i)
        if (refusal) errors.push(refusal)
      }
    }),
  )
  if (errors[0]) throw errors[0]
}

/** The refusal that an error comes to; undefined for a failure that is to be ignored. */
function counted(
  error: Error,
  { webhook }: Hook,
  request: AdmissionRequest,
  index: number,
): Error | undefined {
  if (error instanceof ApiError || !(error instanceof CallFailure)) return error
  if (webhook.failurePolicy !== 'Ignore') return internalError(error.message)
  request.context.annotate?.(`${FAILED_OPEN}round_0_index_${index}`, webhook.name)
  return undefined
}
