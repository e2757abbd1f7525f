import type { UnknownObject } from 'kubewright/machinery'
import type { Change, Stored } from '../storage/storage.ts'

/** What one change means to a watcher. */
export interface Transition {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  /** What to show. */
  readonly stored: Stored
  /** The resourceVersion to show it under, where it is not its own: an object that leaves a selection is shown as it was. */
  readonly revision: number | undefined
}

/**
 * Turns a change into what a watcher of a selection sees: an object that comes to match is ADDED, one that ceases to match is DELETED
 * (storage/cacher/cache_watcher.go). Undefined where it sees nothing. `matches` judges an object as the watcher's version shows it.
 */
export function transition(
  change: Change,
  matches: (stored: Stored) => boolean,
): Transition | undefined {
  const { type, stored, previous, revision } = change
  const before = previous !== undefined && matches(previous)
  if (type === 'remove') {
    return before ? { type: 'DELETED', stored, revision: undefined } : undefined
  }
  if (matches(stored)) return { type: before ? 'MODIFIED' : 'ADDED', stored, revision: undefined }
  return before ? { type: 'DELETED', stored: previous, revision } : undefined
}

/** An object under another resourceVersion. */
export const under = (object: UnknownObject, revision: number): UnknownObject => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: String(revision) },
})
