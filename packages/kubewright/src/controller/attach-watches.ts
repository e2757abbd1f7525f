import type { Cache } from '../cache/cache.ts'
import { keyText } from '../machinery/object-key.ts'
import type { KubeObject } from '../machinery/object.ts'
import { causeOf } from './cause.ts'
import type { ControllerDefinition, SourceContext, WatchDefinition } from './definition.ts'
import { eventOf } from './event.ts'
import { requestTexts } from './handler.ts'
import { LOW_PRIORITY, type Intake } from './intake.ts'
import type { ControllerEnvironment } from './run-controller.ts'

/** Where events come from: a cache, and the name of its cluster, empty for the manager's own. */
export interface Origin {
  readonly cluster: string
  readonly cache: Cache
}

/** The text of a key in the cluster it was seen in. */
export const inCluster = (cluster: string, key: string): string =>
  cluster === '' || key.includes('%') ? key : `${cluster}%${key}`

/** Connects the events of a kind to the queue: change → event → predicate → handler → intake. */
export function attachWatch(
  { kind, where, priority, via, handler }: WatchDefinition,
  { name }: ControllerDefinition,
  { log, observer }: ControllerEnvironment,
  { cluster, cache }: Origin,
  intake: Intake,
): () => void {
  const handle = handler({ lister: (of) => cache.lister(of) })
  return cache.informer(kind).listen((change) => {
    const event = eventOf(change)
    const { type, initial, object } = event
    const key = (): string =>
      inCluster(cluster, keyText({ name: object.metadata.name ?? '', ...home(object) }))
    observer?.({
      type: 'watched',
      controller: name,
      kind: kind.kind,
      key: key(),
      change: type,
      initial,
    })
    try {
      if (!where(event)) return
      const reason = causeOf(kind, event, via)
      for (const request of handle(event))
        intake(inCluster(cluster, request), {
          reason,
          ...(initial ? { priority: LOW_PRIORITY } : priority === undefined ? {} : { priority }),
          ...(via === 'itself' ? { object: event.object } : {}),
        })
    } catch (error) {
      log.error(
        `a ${via === 'map' ? 'map' : 'predicate'} of the controller ${name} threw: this event of ${kind.kind} ${key()} sets nothing off; make the function take every object that the server may hold`,
        { controller: name, kind: kind.kind, object: key(), error },
      )
    }
  })
}

const home = ({ metadata }: KubeObject): { readonly namespace?: string } =>
  metadata.namespace ? { namespace: metadata.namespace } : {}

/** Looks at every object from time to time, spread by a tenth so that processes do not march in step. */
export function startResync(
  { kind, options }: ControllerDefinition,
  { clock, random }: ControllerEnvironment,
  { cluster, cache }: Origin,
  intake: Intake,
): () => void {
  const { resync = 36_000_000 } = options
  if (!kind || resync <= 0) return () => {}
  const { lister } = cache.informer(kind)
  const start = (): { cancel(): void } =>
    clock.after(resync * (0.9 + 0.2 * random.next()), () => {
      timer = start()
      for (const key of requestTexts(lister.list()))
        intake(inCluster(cluster, key), { reason: { text: 'resync' }, priority: LOW_PRIORITY })
    })
  let timer = start()
  return () => timer.cancel()
}

/** Runs the sources of a controller until the signal aborts; what one throws is thrown. */
export async function runSource(
  source: ControllerDefinition['sources'][number],
  environment: ControllerEnvironment,
  controller: string,
  intake: Intake,
  signal: AbortSignal,
): Promise<void> {
  const { client, cache, clock, random, log } = environment
  const context: SourceContext = {
    client,
    clock,
    random,
    log: log.with({ controller }),
    signal,
    lister: (kind) => cache.lister(kind),
    serve: (path, handler) => {
      if (environment.inbound) return environment.inbound.add(path, handler)
      throw new Error(
        `a source of the controller ${controller} takes requests at ${path}, and the manager listens nowhere for them: give it a port, manager({ ports: { inbound: 9080 } })`,
      )
    },
  }
  await source((requests, how = {}) => {
    const { reason = 'source', ...rest } = typeof how === 'string' ? { reason: how } : how
    for (const key of requestTexts(requests))
      intake(key, { reason: { text: reason }, source: true, ...rest })
  }, context)
}
