import type { Clock, Random } from 'kubewright/base'
import { timeText, type UnknownObject } from 'kubewright/machinery'
import { sameJson } from '../endpoints/same-json.ts'
import { fillSystemFields } from '../endpoints/system-fields.ts'
import type { Storage, Stored } from '../storage/storage.ts'
import { withOwners } from './managed-fields.ts'
import { type BootstrapObject, SERVICE_KEY } from './objects.ts'

/** Where pods are told that the API server is: an IPv4 address that the API takes (never 127/8), and its port. */
export interface Advertised {
  readonly ip: string
  readonly port: number
}

const NAME = 'kubernetes'

/** The Endpoints and the EndpointSlice of the API server's service (kubernetes/pkg/controlplane/reconcilers), by their storage keys. */
export const advertisedObjects = ({ ip, port }: Advertised): readonly BootstrapObject[] => [
  {
    key: `/endpoints/default/${NAME}`,
    object: {
      kind: 'Endpoints',
      apiVersion: 'v1',
      metadata: {
        name: NAME,
        namespace: 'default',
        labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' },
      },
      subsets: [{ addresses: [{ ip }], ports: [{ name: 'https', port, protocol: 'TCP' }] }],
    },
  },
  {
    key: `discovery.k8s.io/endpointslices/default/${NAME}`,
    object: {
      kind: 'EndpointSlice',
      apiVersion: 'discovery.k8s.io/v1',
      metadata: {
        name: NAME,
        namespace: 'default',
        generation: 1,
        labels: { 'kubernetes.io/service-name': NAME },
      },
      addressType: 'IPv4',
      endpoints: [{ addresses: [ip], conditions: { ready: true } }],
      ports: [{ name: 'https', protocol: 'TCP', port }],
    },
  },
]

/** Tells in the API where the API server listens, and points its service there. What says so already is left alone. */
export async function advertise(
  storage: Storage,
  clock: Clock,
  random: Random,
  where: Advertised,
): Promise<void> {
  for (const it of advertisedObjects(where)) {
    await writeObject(storage, it.key, (stored) => {
      if (stored) return renewed(stored.object, it.object)
      const object = withOwners(it.key, it.object, timeText(clock.now()))
      const metadata = { ...object.metadata }
      fillSystemFields(metadata as never, clock, random)
      return { ...object, metadata }
    })
  }
  await writeObject(storage, SERVICE_KEY, (stored) => stored && pointed(stored.object, where.port))
}

/** What is stored with the content and labels that it should have. */
function renewed(stored: UnknownObject, wanted: UnknownObject): UnknownObject {
  const { labels } = wanted.metadata
  const next = { ...stored, ...wanted, metadata: { ...stored.metadata, labels } } as UnknownObject
  const { generation } = stored.metadata
  if (generation === undefined || sameJson(stored, next)) return next
  return { ...next, metadata: { ...next.metadata, generation: generation + 1 } } as UnknownObject
}

/** The service with its port pointed at the server's (controller/kubernetesservice CreateOrUpdateMasterServiceIfNeeded). */
function pointed(service: UnknownObject, port: number): UnknownObject {
  const spec = service['spec'] as { readonly ports?: readonly object[] }
  const ports = (spec.ports ?? []).map((it) => ({ ...it, targetPort: port }))
  return { ...service, spec: { ...spec, ports } }
}

/** Writes what `change` makes of what is stored, again when somebody else was faster; nothing where nothing differs. */
export async function writeObject(
  storage: Storage,
  key: string,
  change: (stored: Stored | undefined) => UnknownObject | undefined,
): Promise<void> {
  for (;;) {
    const stored = await storage.get(key)
    const next = change(stored)
    if (next === undefined || sameJson(stored?.object, next)) return
    const { ok } = await storage.compareAndSwap(key, stored?.revision ?? 0, {
      ...next,
      metadata: { ...next.metadata },
    })
    if (ok) return
  }
}
