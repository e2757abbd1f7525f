import { completeConditions, type Condition, type ConditionDraft } from '../machinery/condition.ts'
import type { Kind } from '../machinery/kind.ts'
import { keyOf, keyText } from '../machinery/object-key.ts'
import type { KubeObject } from '../machinery/object.ts'
import { jsonEqual, type JsonValue } from '../machinery/patch/json.ts'
import { timeText } from '../machinery/time.ts'
import {
  applyDraft,
  liveOf,
  tellUnsent,
  type ContextParts,
  type OwnableDraft,
} from './apply-draft.ts'
import type { KeyContext } from './context.ts'

type Fields = Readonly<Record<string, unknown>>
type WithStatus = KubeObject & { readonly status?: Fields }

/**
 * Writes one object's status over one run. Each call is sent at once, on top of what the run before left, so that a status written
 * in several parts does not flicker; at the end of the run, what it has not named goes.
 */
export class StatusWriter<T extends KubeObject> {
  readonly #parts: ContextParts
  readonly #context: KeyContext
  readonly #kind: Kind<T>
  readonly #object: T
  readonly #before: Fields
  readonly #said: Record<string, unknown> = {}

  constructor(parts: ContextParts, context: KeyContext, kind: Kind<T>, object: T) {
    this.#parts = parts
    this.#context = context
    this.#kind = kind
    this.#object = object
    this.#before = parts.statuses.get(keyText(context.key)) ?? ownStatus(parts.controller, object)
  }

  write(draft: object): Promise<T> {
    Object.assign(this.#said, draft)
    return this.#apply({ ...this.#before, ...this.#said })
  }

  /** The reconciler has returned. */
  async finish(): Promise<void> {
    const named = Object.keys(this.#said)
    if (named.length === 0) return
    if (Object.keys(this.#before).some((it) => !named.includes(it))) await this.#apply(this.#said)
    this.#parts.statuses.set(keyText(this.#context.key), { ...this.#said })
  }

  async #apply(fields: Fields): Promise<T> {
    const key = keyOf(this.#object)
    const live = liveOf(this.#parts.cache, this.#kind, key) ?? this.#object
    const { status: before } = live as WithStatus
    const status = this.#completed(fields, before)
    const unchanged =
      before &&
      jsonEqual(JSON.parse(JSON.stringify(status)) as JsonValue, before as unknown as JsonValue)
    if (unchanged) {
      tellUnsent(this.#parts, this.#context, this.#kind, key, 'status')
      return live
    }
    const draft = { metadata: key, status } as OwnableDraft
    const options = { owner: null, subresource: 'status' }
    return applyDraft(
      this.#parts,
      this.#context,
      this.#context.client,
      this.#kind,
      draft,
      options,
      undefined,
    )
  }

  #completed(fields: Fields, before: Fields | undefined): Fields {
    const drafts = fields['conditions'] as readonly ConditionDraft[] | undefined
    if (!drafts) return fields
    const current = before?.['conditions'] as readonly Condition[] | undefined
    const now = timeText(this.#parts.clock.now())
    const { generation } = this.#object.metadata
    return { ...fields, conditions: completeConditions(current, drafts, { now, generation }) }
  }
}

/** The fields of an object's status that a controller owned before this process began: what its managedFields say. */
function ownStatus(manager: string, object: WithStatus): Fields {
  const entry = object.metadata.managedFields?.find(
    (it) => it.manager === manager && it.operation === 'Apply' && it.subresource === 'status',
  )
  const owned = (entry?.fieldsV1?.['f:status'] ?? {}) as Fields
  const { status = {} } = object
  return Object.fromEntries(Object.entries(status).filter(([name]) => `f:${name}` in owned))
}
