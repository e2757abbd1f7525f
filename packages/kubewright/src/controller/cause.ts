import type { Kind } from '../machinery/kind.ts'
import type { Reason } from '../workqueue/queue-machine.ts'
import { changedPaths } from './changed-paths.ts'
import type { ChangeEvent } from './event.ts'

/** Which handler made requests of an event: the object itself, its owner, or a map of the author's. */
export type Via = 'itself' | 'owner' | 'map'

const PAST = {
  create: 'created',
  update: 'updated',
  delete: 'deleted',
  generic: 'noticed',
} as const

/**
 * Why an event leads to a run: which object, what happened to it, and, worked out only if somebody looks, what changed in it and which
 * handler it was. For people: a reconciler that decides by it is not level-triggered.
 */
export function causeOf(kind: Kind, event: ChangeEvent, via: Via): Reason {
  const { object, initial, type } = event
  const text = `${kind.kind} ${object.metadata.name ?? ''} ${initial ? 'listed' : PAST[type]}`
  if (type !== 'update') return { text, detail: () => VIA[via] }
  return { text, detail: detailOf(event, via) }
}

const VIA: Readonly<Record<Via, string>> = {
  itself: 'handler: the object itself',
  owner: 'handler: owner',
  map: 'handler: map',
}

function detailOf(event: ChangeEvent & { readonly type: 'update' }, via: Via): () => string {
  let told: string | undefined
  let states: ChangeEvent | undefined = event
  return () => {
    if (states?.type === 'update') {
      const paths = changedPaths(states.old, states.object)
      told = paths.length > 0 ? `${paths.join(', ')}; ${VIA[via]}` : VIA[via]
      // What was said once need not keep two states of an object alive.
      states = undefined
    }
    return told ?? ''
  }
}
