import { keyText, type ObjectKey } from '../machinery/object-key.ts'
import type { Kind } from '../machinery/kind.ts'
import type { KubeObject } from '../machinery/object.ts'
import { refersTo } from '../machinery/owner-reference.ts'
import type { ChangeEvent } from './event.ts'

/** Which objects to reconcile because of an event: their keys, as text. Handlers are pure and know no queue. */
export type Handler<in T extends KubeObject = KubeObject> = (
  event: ChangeEvent<T>,
) => readonly string[]

/** What an author may answer with when mapping an object to others. */
export type Requests = Iterable<ObjectKey | string | KubeObject>

/** Reconciles the object itself. */
export const forObject: Handler = (event) => [textOf(event.object)]

/**
 * Reconciles the owner of an object, of an update both the old and the new one: the owner that controls it, or with `every` all of
 * that kind. The version of the reference does not count.
 */
export function forOwner(owner: Kind, options: { readonly every?: boolean } = {}): Handler {
  const owners = (object: KubeObject): readonly string[] =>
    (object.metadata.ownerReferences ?? [])
      .filter((it) => (options.every || it.controller === true) && refersTo(it, owner))
      .map((it) =>
        owner.scope === 'Namespaced' && object.metadata.namespace
          ? `${object.metadata.namespace}/${it.name}`
          : it.name,
      )
  return (event) => ofBoth(event, owners)
}

/** Reconciles what `map` names; of an update for both the old and the new object, so that what it no longer names is seen too. */
export function mapped<T extends KubeObject>(map: (object: T) => Requests): Handler<T> {
  return (event) => ofBoth(event, (object) => requestTexts(map(object)))
}

function ofBoth<T extends KubeObject>(
  event: ChangeEvent<T>,
  read: (object: T) => readonly string[],
): readonly string[] {
  const now = read(event.object)
  return event.type === 'update' ? [...new Set([...read(event.old), ...now])] : now
}

/** Requests as key texts. */
export function requestTexts(requests: Requests): readonly string[] {
  return [...requests].map((it) => {
    if (typeof it === 'string') return it
    return 'metadata' in it ? textOf(it) : keyText(it)
  })
}

function textOf({ metadata: { namespace, name = '' } }: KubeObject): string {
  return namespace ? `${namespace}/${name}` : name
}
