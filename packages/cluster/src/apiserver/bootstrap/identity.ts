import { createHash } from 'node:crypto'
import type { Clock, Random } from 'kubewright/base'
import { microTimeText, timeText, type UnknownObject } from 'kubewright/machinery'
import { fillSystemFields } from '../endpoints/system-fields.ts'
import type { Storage } from '../storage/storage.ts'
import { type Advertised, writeObject } from './advertised.ts'
import { withOwners } from './managed-fields.ts'

/** Seconds that a server counts as running after it last said so, and milliseconds between two times that it says so. */
const LEASE_SECONDS = 3600
const RENEWAL = 10_000

const NAMESPACE = 'kube-system'

/** Who a server is, for the lease that says that it runs (KEP-1965). */
export interface Identity {
  readonly host: string
  readonly where: Advertised
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

/** The name of a server's lease: the same for the same host and address. */
export function leaseName({ host, where }: Identity): string {
  const hash = createHash('sha256').update(`${host}|${where.ip}|${where.port}`).digest()
  const text = [...hash.subarray(0, 26)].map((it) => BASE32[it % 32]).join('')
  return `apiserver-${text}`
}

/** Writes the lease of a running server, and again every ten seconds until the signal aborts. */
export async function keepIdentityLease(
  storage: Storage,
  clock: Clock,
  random: Random,
  identity: Identity,
  signal: AbortSignal,
): Promise<void> {
  const name = leaseName(identity)
  const holderIdentity = `${name}_${random.uuid()}`
  const renew = (): Promise<void> =>
    writeObject(storage, `coordination.k8s.io/leases/${NAMESPACE}/${name}`, (stored) => {
      const renewTime = microTimeText(clock.now())
      const spec = { holderIdentity, leaseDurationSeconds: LEASE_SECONDS, renewTime }
      const base = stored?.object ?? fresh(name, identity)
      const object = { ...base, spec } as UnknownObject
      const owned = withOwners(LEASE_OWNERS, object, timeText(clock.now()))
      const metadata = { ...owned.metadata }
      if (!stored) fillSystemFields(metadata as never, clock, random)
      return { ...owned, metadata }
    })
  await renew()
  while (!signal.aborted) {
    await clock.sleep(RENEWAL, signal).catch(() => {})
    if (!signal.aborted) await renew()
  }
}

/** Under which key the owners of a lease are told. */
const LEASE_OWNERS = 'coordination.k8s.io/leases/kube-system/apiserver'

const fresh = (name: string, { host, where }: Identity): UnknownObject => ({
  kind: 'Lease',
  apiVersion: 'coordination.k8s.io/v1',
  metadata: {
    name,
    namespace: NAMESPACE,
    labels: {
      'apiserver.kubernetes.io/identity': 'kube-apiserver',
      'kubernetes.io/hostname': host,
    },
    annotations: { 'kubernetes.io/peer-advertise-address': `${where.ip}:${where.port}` },
  },
})
