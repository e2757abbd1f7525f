import type { Cache } from '../cache/cache.ts'
import type { Client } from '../client/client.ts'

/** A cluster that a manager works in besides its own. */
export interface Member {
  /** Lower-case letters, digits, dots and dashes. */
  readonly name: string
  /** Its writes must be told to the cache. */
  readonly client: Client
  readonly cache: Cache
}

/** The clusters that joined a manager. */
export interface Clusters {
  /** Those that are there now. */
  readonly members: ReadonlyMap<string, Member>
  /**
   * Calls `join` for every member, now and later; what it resolves with is called, and waited for, when that member leaves. Answers with
   * what ends it.
   */
  each(join: (member: Member, signal: AbortSignal) => Promise<() => Promise<void>>): () => void
}
