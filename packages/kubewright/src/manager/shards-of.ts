import type { Cache } from '../cache/cache.ts'
import type { ControllerDefinition } from '../controller/definition.ts'
import type { Kind } from '../machinery/kind.ts'
import { runShards, type ShardParts, type Shards } from '../shard/run-shards.ts'
import type { ManagerDefinition } from './manager.ts'

/** What shards need of a process. */
export interface ShardProcess extends Pick<
  ShardParts,
  'client' | 'clock' | 'random' | 'log' | 'metrics' | 'signal'
> {
  readonly cache: Cache
  readonly instance: string
}

/** The part of this process in sharing the work, where the options ask for it. It has joined when this returns. */
export function shardsOf(
  { options, controllers }: ManagerDefinition,
  { cache, instance, ...process }: ShardProcess,
): Shards | undefined {
  if (!options.shards) return undefined
  const given = typeof options.shards === 'object' ? options.shards : {}
  const whole = new Set(controllers.flatMap((it) => wholeKinds(it, given.by ?? 'uid')))
  const own = new Set(controllers.map((it) => (it.kind ? idOf(it.kind) : '')))
  const divided = (kind: Kind): boolean =>
    !whole.has(idOf(kind)) &&
    (own.has(idOf(kind)) || (given.by === 'namespace' && kind.scope === 'Namespaced'))
  return runShards({
    ...process,
    options: { ...given, name: given.name ?? options.name ?? 'kubewright' },
    identity: given.identity ?? `${instance}_${process.random.uuid()}`,
    onSelection: (selector) => cache.selectShards(selector, divided),
  })
}

const idOf = (kind: Kind): string => `${kind.group}/${kind.plural}`

/**
 * The kinds of which a controller needs all objects, whichever replica it is: all of one whose work is not shared; and with division by
 * uid, what belongs to its objects, since that has uids of its own. A reconciler of keys must be able to tell what is gone from what is
 * another's.
 */
function wholeKinds(definition: ControllerDefinition, by: 'uid' | 'namespace'): readonly string[] {
  const { kind, options, watches, owns, reads, byKey } = definition
  const all = [...watches.map((it) => it.kind), ...owns, ...reads]
  if (options.sharded === false || options.leaderOnly === false || byKey) return all.map(idOf)
  if (by === 'namespace') return []
  const related = watches.filter((it) => it.via !== 'itself').map((it) => it.kind)
  return [...related, ...owns, ...reads]
    .filter((it) => it !== kind || related.includes(it))
    .map(idOf)
}
