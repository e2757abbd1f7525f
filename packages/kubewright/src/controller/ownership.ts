/**
 * Which objects are this process's to work on, where replicas share the work. An id is an object's uid (or whatever the replicas agree
 * to share by), and belongs to one process at a time: a controller asks before each run, and tells when it has ended, so that nothing
 * is handed over that is still being worked on.
 */
export interface Ownership {
  /** What of an object decides who works on it. */
  readonly by: 'uid' | 'namespace'
  /** Whether an id is this process's now. */
  owns(id: string): boolean
  /** Begins a run for an id; undefined when it is not this process's. Call what it answers when the run has ended. */
  begin(id: string): (() => void) | undefined
  /** Calls `listener` whenever more became this process's, with what says whether an id is among it. Answers with what ends it. */
  onGained(listener: (gained: (id: string) => boolean) => void): () => void
  /** Calls `listener` whenever something is to be handed over, as soon as all that was begun for it has ended. */
  onLosing(listener: (losing: (id: string) => boolean) => void): () => void
}
