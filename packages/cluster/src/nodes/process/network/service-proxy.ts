import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import type { Clock, Logger } from 'kubewright/base'
import { controller, type ControllerDefinition } from 'kubewright/controller'
import { Service } from 'kubewright/kinds/core/v1'
import { EndpointSlice } from 'kubewright/kinds/discovery.k8s.io/v1'
import { keyText, type ObjectKey } from 'kubewright/machinery'
import type { Ground } from '../ground/ground.ts'
import { type Backend, backendsOf, SERVICE_NAME } from './endpoints.ts'
import { relay, relayDatagrams } from './relay.ts'

/** What a proxy of services needs. */
export interface ServiceProxyOptions {
  readonly ground: Ground
  /** Where the nodes are: their ports lead to services too. */
  readonly nodes: readonly string[]
  /** Addresses that somebody else answers at. */
  readonly taken: readonly string[]
  /** Whether an address is of the cluster's own network, so that the ground connects to it. */
  readonly isOfCluster: (host: string) => boolean
  /** Where the API server listens: its own service leads there. */
  readonly apiServer: () => Backend | undefined
}

/**
 * Answers at the addresses and ports of services, and hands what comes to one of the pods behind them: what kube-proxy does, in this
 * process. One connection is one backend's, in turn, or by the client's address where the service asks for that.
 */
export function serviceProxy(options: ServiceProxyOptions): ControllerDefinition {
  const proxy = new ServiceProxy(options)
  return controller(Service, { name: 'service-proxy', resync: 0, pace: false })
    .watches(EndpointSlice, ({ metadata: { namespace, labels } }) => {
      const name = labels?.[SERVICE_NAME]
      return name === undefined || namespace === undefined ? [] : [{ namespace, name }]
    })
    .watchesSource((_, { signal }) =>
      signal.addEventListener('abort', () => void proxy.close(), { once: true }),
    )
    .reconcileKey(async (key, { lister, clock, log }) => {
      const labelSelector = `${SERVICE_NAME}=${key.name}`
      const slices = lister(EndpointSlice).list({ namespace: key.namespace, labelSelector })
      await proxy.update(key, lister(Service).get(key), slices, { clock, log })
    })
}

interface Tools {
  readonly clock: Clock
  readonly log: Logger
}

/** One address and port that is answered at. */
interface Door {
  readonly host: string
  readonly port: number
  readonly protocol: 'TCP' | 'UDP'
}

interface OpenDoor {
  backends: readonly Backend[]
  isSticky: boolean
  readonly opened: Promise<AsyncDisposable | undefined>
}

const doorText = ({ host, port, protocol }: Door): string => `${host}:${port}/${protocol}`

class ServiceProxy {
  readonly #options: ServiceProxyOptions
  readonly #doors = new Map<string, OpenDoor>()
  readonly #byService = new Map<string, ReadonlySet<string>>()
  /** Which backend a client has had, by door and client. */
  readonly #had = new Map<string, Backend>()
  #turn = 0

  constructor(options: ServiceProxyOptions) {
    this.#options = options
  }

  async update(
    key: ObjectKey,
    service: Service | undefined,
    slices: readonly EndpointSlice[],
    tools: Tools,
  ): Promise<void> {
    const wanted = new Set<string>()
    for (const port of service?.spec?.ports ?? []) {
      const protocol = port.protocol ?? 'TCP'
      if (protocol === 'SCTP' || protocol === undefined) continue
      const backends = this.#isApiServer(key) ? this.#apiServer() : backendsOf(slices, port)
      for (const door of this.#doorsOf(
        service!,
        port.port,
        port.nodePort,
        protocol as Door['protocol'],
      )) {
        wanted.add(doorText(door))
        this.#open(door, backends, service!.spec?.sessionAffinity === 'ClientIP', tools)
      }
    }
    const text = keyText(key)
    for (const it of this.#byService.get(text) ?? []) if (!wanted.has(it)) await this.#shut(it)
    if (wanted.size > 0) this.#byService.set(text, wanted)
    else this.#byService.delete(text)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#doors.keys()].map((it) => this.#shut(it)))
  }

  #isApiServer({ namespace, name }: ObjectKey): boolean {
    return namespace === 'default' && name === 'kubernetes'
  }

  #apiServer(): readonly Backend[] {
    const place = this.#options.apiServer()
    return place ? [place] : []
  }

  #doorsOf(
    { spec }: Service,
    port: number,
    nodePort: number | undefined,
    protocol: Door['protocol'],
  ): readonly Door[] {
    const { nodes, taken } = this.#options
    const own = [...(spec?.clusterIPs ?? []), ...(spec?.externalIPs ?? [])].filter(
      (it) => /^[\d.]+$/.test(it) && !taken.includes(it),
    )
    const doors: Door[] = own.map((host) => ({ host, port, protocol }))
    if (nodePort) doors.push(...nodes.map((host) => ({ host, port: nodePort, protocol })))
    return doors
  }

  #open(door: Door, backends: readonly Backend[], isSticky: boolean, tools: Tools): void {
    const text = doorText(door)
    const there = this.#doors.get(text)
    if (there) {
      there.backends = backends
      there.isSticky = isSticky
      return
    }
    const opened = this.#listen(door, tools).catch((error: Error) => {
      tools.log.warn('a service cannot be reached at its address', {
        address: text,
        error: error.message,
      })
      return undefined
    })
    this.#doors.set(text, { backends, isSticky, opened })
  }

  async #listen(door: Door, { clock }: Tools): Promise<AsyncDisposable> {
    const { ground } = this.#options
    const { host, port, protocol } = door
    if (protocol === 'TCP') return ground.listen(host, port, (client) => this.#serve(door, client))
    const socket = await ground.bindUdp(host, port)
    relayDatagrams(socket, {
      clock,
      pick: (client) => this.#pick(door, client),
      open: () => ground.bindUdp('0.0.0.0', 0),
    })
    return { [Symbol.asyncDispose]: async () => void socket.close() }
  }

  #serve(door: Door, client: Socket): void {
    const backend = this.#pick(door, client.remoteAddress ?? '')
    // As a rejected connection: nothing is behind the service.
    if (!backend) return void client.resetAndDestroy()
    void relay(client, () => this.#connect(backend))
  }

  async #connect({ host, port }: Backend): Promise<Socket> {
    const { ground, isOfCluster } = this.#options
    if (isOfCluster(host)) return ground.dial(host, port)
    const socket = connect(port, host)
    await once(socket, 'connect')
    return socket
  }

  #pick(door: Door, client: string): Backend | undefined {
    const found = this.#doors.get(doorText(door))
    if (!found || found.backends.length === 0) return undefined
    const next = found.backends[this.#turn++ % found.backends.length]
    if (!found.isSticky) return next
    const key = `${doorText(door)} ${client}`
    const had = this.#had.get(key)
    const again = found.backends.find((it) => it.host === had?.host && it.port === had.port)
    const chosen = again ?? next
    if (chosen) this.#had.set(key, chosen)
    return chosen
  }

  async #shut(text: string): Promise<void> {
    const door = this.#doors.get(text)
    this.#doors.delete(text)
    for (const key of this.#had.keys()) if (key.startsWith(`${text} `)) this.#had.delete(key)
    await (await door?.opened)?.[Symbol.asyncDispose]()
  }
}
