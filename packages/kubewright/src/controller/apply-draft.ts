import { metadataOf } from '../client/metadata-only.ts'
import type { Clock } from '../base/clock.ts'
import type { Cache } from '../cache/cache.ts'
import type { Client } from '../client/client.ts'
import { apiVersionOf, type Kind } from '../machinery/kind.ts'
import { keyOf, keyText, type ObjectKey } from '../machinery/object-key.ts'
import type { KubeObject } from '../machinery/object.ts'
import { controllerReference, ownershipProblem, withOwner } from '../machinery/owner-reference.ts'
import { appliedAs, ownsExactly, unchangedSince, type Applied } from './applied.ts'
import type { ApplyOptions } from './context.ts'
import type { EventRecorder } from './event-recorder.ts'
import type { RuntimeObserver } from './observer.ts'
import type { Logger } from '../base/logger.ts'
import type { LoopDetector } from './loop-detector.ts'

/** What contexts of a controller share. */
export interface ContextParts {
  readonly controller: string
  /** The name of the cluster; empty for the manager's own. */
  readonly cluster: string
  readonly client: Client
  readonly cache: Cache
  readonly events: EventRecorder
  readonly clock: Clock
  readonly observer: RuntimeObserver | undefined
  /** What was applied for each key, by what it was applied to; entries go when the key's object is gone. */
  readonly memory: Map<string, Map<string, Applied>>
  /** What the last run of each key said of its status. */
  readonly statuses: Map<string, Readonly<Record<string, unknown>>>
  readonly loops: LoopDetector
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
export interface OwnableDraft {
  readonly metadata?: KubeObject['metadata']
}

type Owner = { readonly kind: Kind; readonly object: KubeObject }

/** Applies a draft, unless that would change nothing. */
export async function applyDraft<C extends KubeObject>(
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
  if (last && live && last.text === text)
    await parts.loops.fought({
      key: run.key,
      place,
      kind,
      object: live,
      last,
      fieldOwner,
      owned: () => client.find(metadataOf(kind), key),
    })
  const result = await client.apply(kind, full as never, {
    fieldOwner,
    force: options.force ?? true,
    ...(subresource ? { subresource } : {}),
  })
  const applied = appliedAs(text, full, result)
  if (live && live.metadata.resourceVersion === result.metadata.resourceVersion)
    parts.loops.useless({ key: run.key, place, kind, object: result, draft: full })
  remember(parts, run.key, place, applied)
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

/** What the cache has of an object, if it mirrors the kind; never older than this process's writes. */
export function liveOf<C extends KubeObject>(
  cache: Cache,
  kind: Kind<C>,
  key: ObjectKey,
): C | undefined {
  const informer = cache.peek(kind)
  return informer?.synced ? informer.lister.get(key) : undefined
}

function remember(parts: ContextParts, key: ObjectKey, place: string, applied: Applied): void {
  const text = keyText(key)
  let places = parts.memory.get(text)
  if (!places) parts.memory.set(text, (places = new Map()))
  places.set(place, applied)
}

/** Tells the observer that an apply had nothing to say. */
export function tellUnsent(
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
