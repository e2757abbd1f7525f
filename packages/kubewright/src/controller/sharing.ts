import type { Logger } from '../base/logger.ts'
import type { Cache } from '../cache/cache.ts'
import type { Kind } from '../machinery/kind.ts'
import { parseKey } from '../machinery/object-key.ts'
import type { KubeObject } from '../machinery/object.ts'
import type { IntakeOptions } from './intake.ts'
import type { Ownership } from './ownership.ts'

/** Which keys of one controller are this process's, where replicas share the work. */
export interface Sharing {
  readonly ownership: Ownership
  /** What the replicas share a key by. */
  idOf(key: string): string
  admit(key: string, options: IntakeOptions): boolean
  /** Nothing more is to be known of a key. */
  forget(key: string): void
}

/** What a {@link Sharing} is made of. */
export interface SharingParts {
  readonly ownership: Ownership
  readonly kind: Kind | undefined
  readonly log: Logger
  /** The cache of a cluster; undefined when it has left. */
  readonly cacheOf: (cluster: string) => Cache | undefined
}

/**
 * Makes a {@link Sharing}. The id of a key is its object's; of one that is gone, what it was when it was last seen; and of one that was
 * never there, its own text, so that one replica and no other deals with it.
 */
export function shareWork(parts: SharingParts): Sharing {
  const { ownership, kind, log } = parts
  const last = new Map<string, string>()
  const told = new Set<string>()
  const find = (key: string): KubeObject | undefined => {
    const { cluster = '', ...rest } = parseKey(key)
    const informer = kind ? parts.cacheOf(cluster)?.peek(kind) : undefined
    return informer?.synced ? informer.lister.get(rest) : undefined
  }
  const read = (key: string, { metadata }: KubeObject): string =>
    ownership.by === 'uid' ? (metadata.uid ?? key) : (metadata.namespace ?? '')
  const idOf = (key: string): string => {
    if (ownership.by === 'namespace') return parseKey(key).namespace ?? ''
    const object = find(key)
    return object ? read(key, object) : (last.get(key) ?? key)
  }
  return {
    ownership,
    idOf,
    forget: (key) => void last.delete(key),
    admit(key, { object, source }) {
      const id = object ? read(key, object) : idOf(key)
      const owns = ownership.owns(id)
      // Only what is gone must be remembered: all else is in the cache.
      if (object && owns && !find(key)) last.set(key, id)
      if (!owns && source && !told.has('source')) {
        told.add('source')
        log.warn(
          'a source asked for an object that another replica holds: a source of a controller whose work is shared must ask in every replica, as cron and polling do',
          { object: key },
        )
      }
      return owns
    },
  }
}
