import {
  ApiError,
  applyJsonPatch,
  badRequest,
  decodeJsonPatch,
  forbidden,
  internalError,
  type JsonValue,
} from 'kubewright/machinery'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts'
import type { Catalog } from '../endpoints/catalog.ts'
import { callWebhook, type ResolveService } from '../http/webhook-call.ts'
import type { Draft } from '../registry/strategy.ts'
import type { MatchConditions } from './match-conditions.ts'
import { concerns, CONFIGURATIONS, isExempt, type Webhook } from './configuration.ts'
import { denial, reviewOf, type Verdict, verdictOf } from './review.ts'

/** What the webhook plugins work with. */
export interface WebhookOptions {
  readonly catalog: () => Catalog
  readonly resolveService: ResolveService
  readonly conditions: MatchConditions
}

const SECONDS = 1000
const DEFAULT_TIMEOUT = 10

/** Asks the webhooks that MutatingWebhookConfigurations name, one after the other, and makes the changes they want. */
export const mutatingWebhooks = (options: WebhookOptions): AdmissionPlugin => ({
  name: 'MutatingAdmissionWebhook',
  handles: (request) => !isExempt(request),
  admit: async (request) => {
    for (const webhook of await concerned('mutating', request)) {
      if (!meets(webhook, request, options)) continue
      const verdict = await ask(webhook, request, options)
      if (verdict?.patch) change(request, verdict.patch, webhook, options)
    }
  },
})

/** Asks the webhooks that ValidatingWebhookConfigurations name, all at once; the first refusal counts. */
export const validatingWebhooks = (options: WebhookOptions): AdmissionPlugin => ({
  name: 'ValidatingAdmissionWebhook',
  handles: (request) => !isExempt(request),
  validate: async (request) => {
    const webhooks = await concerned('validating', request)
    const asked = webhooks.filter((it) => meets(it, request, options))
    await Promise.all(asked.map((it) => ask(it, request, options)))
  },
})

/** The webhooks of all configurations, by the names of these, that a request concerns. */
async function concerned(
  kind: keyof typeof CONFIGURATIONS,
  request: AdmissionRequest,
): Promise<readonly Webhook[]> {
  const found: Webhook[] = []
  for (const configuration of await request.context.all(CONFIGURATIONS[kind], '')) {
    for (const webhook of (configuration['webhooks'] ?? []) as readonly Webhook[]) {
      if (await concerns(webhook, request)) found.push(webhook)
    }
  }
  return found
}

/** Whether a webhook's match conditions are met. Throws the refusal where that cannot be told and a failure counts. */
function meets(
  webhook: Webhook,
  request: AdmissionRequest,
  { conditions }: WebhookOptions,
): boolean {
  const match = conditions.judge(webhook.matchConditions ?? [], request)
  if (typeof match === 'string') return match === 'yes'
  if (webhook.failurePolicy === 'Ignore') return false
  const { resource } = request.context
  throw forbidden(resource, request.name, match.error)
}

/** The verdict of one webhook; undefined where it cannot be had and that is to be ignored. Throws its refusal. */
async function ask(
  webhook: Webhook,
  request: AdmissionRequest,
  options: WebhookOptions,
): Promise<Verdict | undefined> {
  const { context } = request
  refuseSideEffects(webhook, context.dryRun)
  let verdict: Verdict
  try {
    verdict = await post(webhook, request, options)
  } catch (error) {
    if (webhook.failurePolicy === 'Ignore') return undefined
    throw internalError(
      `failed calling webhook ${JSON.stringify(webhook.name)}: failed to call webhook: ${(error as Error).message}`,
    )
  }
  for (const text of verdict.warnings ?? []) context.warn(text)
  if (!verdict.allowed) throw denial(webhook.name, verdict.status)
  return verdict
}

async function post(
  webhook: Webhook,
  request: AdmissionRequest,
  { resolveService }: WebhookOptions,
): Promise<Verdict> {
  const uid = request.context.random.uuid()
  const review = reviewOf(webhook, request, uid)
  const timeout = (webhook.timeoutSeconds ?? DEFAULT_TIMEOUT) * SECONDS
  return verdictOf(await callWebhook(webhook.clientConfig, review, timeout, resolveService), uid)
}

/** A dry run must not reach a webhook that does more than judge. */
function refuseSideEffects({ name, sideEffects = 'None' }: Webhook, dryRun: boolean): void {
  if (!dryRun || sideEffects === 'None' || sideEffects === 'NoneOnDryRun') return
  throw badRequest(
    `the webhook ${JSON.stringify(name)} does not support dry run: its sideEffects are ${sideEffects}`,
  )
}

/** Patches the object of a request, reads the result as its kind, and fills in defaults again. */
function change(
  request: AdmissionRequest,
  patch: unknown,
  webhook: Webhook,
  { catalog }: WebhookOptions,
): void {
  const { object, context } = request
  if (!object) return
  const { group, version, plural } = context.resource
  const served = catalog().find(group, version, plural)
  if (!served) return
  try {
    const document = structuredClone(object) as unknown as JsonValue
    const patched = applyJsonPatch(document, decodeJsonPatch(patch as JsonValue))
    const next = served.body.read(patched as Record<string, unknown>).object
    served.strategy.applyDefaults?.(next)
    become(object, next)
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw internalError(
      `failed calling webhook ${JSON.stringify(webhook.name)}: its patch cannot be applied: ${(error as Error).message}`,
    )
  }
}

function become(object: Draft, next: Draft): void {
  for (const name of Object.keys(object)) if (!(name in next)) delete object[name]
  Object.assign(object, next)
}
