import type { Logger } from '../base/logger.ts'
import type { Clusters, Member } from '../controller/clusters.ts'
import { openCluster, type ClusterAddress, type ClusterParts } from './open-cluster.ts'

/** The clusters besides its own that a running manager works in; they join and leave while it runs. */
export interface ClusterSet {
  readonly names: readonly string[]
  /**
   * Takes a cluster in: resolves when the controllers that are for it (`clusters: 'members'` or `'all'`) have it in their caches. Rejects
   * when it is there already, or one of them could not list its kinds in time; then it has left again.
   */
  join(name: string, address: ClusterAddress): Promise<void>
  /** Lets a cluster go: resolves when all runs in it have ended. One that is not there is left alone. */
  leave(name: string): Promise<void>
}

/** A {@link ClusterSet}, as the manager that owns it has it. */
export interface JoinedClusters extends Clusters, ClusterSet {
  stop(): Promise<void>
}

type Join = Parameters<Clusters['each']>[0]

interface Joined {
  readonly member: Member
  readonly leaving: AbortController
  /** What each controller does when the cluster leaves. */
  readonly endings: Map<Join, Promise<() => Promise<void>>>
}

/** Makes a {@link JoinedClusters} without members. */
export function joinedClusters(parts: ClusterParts): JoinedClusters {
  const joined = new Map<string, Joined>()
  const joins = new Set<Join>()
  const members = new Map<string, Member>()
  const enter = (it: Joined, join: Join): Promise<() => Promise<void>> => {
    const ending = join(it.member, it.leaving.signal)
    it.endings.set(join, ending)
    return ending
  }
  const leave = async (name: string): Promise<void> => {
    const it = joined.get(name)
    if (!it) return
    it.leaving.abort(new Error(`the cluster ${name} leaves`))
    await Promise.all([...it.endings.values()].map((ending) => endOf(ending, parts.log)))
    joined.delete(name)
    members.delete(name)
    await it.member.cache.stop()
    await it.member.client.close()
    parts.log.info('a cluster left', { cluster: name })
  }
  return {
    members,
    get names() {
      return [...members.keys()]
    },
    each(join) {
      joins.add(join)
      for (const it of joined.values())
        enter(it, join).catch((error: unknown) =>
          parts.log.error('a controller could not work in a cluster', {
            cluster: it.member.name,
            error,
          }),
        )
      return () => void joins.delete(join)
    },
    async join(name, address) {
      checkName(name, joined)
      const { client, cache } = openCluster(address, parts)
      const member: Member = { name, client, cache }
      const it: Joined = { member, leaving: new AbortController(), endings: new Map() }
      joined.set(name, it)
      members.set(name, member)
      cache.start()
      try {
        await Promise.all([...joins].map((join) => enter(it, join)))
        parts.log.info('a cluster joined', { cluster: name })
      } catch (error) {
        await leave(name)
        throw error
      }
    },
    leave,
    async stop() {
      await Promise.all([...joined.keys()].map(leave))
    },
  }
}

async function endOf(ending: Promise<() => Promise<void>>, log: Logger): Promise<void> {
  try {
    await (
      await ending
    )()
  } catch (error) {
    log.debug('a controller had not begun in a cluster that leaves', { error })
  }
}

function checkName(name: string, joined: ReadonlyMap<string, unknown>): void {
  if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name))
    throw new Error(
      `${JSON.stringify(name)} cannot name a cluster: lower-case letters, digits, dots and dashes were expected`,
    )
  if (joined.has(name))
    throw new Error(`the cluster ${name} has joined already; let it leave first to join it anew`)
}
