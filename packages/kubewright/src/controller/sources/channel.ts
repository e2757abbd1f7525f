import { aborted } from '../../base/lifetime.ts'
import type { EnqueueOptions, Source } from '../definition.ts'
import type { Requests } from '../handler.ts'

/** How a {@link Channel} keeps what nobody takes yet. */
export interface ChannelOptions {
  /** How many sends are kept until a controller that listens has started. Default 1024; the oldest go first. */
  readonly buffer?: number
}

/** A source that the program itself feeds: what is sent goes to every controller that watches it. */
export interface Channel {
  readonly source: Source
  send(requests: Requests, how?: string | EnqueueOptions): void
}

/**
 * Makes a {@link Channel}: `controller(Kind).watchesSource(it.source)`. What is sent before a controller listens is kept for the first
 * that does.
 */
export function channel({ buffer = 1024 }: ChannelOptions = {}): Channel {
  const listeners = new Set<(requests: Requests, how?: string | EnqueueOptions) => void>()
  const kept: (readonly [Requests, (string | EnqueueOptions)?])[] = []
  return {
    async source(enqueue, { signal }) {
      listeners.add(enqueue)
      for (const [requests, how] of kept.splice(0)) enqueue(requests, how)
      await aborted(signal)
      listeners.delete(enqueue)
    },
    send(requests, how = 'sent') {
      for (const it of listeners) it(requests, how)
      if (listeners.size > 0) return
      // An iterator can be read once: what is kept must last.
      kept.push([[...requests], how])
      if (kept.length > buffer) kept.shift()
    },
  }
}
