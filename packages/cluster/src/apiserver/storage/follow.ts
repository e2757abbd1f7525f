import { Compacted, type Storage } from './storage.ts'

/**
 * Calls `changed` after every change under a prefix, one call at a time, until the signal aborts: for whoever keeps what he made of what lies
 * there. Falling behind counts as a change. Rejects with what `changed` rejects with, or the store.
 */
export async function follow(
  storage: Storage,
  prefix: string,
  changed: () => void | Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  for (let from = storage.revision; !signal.aborted; from = storage.revision) {
    try {
      for await (const _ of storage.watch(prefix, from, signal)) await changed()
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof Compacted)) throw error
      await changed()
    }
  }
}
