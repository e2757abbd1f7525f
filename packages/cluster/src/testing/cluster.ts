import { type Clock, type Logger, systemClock } from 'kubewright/base'
import { type Client, createClient } from 'kubewright/client'
import type { Kind, KubeObject, ListOptions } from 'kubewright/machinery'
import {
  declaredKinds,
  installKinds,
  type Manager,
  manager,
  type Running,
} from 'kubewright/manager'
import {
  ADMISSION_PLUGINS,
  type Address,
  type ApiServer,
  createApiServer,
  type FindApi,
  memoryStorage,
  type Snapshot,
  type Storage,
  sqliteStorage,
} from '../apiserver/index.ts'
import { isSelected, type SigningAuthority, stockControllers } from '../controllers/index.ts'
import {
  type ApiServerPlace,
  type KubeletHost,
  makeProcessNodes,
  METRICS_SERVICE,
  metricsApi,
  metricsRegistration,
  type PodRule,
  type ProcessNodes,
  type SimulatedNodes,
  simulateNodes,
} from '../nodes/index.ts'
import { type Identity, keepIdentity, makeDataFolder, readIdentity } from './identity.ts'
import { checkOptions, type ClusterOptions } from './cluster-options.ts'
import { bumped, dataFileIn } from './data-folder.ts'
import { until, untilGone, untilList, type UntilOptions } from './until.ts'

/** A whole control plane in this process. `await using cluster = await startCluster()` ends it with the block. */
export interface Cluster extends AsyncDisposable {
  /** Speaks to the server as an administrator, without a socket. */
  readonly client: Client
  readonly server: ApiServer
  readonly clock: Clock
  /** The way to the server, for a manager or a client: `app.start({ transport: cluster.fetch })`. */
  readonly fetch: ApiServer['fetch']
  /** Where it listens; undefined without a port. */
  readonly address: Address | undefined
  /** The text of an administrator's kubeconfig. Throws when the cluster does not listen. */
  kubeconfig(): string
  /** Everything that is stored, as it stands now; nothing is copied. `startCluster({ from })` begins with it, any number of times. */
  snapshot(): Snapshot
  /**
   * Starts another cluster from where this one stands, with the same options but without its port and data folder; both go their own
   * ways from there. Objects are shared until one of them is written. Operators that `run` here do not run there.
   */
  fork(options?: ClusterOptions): Promise<Cluster>
  /**
   * Lets pods on simulated nodes behave in some way, from now on, those that run already too: `cluster.simulate(whenPod('app=web').failsWith(137).times(3))`.
   * What it answers with ends that; `using` does with the block.
   */
  simulate(...rules: readonly PodRule[]): Disposable
  /** Installs the kinds that an operator declares and starts it against the cluster; it is stopped with it. Its cached objects are frozen. */
  run(app: Manager): Promise<Running>
  /** Resolves with an object as soon as something holds of it; rejects with a sentence that shows what there was instead. */
  until<T extends KubeObject>(
    kind: Kind<T>,
    name: string,
    holds: (object: T) => boolean,
    options?: UntilOptions,
  ): Promise<T>
  /** Resolves when there is no such object. */
  untilGone<T extends KubeObject>(
    kind: Kind<T>,
    name: string,
    options?: UntilOptions,
  ): Promise<void>
  /** Resolves with what a selection finds, as soon as something holds of all of it together. */
  untilList<T extends KubeObject>(
    kind: Kind<T>,
    selection: ListOptions,
    holds: (objects: readonly T[]) => boolean,
    options?: UntilOptions,
  ): Promise<readonly T[]>
  close(): Promise<void>
}

