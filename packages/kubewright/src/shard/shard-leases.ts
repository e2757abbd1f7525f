import type { Client } from '../client/client.ts'
import { kindOf, type Kind } from '../machinery/kind.ts'
import type { KubeObject } from '../machinery/object.ts'
import type { MapSeen, MemberSeen } from './machine.ts'
import type { Owners } from './plan.ts'

/** A Lease (coordination.k8s.io/v1) as far as shards read it. */
export interface ShardLease extends KubeObject {
  readonly spec?: {
    readonly holderIdentity?: string
    readonly leaseDurationSeconds?: number
    readonly acquireTime?: string
    readonly renewTime?: string
    readonly leaseTransitions?: number
  }
}

export const LEASE: Kind<ShardLease> = kindOf(
  'coordination.k8s.io/v1',
  'Lease',
  'leases',
  'Namespaced',
)

/** The label of all Leases of one operator's shards; its value is their name. */
export const LABEL = 'kubewright.dev/shards'
const LEAVING = 'kubewright.dev/leaving'
const MAP = 'kubewright.dev/shard-map'

/** What all replicas see when they look. */
export interface Seen {
  readonly members: readonly MemberSeen[]
  readonly map: MapSeen
  /** The Lease that carries the map, where there is one. */
  readonly mapLease: ShardLease | undefined
  readonly leases: readonly ShardLease[]
}

/** Reads the Leases of all replicas and the map, as the server has them now. */
export async function look(
  client: Client,
  name: string,
  namespace: string,
  partitions: number,
  signal: AbortSignal,
): Promise<Seen> {
  const { items } = await client.list(LEASE, {
    namespace,
    labelSelector: `${LABEL}=${name}`,
    signal,
  })
  const mapLease = items.find((it) => it.metadata.name === mapName(name))
  const leases = items.filter((it) => it !== mapLease)
  return { members: leases.map(memberOf), map: mapOf(mapLease, partitions), mapLease, leases }
}

/** The name of the Lease that carries the map. */
export const mapName = (name: string): string => `${name}-shards`

function memberOf({ metadata, spec }: ShardLease): MemberSeen {
  return {
    identity: spec?.holderIdentity ?? '',
    version: `${metadata.uid}/${metadata.resourceVersion}`,
    leaving: metadata.annotations?.[LEAVING] === 'true',
  }
}

/** The Lease by which a replica says that it lives. */
export function memberLease(
  name: string,
  own: { readonly name: string; readonly identity: string; readonly leaving: boolean },
  spec: NonNullable<ShardLease['spec']>,
): ShardLease {
  return {
    metadata: {
      name: own.name,
      labels: { [LABEL]: name },
      ...(own.leaving ? { annotations: { [LEAVING]: 'true' } } : {}),
    },
    spec: { ...spec, holderIdentity: own.identity },
  }
}

/** The map as it stands in an annotation: the holders, and for each partition the place of its holder among them. */
interface MapText {
  readonly holders: readonly string[]
  readonly partitions: readonly number[]
}

/** What the Lease of the map says. Throws a sentence where it is of another number of partitions, or none that can be read. */
function mapOf(lease: ShardLease | undefined, partitions: number): MapSeen {
  const text = lease?.metadata.annotations?.[MAP]
  const version = lease?.metadata.resourceVersion ?? ''
  if (text === undefined) return { version, owners: Array.from({ length: partitions }, () => '') }
  const map = parsed(text)
  if (!map)
    throw new Error(
      `the annotation ${MAP} of the Lease ${lease?.metadata.name} cannot be read; delete the Lease when no replica runs, and it is made anew`,
    )
  if (map.partitions.length !== partitions)
    throw new Error(
      `the shards are divided into ${map.partitions.length} partitions and this replica was told ${partitions}: all replicas must be told the same; to change it, stop them all and delete the Lease ${lease?.metadata.name}`,
    )
  return { version, owners: map.partitions.map((it) => (it < 0 ? '' : (map.holders[it] ?? ''))) }
}

function parsed(text: string): MapText | undefined {
  try {
    const { holders, partitions } = JSON.parse(text) as Partial<MapText>
    return Array.isArray(holders) && Array.isArray(partitions) ? { holders, partitions } : undefined
  } catch {
    return undefined
  }
}

/** The Lease that carries a map. */
export function mapLeaseOf(
  name: string,
  owners: Owners,
  before: ShardLease | undefined,
  now: string,
): ShardLease {
  const holders = [...new Set(owners.filter((it) => it !== ''))].sort()
  const text: MapText = {
    holders,
    partitions: owners.map((it) => (it === '' ? -1 : holders.indexOf(it))),
  }
  const { metadata } = before ?? { metadata: {} }
  return {
    ...before,
    metadata: {
      ...metadata,
      name: mapName(name),
      labels: { ...metadata.labels, [LABEL]: name },
      annotations: { ...metadata.annotations, [MAP]: JSON.stringify(text) },
    },
    // A write that changes nothing must make a new version all the same.
    spec: { renewTime: now, leaseTransitions: (before?.spec?.leaseTransitions ?? 0) + 1 },
  }
}
