import type { Ownership } from '../controller/ownership.ts'

/** What a replica holds, as controllers ask of it. */
export interface Holding {
  readonly ownership: Ownership
  /** Partitions are to be handed over when all that was begun for them has ended. */
  lose(partitions: readonly number[]): void
  /** Partitions became this replica's. */
  gain(partitions: readonly number[]): void
}

/** What a {@link Holding} is made of. */
export interface HoldingParts {
  readonly by: 'uid' | 'namespace'
  readonly partitionOf: (id: string) => number
  /** Whether new work may begin for a partition. */
  readonly held: (partition: number) => boolean
  /** All work for a partition that is to be handed over has ended. */
  readonly drained: (partition: number) => void
}

type Listener = (affected: (id: string) => boolean) => void

/** Makes a {@link Holding}: counts what is under way for each partition, and tells who listens. */
export function createHolding(parts: HoldingParts): Holding {
  const { by, partitionOf, held, drained } = parts
  const running = new Map<number, number>()
  const losing = new Set<number>()
  const gainers = new Set<Listener>()
  const losers = new Set<Listener>()
  const tell = (listeners: ReadonlySet<Listener>, partitions: readonly number[]): void => {
    const set = new Set(partitions)
    for (const it of listeners) it((id) => set.has(partitionOf(id)))
  }
  const end = (partition: number): void => {
    const left = running.get(partition)! - 1
    if (left > 0) running.set(partition, left)
    else running.delete(partition)
    if (left === 0 && losing.delete(partition)) drained(partition)
  }
  const listen = (listeners: Set<Listener>, listener: Listener): (() => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  return {
    ownership: {
      by,
      owns: (id) => held(partitionOf(id)),
      begin(id) {
        const partition = partitionOf(id)
        if (!held(partition)) return undefined
        running.set(partition, (running.get(partition) ?? 0) + 1)
        let ended = false
        return () => {
          if (!ended) end(partition)
          ended = true
        }
      },
      onGained: (listener) => listen(gainers, listener),
      onLosing: (listener) => listen(losers, listener),
    },
    lose(partitions) {
      for (const it of partitions) losing.add(it)
      tell(losers, partitions)
      for (const it of partitions) if (!running.has(it) && losing.delete(it)) drained(it)
    },
    gain(partitions) {
      for (const it of partitions) losing.delete(it)
      tell(gainers, partitions)
    },
  }
}
