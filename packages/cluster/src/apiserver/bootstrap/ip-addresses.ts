import { isIPv6 } from 'node:net'
import type { Clock, Random } from 'kubewright/base'
import { timeText, type UnknownObject } from 'kubewright/machinery'
import { fillSystemFields } from '../endpoints/system-fields.ts'
import { ALLOCATOR, MANAGED } from '../registry/core/service-addresses.ts'
import { objectAt, textsAt } from '../registry/fields.ts'
import { Compacted, type Storage } from '../storage/storage.ts'
import type { BootstrapObject } from './objects.ts'
import { withOwners } from './managed-fields.ts'

const GROUP = 'networking.k8s.io'
const KEY = `${GROUP}/ipaddresses//`

/** The object that says whose an address of a service is (kubernetes/pkg/registry/core/service/ipallocator). */
export const ipAddress = (
  ip: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): BootstrapObject => ({
  key: `${KEY}${ip}`,
  object: {
    kind: 'IPAddress',
    apiVersion: `${GROUP}/v1`,
    metadata: {
      name: ip,
      labels: {
        'ipaddress.kubernetes.io/ip-family': isIPv6(ip) ? 'IPv6' : 'IPv4',
        [MANAGED]: ALLOCATOR,
      },
    },
    spec: { parentRef: { resource: 'services', namespace, name } },
  },
})

/**
 * Keeps one IPAddress for every address of every service, until the signal aborts: made when the service is written, gone with it.
 * Writes straight to the store, as the allocator and the repair loop of kube-apiserver do.
 */
export async function keepIpAddresses(
  storage: Storage,
  clock: Clock,
  random: Random,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const { items, revision } = await storage.list({ prefix: '/services/' })
    for (const it of items) await settle(undefined, it.object)
    try {
      for await (const { type, stored, previous } of storage.watch(
        '/services/',
        revision,
        signal,
      )) {
        await settle(previous?.object, type === 'remove' ? undefined : stored.object)
      }
    } catch (error) {
      if (!(error instanceof Compacted)) throw error
    }
  }

  async function settle(
    before: UnknownObject | undefined,
    now: UnknownObject | undefined,
  ): Promise<void> {
    const [held, wanted] = [addressesOf(before), addressesOf(now)]
    for (const ip of wanted.filter((it) => !held.includes(it))) await make(ip, now!)
    for (const ip of held.filter((it) => !wanted.includes(it))) await drop(ip, before!)
  }

  async function make(ip: string, { metadata }: UnknownObject): Promise<void> {
    const { key, object } = ipAddress(ip, {
      namespace: metadata.namespace ?? '',
      name: metadata.name ?? '',
    })
    if (await storage.get(key)) return
    const whole = { ...object, metadata: { ...object.metadata } }
    fillSystemFields(whole.metadata as never, clock, random)
    await storage.compareAndSwap(key, 0, withOwners(SAMPLE, whole, timeText(clock.now())))
  }

  async function drop(ip: string, { metadata }: UnknownObject): Promise<void> {
    const stored = await storage.get(`${KEY}${ip}`)
    const parent = objectAt(objectAt(stored?.object, 'spec'), 'parentRef')
    const isIts = parent?.['namespace'] === metadata.namespace && parent?.['name'] === metadata.name
    if (stored && isIts) await storage.compareAndSwap(stored.key, stored.revision, undefined)
  }
}

/** An address whose owners are known. */
const SAMPLE = `${KEY}10.0.0.1`

const addressesOf = (service: UnknownObject | undefined): readonly string[] =>
  textsAt(objectAt(service, 'spec'), 'clusterIPs').filter((it) => it !== 'None')
