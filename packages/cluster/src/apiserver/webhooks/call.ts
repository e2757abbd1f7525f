import { ApiError, badRequest } from 'kubewright/machinery'
import type { AdmissionRequest } from '../admission/admission.ts'
import type { MatchedAs, Versioned } from '../admission/matching/versions.ts'
import { callWebhook, checkAuthority } from '../http/webhook-call.ts'
import type { Hook } from './configuration.ts'
import { checkReview } from './decode-review.ts'
import type { WebhookParts } from './invocation.ts'
import { denial, reviewOf, reviewVersionOf, type Verdict, verdictOf } from './review.ts'

/** A webhook could not be asked, or did not answer as it should: its failure policy says what that means (util/webhook ErrCallingWebhook). */
export class CallFailure extends Error {
  override readonly name = 'CallFailure'
  /** The status code that metrics show. */
  readonly code: number

  constructor(webhook: string, reason: string, code: number, options?: ErrorOptions) {
    super(`failed calling webhook ${JSON.stringify(webhook)}: ${reason}`, options)
    this.code = code
  }
}

/** Asked about one request, as one kind of it. */
export interface Question {
  readonly hook: Hook
  readonly request: AdmissionRequest
  readonly as: MatchedAs
  readonly versioned: Versioned
  readonly mutating: boolean
}

const UNAVAILABLE = 503
const SECOND = 1000

/**
 * Asks a webhook and hears it out: its warnings and annotations are passed on. Rejects with a {@link CallFailure}, or the ApiError of
 * its refusal.
 */
export async function askWebhook(question: Question, parts: WebhookParts): Promise<Verdict> {
  const { hook, request } = question
  const { webhook } = hook
  refuseSideEffects(question)
  const verdict = await answerTo(question, parts)
  for (const [key, value] of Object.entries(verdict.auditAnnotations)) {
    request.context.annotate?.(`${webhook.name}/${key}`, value)
  }
  for (const text of verdict.warnings) request.context.warn(text)
  if (!verdict.allowed) throw denial(webhook.name, verdict.status)
  return verdict
}

/** A dry run must not reach a webhook that does more than judge. */
function refuseSideEffects({ hook: { webhook }, request }: Question): void {
  const { name, sideEffects } = webhook
  if (!request.context.dryRun) return
  if (sideEffects === undefined) {
    throw new CallFailure(name, 'Webhook SideEffects is nil', 400)
  }
  if (sideEffects === 'None' || sideEffects === 'NoneOnDryRun') return
  throw badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`)
}

async function answerTo(question: Question, parts: WebhookParts): Promise<Verdict> {
  const { hook, request, as, versioned, mutating } = question
  const { webhook } = hook
  const failed = (what: string, code: number, error: unknown): CallFailure =>
    new CallFailure(webhook.name, `${what}: ${(error as Error).message}`, code, { cause: error })
  let version: 'v1' | 'v1beta1'
  try {
    version = reviewVersionOf(webhook)
  } catch (error) {
    throw failed('could not create admission objects', 400, error)
  }
  const uid = request.context.random.uuid()
  const review = reviewOf(request, as, versioned, version, uid)
  try {
    checkAuthority(webhook.clientConfig)
  } catch (error) {
    throw failed('could not get REST client', 500, error)
  }
  let answer: Readonly<Record<string, unknown>>
  try {
    const timeout = timeoutOf(question)
    answer = await callWebhook(
      webhook.clientConfig,
      review,
      timeout,
      parts.resolveService,
      parts.findCredentials,
    )
    checkReview(answer, version)
  } catch (error) {
    const code = error instanceof ApiError ? error.code : UNAVAILABLE
    throw failed('failed to call webhook', code, error)
  }
  try {
    return verdictOf(answer, version, uid, mutating)
  } catch (error) {
    throw failed('received invalid webhook response', UNAVAILABLE, error)
  }
}

/** How long a webhook may take, in milliseconds: as it says, and not longer than the request itself. */
function timeoutOf({ hook, request }: Question): number {
  const { timeoutSeconds } = hook.webhook
  const own = timeoutSeconds === undefined ? Infinity : timeoutSeconds * SECOND
  const left = request.deadline === undefined ? Infinity : leftOf(request, request.deadline)
  const least = Math.min(own, left)
  return Number.isFinite(least) ? least : LONGEST
}

const leftOf = ({ context }: AdmissionRequest, deadline: number): number =>
  Math.max(0, deadline - context.clock.now())

/** What an answer may take where nobody says, in milliseconds. */
const LONGEST = 60 * SECOND