/** Starts a {@link Cluster}. Resolves when the server answers and the controllers work. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  checkOptions(options)
  const { clock = systemClock, random, logger, dataDir, port } = options
  const identity = dataDir === undefined ? undefined : readIdentity(dataDir, clock.now())
  const nodes = simulateNodes(options, clock)
  const processes = await processesOf(options, clock)
  const server = createApiServer({
    clock,
    findKubelet: (node) => nodes.findKubelet(node) ?? processes?.findKubelet(node),
    findApi: findMetrics(
      () => [...nodes.hosts, ...(processes?.hosts ?? [])],
      () => server.storage,
    ),
    ...(identity && { adminToken: identity.adminToken }),
    ...(random && { random }),
    ...(logger && { logger }),
    ...((dataDir !== undefined || options.from) && { storage: storageOf(options) }),
    ...(!makesAccounts(options) && { admission: WITHOUT_SERVICE_ACCOUNTS }),
    serveSnapshot: true,
    ...processes?.server,
    ...options.server,
  })
  const cluster = new LocalCluster(server, clock, options, { nodes, processes })
  try {
    // Pods speak to the server as others do.
    await cluster.start(processes ? (port ?? 0) : port, identity)
    if (dataDir !== undefined && cluster.address) keepIdentity(dataDir, cluster.address)
    return cluster
  } catch (error) {
    await cluster.close()
    throw error
  }
}

/** The process nodes of a cluster whose pods live. */
async function processesOf(
  { controllers = true, ...options }: ClusterOptions,
  clock: Clock,
): Promise<ProcessNodes | undefined> {
  if (!controllers) return undefined
  if (options.dataDir !== undefined) makeDataFolder(options.dataDir)
  return makeProcessNodes({ ...options, clock })
}

const makesAccounts = ({ controllers = true }: ClusterOptions): boolean =>
  typeof controllers === 'boolean'
    ? controllers
    : isSelected('serviceaccount-controller', controllers)

/** The metrics API of a cluster, behind the service that stands for it. */
function findMetrics(hosts: () => readonly KubeletHost[], storage: () => Storage): FindApi {
  const api = metricsApi({
    hosts,
    nodeLabels: async () => {
      const { items } = await storage().list({ prefix: '/nodes/' })
      return new Map(
        items.map(({ object: { metadata } }) => [metadata.name ?? '', metadata.labels ?? {}]),
      )
    },
  })
  const { namespace, name } = METRICS_SERVICE
  return (service) => (service.namespace === namespace && service.name === name ? api : undefined)
}

/** Where no controller makes service accounts, a pod cannot be asked for one (as in envtest). */
const WITHOUT_SERVICE_ACCOUNTS = ADMISSION_PLUGINS.filter((it) => it.name !== 'ServiceAccount')

function storageOf({ dataDir, from, bumpRevision = 0 }: ClusterOptions): Storage {
  const start = from && { from: bumped(from, bumpRevision) }
  if (dataDir === undefined) return memoryStorage(start)
  makeDataFolder(dataDir)
  return sqliteStorage({ path: dataFileIn(dataDir), ...start })
}

class LocalCluster implements Cluster {
  readonly server: ApiServer
  readonly clock: Clock
  readonly client: Client
  readonly fetch: ApiServer['fetch']
  readonly #options: ClusterOptions
  readonly #nodes: SimulatedNodes
  readonly #running: Running[] = []
  readonly #processes: ProcessNodes | undefined
  #address: Address | undefined
  #closed: Promise<void> | undefined

  constructor(
    server: ApiServer,
    clock: Clock,
    options: ClusterOptions,
    { nodes, processes }: { nodes: SimulatedNodes; processes: ProcessNodes | undefined },
  ) {
    this.server = server
    this.clock = clock
    this.fetch = server.fetch
    this.client = createClient({ transport: server.fetch, clock })
    this.#options = options
    this.#nodes = nodes
    this.#processes = processes
  }

  get address(): Address | undefined {
    return this.#address
  }

