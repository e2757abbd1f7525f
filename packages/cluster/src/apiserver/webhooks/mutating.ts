import {
  ApiError,
  applyJsonPatch,
  decodeJsonPatch,
  failure,
  internalError,
  type JsonPatch,
  type JsonValue,
} from 'kubewright/machinery'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts'
import { isExcludedFromWebhooks } from '../admission/policies/excluded.ts'
import type { MatchedAs, Versioned } from '../admission/matching/versions.ts'
import { Reinvocations } from '../admission/reinvocations.ts'
import { become, KindChange, reread } from '../admission/replace-object.ts'
import { same } from '../registry/fields.ts'
import type { Draft } from '../registry/strategy.ts'
import { askWebhook, CallFailure } from './call.ts'
import { type Hook, hooksOf } from './configuration.ts'
import { goSyntaxError } from '../codec/go-json-error.ts'
import { converted, invocationOf, type WebhookParts } from './invocation.ts'
import { outcomeObserver, tooLate } from './outcome.ts'
import type { Verdict } from './review.ts'

const NAME = 'MutatingAdmissionWebhook'
const MUTATION = 'mutation.webhook.admission.k8s.io/'
const PATCH = 'patch.webhook.admission.k8s.io/'

/** Asks the webhooks that MutatingWebhookConfigurations name, one after the other, and makes the changes they want (webhook/mutating). */
export const mutatingWebhooks = (parts: WebhookParts): AdmissionPlugin => ({
  name: NAME,
  handles: (request) =>
    parts.registrations.current?.mutatingWebhooks.length !== 0 && !isExcludedFromWebhooks(request),
  admit: async (request) => {
    const { mutatingWebhooks: all } = await parts.registrations.load()
    if (all.length > 0) await new Dispatch(parts, request).run(hooksOf(all))
  },
})

/** One request on its way past all webhooks, once. */
class Dispatch {
  readonly #parts: WebhookParts
  readonly #request: AdmissionRequest
  readonly #reinvocations: Reinvocations
  /** What the request brings, as the last webhook saw it. */
  #seen: { readonly as: MatchedAs; readonly versioned: Versioned } | undefined
  #dirty = false

  constructor(parts: WebhookParts, request: AdmissionRequest) {
    this.#parts = parts
    this.#request = request
    this.#reinvocations = Reinvocations.of(NAME, request.round)
  }

  async run(hooks: readonly Hook[]): Promise<void> {
    const { object } = this.#request
    this.#reinvocations.begin(object)
    for (const [i, hook] of hooks.entries()) await this.#hook(hook, i)
    if (object && this.#dirty) become(object, await this.#back())
    this.#reinvocations.end(object)
  }

  async #back(): Promise<Draft> {
    const { as, versioned } = this.#seen!
    try {
      return await this.#parts.versions.back(versioned.object!, this.#request, as)
    } catch (error) {
      throw internalError((error as Error).message)
    }
  }

  /** What the request brings as `as`, with all changes made so far. */
  readonly #see = async (as: MatchedAs): Promise<Versioned> => {
    const { versions } = this.#parts
    if (this.#seen && same(this.#seen.as.kind, as.kind)) return this.#seen.versioned
    const { old } = this.#request
    const object =
      this.#seen?.versioned.object &&
      (await versions.back(this.#seen.versioned.object, this.#request, this.#seen.as))
    const now = { ...this.#request, ...(object ? { object } : {}), ...(old ? { old } : {}) }
    const versioned = await versions.of(now, as)
    this.#seen = { as, versioned }
    return versioned
  }

  async #hook(hook: Hook, index: number): Promise<void> {
    const object = this.#seen?.versioned.object
    const shown = object ? { ...this.#request, object } : this.#request
    const as = await invocationOf(hook, shown, this.#parts, this.#see, 'admit')
    if (!as || !this.#reinvocations.isDue(hook.uid)) return
    const versioned = await converted(this.#see, as)
    const { webhook } = hook
    const done = outcomeObserver(webhook, 'admit', this.#request, this.#parts)
    let mutated = false
    try {
      const question = { hook, request: this.#request, as, versioned, mutating: true }
      const verdict = await askWebhook(question, this.#parts)
      mutated = this.#change(hook, as, versioned, verdict, index)
      done(undefined)
    } catch (error) {
      done(error)
      this.#failed(hook, index, error)
    } finally {
      this.#note(MUTATION, index, {
        configuration: hook.configuration,
        webhook: webhook.name,
        mutated,
      })
    }
    if (mutated) this.#reinvocations.changed()
    if (webhook.reinvocationPolicy === 'IfNeeded') this.#reinvocations.remember(hook.uid)
  }

  /** Throws what an error comes to, unless it is to be ignored. */
  #failed({ webhook }: Hook, index: number, error: unknown): void {
    if (!(error instanceof CallFailure)) throw error
    if (webhook.failurePolicy !== 'Ignore') throw internalError(error.message)
    this.#request.context.annotate?.(
      `failed-open.${MUTATION}round_${this.#round}_index_${index}`,
      webhook.name,
    )
    const late = tooLate(this.#request)
    if (late) throw late
  }

  get #round(): number {
    return this.#reinvocations.again ? 1 : 0
  }

  #note(prefix: string, index: number, value: object): void {
    this.#request.context.annotate?.(
      `${prefix}round_${this.#round}_index_${index}`,
      JSON.stringify(value),
    )
  }

  /** Makes the change that a webhook wants; whether there was one. */
  #change(
    { webhook, configuration }: Hook,
    as: MatchedAs,
    versioned: Versioned,
    { patch: bytes, patchType }: Verdict,
    index: number,
  ): boolean {
    if (!bytes) return false
    const patch = decoded(webhook.name, bytes)
    if (patch.length === 0) return false
    const { object } = versioned
    if (!object) {
      throw internalError(
        `admission webhook ${JSON.stringify(webhook.name)} attempted to modify the object, which is not supported for this operation`,
      )
    }
    if (patchType !== 'JSONPatch') {
      const why = `unsupported patch type ${JSON.stringify(patchType)}`
      throw new CallFailure(webhook.name, why, 400)
    }
    const next = this.#patched(object, patch, as)
    this.#note(PATCH, index, { configuration, webhook: webhook.name, patch, patchType })
    const changed = !same(object, next)
    this.#seen = { as, versioned: { ...versioned, object: next } }
    this.#dirty = true
    return changed
  }

  #patched(object: Draft, patch: JsonPatch, as: MatchedAs): Draft {
    const { group, version, plural } = as.resource
    const served = this.#parts.catalog().find(group, version, plural)
    if (!served) throw internalError(`${plural} of ${group}/${version} are not served`)
    try {
      const next = applyJsonPatch(object as unknown as JsonValue, patch)
      const { subresource } = this.#request
      return reread(served, structuredClone(next) as Record<string, unknown>, { subresource })
    } catch (error) {
      const { message } = error as Error
      if (error instanceof KindChange) throw new ApiError(failure(500, undefined, message))
      throw internalError(message)
    }
  }
}

function decoded(name: string, bytes: Buffer): JsonPatch {
  try {
    return decodeJsonPatch(parsed(bytes.toString()))
  } catch (error) {
    const why = `received undecodable patch in webhook response: ${(error as Error).message}`
    throw new CallFailure(name, why, 503)
  }
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    throw new Error(goSyntaxError(text))
  }
}
