import { Compacted, type Storage } from './storage.ts'

/**
 * Calls `changed` after every change under a prefix since a revision (default: now), one call at a time, until the signal aborts: for
 * whoever keeps what he made of what lies there. Falling behind counts as a change. Rejects with what `changed` rejects with, or the store.
 */
export async function follow(
  storage: Storage,
  prefix: string,
  changed: () => void | Promise<void>,
  signal: AbortSignal,
  since: number = storage.revision,
): Promise<void> {
  for (let from = since; !signal.aborted;) {
    try {
      for await (const _ of storage.watch(prefix, from, signal)) await changed()
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof Compacted)) throw error
      // Taken before the call: what changes during it is a change of its own.
      from = storage.revision
      await changed()
    }
  }
}
