import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Cache } from '../cache/cache.ts'
import type { Client } from '../client/client.ts'
import type { Write } from '../client/write.ts'
import { completeConditions, type Condition, type ConditionDraft } from '../machinery/condition.ts'
import { apiVersionOf, type Kind } from '../machinery/kind.ts'
import { keyOf, keyText, type ObjectKey } from '../machinery/object-key.ts'
import type { KubeObject } from '../machinery/object.ts'
import { controllerReference, ownershipProblem, withOwner } from '../machinery/owner-reference.ts'
import { jsonEqual, type JsonValue } from '../machinery/patch/json.ts'
import { timeText } from '../machinery/time.ts'
import { ownsExactly, unchangedSince, type Applied } from './applied.ts'
import type { ApplyOptions, Context, KeyContext } from './context.ts'
import type { EventRecorder } from './event-recorder.ts'
import type { RuntimeObserver } from './observer.ts'

/** What contexts of a controller share. */
export interface ContextParts {
  readonly controller: string
  readonly client: Client
  readonly cache: Cache
  readonly events: EventRecorder
  readonly clock: Clock
  readonly observer: RuntimeObserver | undefined
  /** What was applied for each key, by what it was applied to; entries go when the key's object is gone. */
  readonly memory: Map<string, Map<string, Applied>>
}

/** What is particular to one run. */
export interface RunParts {
  readonly key: ObjectKey
  readonly signal: AbortSignal
  readonly log: Logger
  readonly attempt: number
  readonly reasons: readonly string[]
  readonly id: string
}

/** A draft as far as applying must understand it. */
interface OwnableDraft {
  readonly metadata?: KubeObject['metadata']
}

/** Makes the context of a run that knows only a key. */
export function keyContext(parts: ContextParts, run: RunParts): KeyContext {
  const { cache, events, clock } = parts
  const client = parts.client.with({
    signal: run.signal,
    fieldOwner: parts.controller,
    ...(parts.observer ? { onWrite: (write: Write) => tellWrite(parts, run, write) } : {}),
  })
  const options = <O extends object>(given: O | undefined): O & { signal: AbortSignal } => ({
    signal: run.signal,
    ...(given as O),
  })
  return {
    ...run,
    client,
    events,
    clock,
    get: (kind, key, given) => cache.get(kind, inHome(kind, key, run.key), options(given)),
    find: (kind, key, given) => cache.find(kind, inHome(kind, key, run.key), options(given)),
    list: (kind, given) => cache.list(kind, options(given)),
    lister: (kind) => cache.lister(kind),
    apply: (kind, object, given = {}) =>
      applyDraft(parts, run, client, kind, object as OwnableDraft, given, undefined),
  }
}

/** Makes the context of a run that has an object, of that of its key. */
export function objectContext<T extends KubeObject>(
  parts: ContextParts,
  kind: Kind<T>,
  object: T,
  context: KeyContext,
): Context<T> {
  const self = { kind, object }
  const said: Record<string, unknown> = {}
  return {
    ...context,
    object,
    apply: (of, draft, given = {}) =>
      applyDraft(parts, context, context.client, of, draft as OwnableDraft, given, self),
    status: (status) => {
      Object.assign(said, status)
      return applyStatus(parts, context, kind, object, said)
    },
    event: (type, reason, message, given) =>
      context.events.record(self, type, reason, message, given),
    owned: (of) => context.lister(of).byIndex(OWNER_INDEX, object.metadata.uid ?? ''),
  }
}

/** The index of every owned kind: the uid of the owner that controls an object. */
export const OWNER_INDEX = 'controller-uid'

/** A key given as a bare name is in the namespace of the object that is reconciled. */
function inHome(kind: Kind, key: ObjectKey | string, home: ObjectKey): ObjectKey | string {
  if (kind.scope !== 'Namespaced' || !home.namespace) return key
  if (typeof key === 'string')
    return key.includes('/') ? key : { name: key, namespace: home.namespace }
  return key.namespace ? key : { name: key.name, namespace: home.namespace }
}

type Owner = { readonly kind: Kind; readonly object: KubeObject }

async function applyDraft<C extends KubeObject>(
  parts: ContextParts,
  run: RunParts,
  client: Client,
  kind: Kind<C>,
  draft: OwnableDraft,
  options: ApplyOptions,
  self: Owner | undefined,
): Promise<C> {
  const full = complete(kind, draft, options, run.key, self)
  const text = JSON.stringify(full)
  const key = keyOf(full)
  const place = `${kind.group}/${kind.plural}/${keyText(key)}/${options.subresource ?? ''}`
  const live = liveOf(parts.cache, kind, key)
  const fieldOwner = options.fieldOwner ?? parts.controller
  const last = parts.memory.get(keyText(run.key))?.get(place)
  const asIs =
    unchangedSince(last, text, live) ||
    (!last &&
      !options.subresource &&
      live &&
      ownsExactly(fieldOwner, JSON.parse(text) as object, live))
  if (live && asIs) {
    tellUnsent(parts, run, kind, key, options.subresource)
    return live
  }
  const { subresource } = options
  const result = await client.apply(kind, full as never, {
    fieldOwner,
    force: options.force ?? true,
    ...(subresource ? { subresource } : {}),
  })
  remember(parts, run.key, place, { text, draft: full, result })
  return result
}