  async start(port: number | undefined, identity: Identity | undefined): Promise<void> {
    const tls = identity && { tls: identity.tls }
    if (port !== undefined) this.#address = await this.server.listen({ port, ...tls })
    await this.server.ready
    if (this.#options.controllers === false) return
    const rootCertificate = (): string => authorityOf(this.#address)
    const signingAuthority = (): SigningAuthority | undefined => signerOf(this.#address)
    const { volumeRoot, defaultStorageClass, controllers } = this.#options
    const stock = {
      rootCertificate,
      signingAuthority,
      signToken: this.server.signToken,
      ...(Array.isArray(controllers) ? { controllers } : {}),
      ...(volumeRoot === undefined ? {} : { volumeRoot }),
      ...(defaultStorageClass === undefined ? {} : { defaultStorageClass }),
    }
    const plane = manager()
      .add(...stockControllers(stock))
      .add(...this.#nodes.parts)
      .add(...(this.#processes?.parts(() => placeOf(this.#address)) ?? []))
      .add(...(this.#options.metrics === false ? [] : [metricsRegistration()]))
    await this.#start(plane, { freeze: false, quiet: true })
  }

  kubeconfig(): string {
    if (this.#address) return this.#address.kubeconfig
    throw new Error(
      'the cluster listens nowhere: start it with a port (0 takes any), or use cluster.client',
    )
  }

  snapshot(): Snapshot {
    return this.server.storage.snapshot()
  }

  fork(options: ClusterOptions = {}): Promise<Cluster> {
    const { port: _, dataDir: __, bumpRevision: ___, ...same } = this.#options
    return startCluster({ ...same, clock: this.clock, ...options, from: this.snapshot() })
  }

  simulate(...rules: readonly PodRule[]): Disposable {
    return this.#nodes.simulate(...rules)
  }

  async run(app: Manager): Promise<Running> {
    await installKinds(this.client, declaredKinds(app.describe().controllers))
    return this.#start(app, { freeze: true, quiet: false })
  }

  until<T extends KubeObject>(
    kind: Kind<T>,
    name: string,
    holds: (object: T) => boolean,
    options?: UntilOptions,
  ): Promise<T> {
    return until(this.client, kind, name, holds, options)
  }

  untilGone<T extends KubeObject>(
    kind: Kind<T>,
    name: string,
    options?: UntilOptions,
  ): Promise<void> {
    return untilGone(this.client, kind, name, options)
  }

  untilList<T extends KubeObject>(
    kind: Kind<T>,
    selection: ListOptions,
    holds: (objects: readonly T[]) => boolean,
    options?: UntilOptions,
  ): Promise<readonly T[]> {
    return untilList(this.client, kind, selection, holds, options)
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#stop())
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #start(
    app: Manager,
    { freeze, quiet }: { readonly freeze: boolean; readonly quiet: boolean },
  ): Promise<Running> {
    const { random, logger } = this.#options
    const running = await app.start({
      transport: this.fetch,
      clock: this.clock,
      ...(random && { random }),
      ...(logger && { logger: quiet ? withoutWarnings(logger) : logger }),
      cache: { freeze },
    })
    this.#running.push(running)
    return running
  }

  /** Operators first, then the control plane's own controllers, then the pods' processes, then the server. */
  async #stop(): Promise<void> {
    for (const it of this.#running.toReversed()) await it.stop()
    await this.#processes?.close()
    await this.client.close()
    await this.server.close()
  }
}

/** The server's warnings are for people: the control plane has to use what it warns of (Endpoints). */
function withoutWarnings(logger: Logger): Logger {
  return {
    ...logger,
    warn: (message, fields) => {
      if (fields?.['warning'] === undefined) logger.warn(message, fields)
    },
    with: (fields) => withoutWarnings(logger.with(fields)),
  }
}

function placeOf(address: Address | undefined): ApiServerPlace | undefined {
  if (!address) return undefined
  const { hostname, port } = new URL(address.url)
  return { host: hostname, port: Number(port) }
}

/** By whom certificates are signed: the authority that the server made for itself. */
function signerOf(address: Address | undefined): SigningAuthority | undefined {
  const { authority, authorityKey } = address?.tls ?? {}
  if (authority === undefined || authorityKey === undefined) return undefined
  return { certificate: authority, key: authorityKey }
}

/** The certificate authority in a kubeconfig, as PEM; empty where nothing listens. */
function authorityOf(address: Address | undefined): string {
  const data = /certificate-authority-data: *"?([A-Za-z0-9+/=]+)/.exec(
    address?.kubeconfig ?? '',
  )?.[1]
  return data ? Buffer.from(data, 'base64').toString('utf8') : ''
}
