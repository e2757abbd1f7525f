import type { Write } from '../client/write.ts'
import type { Kind } from '../machinery/kind.ts'
import { keyText, type ObjectKey } from '../machinery/object-key.ts'
import type { KubeObject } from '../machinery/object.ts'
import { applyDraft, type ContextParts, type OwnableDraft, type RunParts } from './apply-draft.ts'
import type { Context, KeyContext } from './context.ts'
import type { ObjectRun } from './definition.ts'
import { StatusWriter } from './write-status.ts'

/** How a run gets at other clusters. */
export interface Elsewhere {
  names(): readonly string[]
  to(cluster: string): KeyContext
}

/** Makes the context of a run that knows only a key. */
export function keyContext(parts: ContextParts, run: RunParts, elsewhere: Elsewhere): KeyContext {
  const { cache, events, clock } = parts
  const client = parts.client.with({
    signal: run.signal,
    fieldOwner: parts.controller,
    onWrite: (write: Write) => tellWrite(parts, run, write),
  })
  const options = <O extends object>(given: O | undefined): O & { signal: AbortSignal } => ({
    signal: run.signal,
    ...(given as O),
  })
  return {
    key: run.key,
    signal: run.signal,
    log: run.log,
    attempt: run.attempt,
    reasons: run.reasons,
    id: run.id,
    clusters: () => elsewhere.names(),
    in: (cluster) => elsewhere.to(cluster),
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
): ObjectRun<T> {
  const self = { kind, object }
  const status = new StatusWriter(parts, context, kind, object)
  const full: Context<T> = {
    ...context,
    object,
    apply: (of, draft, given = {}) =>
      applyDraft(parts, context, context.client, of, draft as OwnableDraft, given, self),
    status: (draft) => status.write(draft),
    event: (type, reason, message, given) =>
      context.events.record(self, type, reason, message, given),
    owned: (of) => context.lister(of).byIndex(OWNER_INDEX, object.metadata.uid ?? ''),
  }
  return { context: full, finish: () => status.finish() }
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

function tellWrite(parts: ContextParts, run: RunParts, write: Write): void {
  const { verb, kind, key, subresource, object, sent } = write
  if (verb === 'update' && object && changedNothing(sent as KubeObject, object)) {
    const place = `${kind.group}/${kind.plural}/${keyText(key)}/${subresource ?? ''}`
    parts.loops.useless({ key: run.key, place, kind, object, draft: sent as object })
  }
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

/** Whether an update left the object at the version that it was made from. */
function changedNothing(sent: KubeObject, object: KubeObject): boolean {
  const { resourceVersion } = sent.metadata
  return resourceVersion !== undefined && resourceVersion === object.metadata.resourceVersion
}
