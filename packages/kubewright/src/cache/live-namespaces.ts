import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import type { Client } from '../client/client.ts'
import { listerWatcher } from '../client/list-watch.ts'
import { metadataOf } from '../client/metadata-only.ts'
import { kindOf } from '../machinery/kind.ts'
import { SharedInformer } from './informer.ts'

/** The namespaces that carry labels, followed as they come and go. */
export interface LiveNamespaces {
  /** Tells an informer which they are, from when they are known until the signal aborts. */
  follow(
    informer: { setNamespaces(namespaces: readonly string[]): void },
    signal: AbortSignal,
  ): void
  /** Follows them until the cache stops. */
  run(): Promise<void>
}

/** What {@link LiveNamespaces} are made of. */
export interface LiveNamespacesOptions {
  readonly client: Client
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly signal: AbortSignal
  readonly labelSelector: string
}

const NAMESPACES = metadataOf(kindOf('v1', 'Namespace', 'namespaces', 'Cluster'))

/** Makes {@link LiveNamespaces}; only the metadata of namespaces is read. */
export function createLiveNamespaces(options: LiveNamespacesOptions): LiveNamespaces {
  const { client, signal, ...rest } = options
  const source = listerWatcher(client, NAMESPACES)
  const informer = new SharedInformer({ ...rest, kind: NAMESPACES, source, signal })
  const now = (): readonly string[] =>
    informer.lister.list().flatMap((it) => it.metadata.name ?? [])
  return {
    follow(follower, until) {
      const tell = (): void => follower.setNamespaces(now())
      const start = async (): Promise<void> => {
        await informer.waitForSync(until)
        if (until.aborted) return
        tell()
        const leave = informer.listen((change) => {
          // Those that are there were told at once.
          if (!change.initial && Boolean(change.old) !== Boolean(change.new)) tell()
        })
        until.addEventListener('abort', leave, { once: true })
      }
      // It rejects only when the cache stops.
      start().catch(() => {})
    },
    run: () => informer.run(),
  }
}