/** The draft with what it leaves to the token and to its owner. */
function complete(
  kind: Kind,
  draft: OwnableDraft,
  options: ApplyOptions,
  home: ObjectKey,
  self: Owner | undefined,
): KubeObject {
  const { namespace: given, ...metadata } = draft.metadata ?? {}
  const namespace = kind.scope === 'Namespaced' ? given || home.namespace || '' : ''
  const owner = options.owner === undefined ? self : (options.owner ?? undefined)
  const chosen = options.owner !== undefined
  const references = owner
    ? owned(kind, metadata.ownerReferences, owner, namespace, chosen)
    : metadata.ownerReferences
  return {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    ...draft,
    metadata: {
      ...metadata,
      ...(namespace ? { namespace } : {}),
      ...(references ? { ownerReferences: references } : {}),
    },
  }
}

/** The references with the owner's; one that was named must be able to own, the default one is left out where it cannot. */
function owned(
  kind: Kind,
  references: KubeObject['metadata']['ownerReferences'],
  owner: Owner,
  namespace: string,
  chosen: boolean,
): KubeObject['metadata']['ownerReferences'] {
  const itself = owner.kind.kind === kind.kind && owner.kind.group === kind.group
  const problem = ownershipProblem(owner.kind, owner.object, namespace)
  if (problem && chosen) throw new Error(problem)
  if (problem || (itself && !chosen)) return references
  return withOwner(references, controllerReference(owner.kind, owner.object))
}

async function applyStatus<T extends KubeObject>(
  parts: ContextParts,
  context: KeyContext,
  kind: Kind<T>,
  object: T,
  said: Readonly<Record<string, unknown>>,
): Promise<T> {
  const key = keyOf(object)
  const live = liveOf(parts.cache, kind, key) ?? object
  const before = (live as { readonly status?: { readonly conditions?: readonly Condition[] } })
    .status
  const conditions = said['conditions'] as readonly ConditionDraft[] | undefined
  const status = conditions
    ? {
        ...said,
        conditions: completeConditions(before?.conditions, conditions, {
          now: timeText(parts.clock.now()),
          generation: object.metadata.generation,
        }),
      }
    : said
  if (
    before &&
    jsonEqual(JSON.parse(JSON.stringify(status)) as JsonValue, before as unknown as JsonValue)
  ) {
    tellUnsent(parts, context, kind, key, 'status')
    return live
  }
  return applyDraft(
    parts,
    context,
    context.client,
    kind,
    {
      metadata: { name: key.name, ...(key.namespace ? { namespace: key.namespace } : {}) },
      status,
    } as OwnableDraft,
    { owner: null, subresource: 'status' },
    undefined,
  )
}

/** What the cache has of an object, if it mirrors the kind; never older than this process's writes. */
function liveOf<C extends KubeObject>(cache: Cache, kind: Kind<C>, key: ObjectKey): C | undefined {
  const informer = cache.peek(kind)
  return informer?.synced ? informer.lister.get(key) : undefined
}

function remember(parts: ContextParts, key: ObjectKey, place: string, applied: Applied): void {
  const text = keyText(key)
  let places = parts.memory.get(text)
  if (!places) parts.memory.set(text, (places = new Map()))
  places.set(place, applied)
}

function tellWrite(parts: ContextParts, run: RunParts, write: Write): void {
  const { verb, kind, key, subresource, object } = write
  const resourceVersion = object?.metadata.resourceVersion
  parts.observer?.({
    type: 'written',
    controller: parts.controller,
    key: keyText(run.key),
    id: run.id,
    verb,
    kind: kind.kind,
    object: keyText(key),
    ...(subresource ? { subresource } : {}),
    sent: true,
    ...(resourceVersion ? { resourceVersion } : {}),
  })
}

/** Tells the observer that an apply had nothing to say. */
function tellUnsent(
  parts: ContextParts,
  run: RunParts,
  kind: Kind,
  key: ObjectKey,
  subresource: string | undefined,
): void {
  parts.observer?.({
    type: 'written',
    controller: parts.controller,
    key: keyText(run.key),
    id: run.id,
    verb: 'apply',
    kind: kind.kind,
    object: keyText(key),
    ...(subresource ? { subresource } : {}),
    sent: false,
  })
}
