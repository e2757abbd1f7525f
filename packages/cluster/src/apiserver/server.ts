import { randomBytes } from 'node:crypto'
import {
  type Clock,
  type Logger,
  type Random,
  silentLogger,
  systemClock,
  systemRandom,
} from 'kubewright/base'
import type { CustomResourceDefinition } from 'kubewright/schema'
import type { AdmissionPlugin } from './admission/admission.ts'
import { ADMISSION_PLUGINS } from './admission/plugins.ts'
import { ISSUER, ServiceAccountTokens } from './authentication/service-account-tokens.ts'
import { noEscalation } from './authorization/escalation.ts'
import { RbacAuthorizer } from './authorization/rbac.ts'
import { allowAuthenticated, isPublic } from './authorization/stock.ts'
import { advertise } from './bootstrap/advertised.ts'
import { bootstrap } from './bootstrap/bootstrap.ts'
import { DEFINITION_STRATEGY } from './definitions/definition-strategy.ts'
import { DEFINITIONS, Definitions } from './definitions/definitions.ts'
import { Catalog } from './endpoints/catalog.ts'
import { deleteObject } from './endpoints/delete.ts'
import { elsewhere } from './endpoints/elsewhere.ts'
import { compose, type Exchange, type Handler } from './endpoints/exchange.ts'
import type { Health } from './endpoints/health.ts'
import { requestInfo } from './endpoints/request-info.ts'
import { router } from './endpoints/router.ts'
import type { Served } from './endpoints/served.ts'
import type { Connector, ServerParts } from './endpoints/server-parts.ts'
import { withStockSubresources } from './endpoints/stock-subresources.ts'
import { KUBERNETES } from './endpoints/version.ts'
import { Views } from './endpoints/view.ts'
import { ANONYMOUS } from './filters/authentication.ts'
import { filterChain } from './filters/chain.ts'
import { RequestMetrics } from './filters/metrics.ts'
import { advertisedAddress } from './http/advertised-address.ts'
import { makeTls } from './http/certificates.ts'
import { fromFetch, toFetch } from './http/fetch.ts'
import { kubeconfigText } from './http/kubeconfig.ts'
import { type Listening, listen, type TlsMaterial } from './http/listener.ts'
import type { Answer, ApiRequest, User } from './http/message.ts'
import { callWebhook, type ResolveService, type WebhookTarget } from './http/webhook-call.ts'
import { OpenApiPublisher } from './openapi/publisher.ts'
import { strategyOf } from './registry/strategies.ts'
import type { Strategy } from './registry/strategy.ts'
import type { ResourceInfo } from './resources/resource.ts'
import { servedBuiltins } from './resources/served-builtins.ts'
import { keepCompacting } from './storage/compaction.ts'
import { memoryStorage } from './storage/memory-storage.ts'
import type { Storage } from './storage/storage.ts'
import { tableConvertor } from './table/convertors.ts'
import {
  mutatingWebhooks,
  validatingWebhooks,
  type WebhookOptions,
} from './webhooks/admission-webhooks.ts'
import { MatchConditions } from './webhooks/match-conditions.ts'
import { endpointsOf } from './webhooks/resolve-service.ts'

/** What a server may be told; everything has a default. */
export interface ApiServerOptions {
  /** Where objects lie. Default: in memory. The server closes it. */
  readonly storage?: Storage
  readonly clock?: Clock
  readonly random?: Random
  readonly logger?: Logger
  /** Default `rbac`; `authenticated` lets everybody do everything who has said who he is. */
  readonly authorization?: 'rbac' | 'authenticated'
  /** Bearer tokens that are good for ever, and whose they are. */
  readonly tokens?: Readonly<Record<string, User>>
  /** The token of the administrator's kubeconfig. Default: a new one at every start. */
  readonly adminToken?: string
  /** As whom `fetch` asks that carries no token. Default: an administrator. */
  readonly user?: User
  /** Who answers for subresources that reach into a node, by `pods/log`. Default: nobody; they are answered with a 501. */
  readonly connectors?: Readonly<Record<string, Connector>>
  /** Finds what is behind the services that webhooks name. Default: their EndpointSlices tell. */
  readonly resolveService?: ResolveService
  /** Admission plugins. Default: those that v1.36 has on by default. */
  readonly admission?: readonly AdmissionPlugin[]
}

/** Where to listen. Default: 127.0.0.1, a free port, a certificate of its own authority. */
export interface ServeOptions {
  readonly host?: string
  readonly port?: number
  readonly tls?: TlsMaterial
}

/** Where a server listens, and how a client gets in. */
export interface Address {
  /** `https://127.0.0.1:6443` */
  readonly url: string
  readonly port: number
  /** The text of an administrator's kubeconfig. */
  readonly kubeconfig: string
  /** What it serves with: given to a later `listen`, old kubeconfigs stay good. */
  readonly tls: TlsMaterial
}

/** A kube-apiserver in this process. */
export interface ApiServer {
  /** Answers a request without a socket: the same filters, codecs and storage. Paths count, hosts do not. */
  readonly fetch: (request: Request) => Promise<Response>
  /** Opens the TLS listener. Rejects with a sentence when the port cannot be had. */
  readonly listen: (options?: ServeOptions) => Promise<Address>
  /** Resolves when the objects that every cluster begins with are there. `fetch` waits for it by itself. */
  readonly ready: Promise<void>
  readonly storage: Storage
  /** Ends watches, closes the listener and the storage. */
  readonly close: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

const ADMINISTRATOR: User = Object.freeze({
  name: 'kubernetes-admin',
  groups: Object.freeze(['system:masters']),
})

/** As whom the server itself acts (apiserver/pkg/authentication/user APIServerUser). */
const LOOPBACK: User = Object.freeze({
  name: 'system:apiserver',
  groups: Object.freeze(['system:masters']),
})

/** As over a network, a call gives way: callers in this process must not keep sockets and timers from their turn. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Makes a server. It answers `fetch` at once; nothing listens until `listen`. */
export function createApiServer(options: ApiServerOptions = {}): ApiServer {
  return new ApiServerProcess(options)
}

class ApiServerProcess implements ApiServer {
  readonly storage: Storage
  readonly ready: Promise<void>
  readonly #clock: Clock
  readonly #random: Random
  readonly #user: User
  readonly #handler: Handler
  readonly #definitions: Definitions
  readonly #resolveService: ResolveService
  readonly #metrics: RequestMetrics
  readonly #closing = new AbortController()
  readonly #adminToken: string
  #listening: Listening | undefined
  #closed: Promise<void> | undefined
  #isReady = false

  constructor(options: ApiServerOptions) {
    this.storage = options.storage ?? memoryStorage()
    this.#clock = options.clock ?? systemClock
    this.#random = options.random ?? systemRandom
    this.#user = options.user ?? ADMINISTRATOR
    this.#resolveService = options.resolveService ?? endpointsOf(this.storage)
    this.#adminToken = options.adminToken ?? randomBytes(24).toString('base64url')
    this.#metrics = new RequestMetrics(this.#clock)
    const logger = options.logger ?? silentLogger
    const accounts = new ServiceAccountTokens(this.storage, this.#clock)
    const parts = this.#parts(options, accounts)
    const publisher = new OpenApiPublisher(this.#openApi(parts.catalog))
    this.#definitions = new Definitions({
      storage: this.storage,
      catalog: parts.catalog,
      clock: this.#clock,
      logger,
      deleteInstance: (served, namespace, name) =>
        this.#deleteInstance(parts, served, namespace, name),
      postReview: (crd, review) => this.#postReview(crd, review),
      uuid: () => this.#random.uuid(),
      changed: () => publisher.update(this.#openApi(parts.catalog)),
    })
    const heart = router(parts, elsewhere(this.#elsewhere(parts.catalog, publisher, accounts)))
    this.#handler = compose(filterChain(parts, logger, this.#metrics), heart)
    this.ready = this.#start()
    this.ready.catch(() => {})
  }

  readonly fetch = async (request: Request): Promise<Response> => {
    await this.ready
    await turn()
    const gone = new AbortController()
    const signal = AbortSignal.any([this.#closing.signal, gone.signal])
    const answer = await this.#answer(fromFetch(request, this.#user, signal))
    return toFetch(answer, () => gone.abort())
  }

  readonly listen = async ({
    host = '127.0.0.1',
    port = 0,
    tls,
  }: ServeOptions = {}): Promise<Address> => {
    const material = tls ?? (await makeTls(host, this.#clock.now()))
    await this.ready
    this.#listening = await listen({ host, port, tls: material }, (it) => this.#answer(it))
    // Not without a listener: its timer would keep a process alive that forgot to close the server.
    void keepCompacting(this.storage, this.#clock, this.#closing.signal)
    const where = { ip: advertisedAddress(host), port: this.#listening.port }
    await advertise(this.storage, this.#clock, this.#random, where)
    const shown = host === '0.0.0.0' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
    const url = `https://${shown}:${this.#listening.port}`
    const kubeconfig = kubeconfigText(url, material.authority, this.#adminToken)
    return { url, port: this.#listening.port, kubeconfig, tls: material }
  }

  readonly close = (): Promise<void> => (this.#closed ??= this.#stop())

  readonly [Symbol.asyncDispose] = (): Promise<void> => this.close()

  async #stop(): Promise<void> {
    this.#closing.abort()
    await this.#listening?.close()
    await this.ready.catch(() => {})
    await this.storage.close()
  }

  async #start(): Promise<void> {
    await bootstrap(this.storage, this.#clock, this.#random)
    await this.#definitions.start(this.#closing.signal)
    this.#isReady = true
  }

  #answer(request: ApiRequest): Promise<Answer> {
    return this.#handler({
      request,
      info: requestInfo(request.method, request.path, request.query),
      auditId: this.#random.uuid(),
      user: ANONYMOUS,
      warnings: [],
    })
  }

  #parts(options: ApiServerOptions, accounts: ServiceAccountTokens): ServerParts {
    const rbac = new RbacAuthorizer(this.storage)
    const decide = options.authorization === 'authenticated' ? allowAuthenticated : rbac.authorize
    const tokens = new Map(Object.entries(options.tokens ?? {}))
    tokens.set(this.#adminToken, ADMINISTRATOR)
    const escalation = noEscalation({ rbac, authorizer: decide })
    const catalog: Catalog = new Catalog(
      servedBuiltins({
        strategyOf: builtinStrategy,
        tableOf: tableConvertor,
        clock: this.#clock,
      }),
    )
    return {
      storage: this.storage,
      clock: this.#clock,
      random: this.#random,
      catalog,
      admission: withWebhooks([...(options.admission ?? ADMISSION_PLUGINS), escalation], {
        catalog: () => catalog,
        resolveService: this.#resolveService,
        conditions: new MatchConditions(),
      }),
      authorizer: (it) => (isPublic(it) ? { allowed: true, reason: '' } : decide(it)),
      rulesOf: (user, namespace) => rbac.rulesOf(user, namespace),
      authenticateToken: async (token, audiences) => {
        const user = tokens.get(token)
        return user ? { user, audiences } : accounts.authenticate(token, audiences)
      },
      signToken: accounts.sign,
      connectors: options.connectors ?? {},
    }
  }

  #openApi(catalog: Catalog): ConstructorParameters<typeof OpenApiPublisher>[0] {
    return {
      infos: infosOf(catalog),
      customKind: (info) => this.#definitions.customKind(info),
      version: `${KUBERNETES.major}.${KUBERNETES.minor}`,
    }
  }

  #elsewhere(
    catalog: Catalog,
    publisher: OpenApiPublisher,
    accounts: ServiceAccountTokens,
  ): Parameters<typeof elsewhere>[0] {
    return {
      discovery: () => ({
        infos: infosOf(catalog),
        isBuiltinGroup: (group) => catalog.isBuiltinGroup(group),
        serverAddress: `127.0.0.1:${this.#listening?.port ?? 0}`,
      }),
      openApi: publisher,
      now: () => this.#clock.now(),
      health: this.#health(),
      metrics: () => this.#metrics.text(this.storage.revision),
      publicKeys: () => accounts.publicKeys(),
      issuer: ISSUER,
    }
  }

  #postReview(crd: CustomResourceDefinition, review: object): Promise<unknown> {
    const target = (crd.spec.conversion?.webhook?.clientConfig ?? {}) as WebhookTarget
    return callWebhook(target, review, CONVERSION_TIMEOUT, this.#resolveService)
  }

  /** Deletes an object of a definition that goes, as the server itself. */
  async #deleteInstance(
    parts: ServerParts,
    served: Served,
    namespace: string,
    name: string,
  ): Promise<void> {
    const exchange = { user: LOOPBACK, warnings: [] as string[] } as unknown as Exchange
    const views = new Views(served)
    await deleteObject({ parts, served, views, exchange, namespace, name, subresource: '' }, {})
  }

  #health(): Health {
    const ping = { name: 'ping', run: () => undefined }
    const storage = { name: 'etcd', run: () => undefined }
    const started = {
      name: 'poststarthook/bootstrap-controller',
      run: () => (this.#isReady ? undefined : 'not finished'),
    }
    const shutdown = {
      name: 'shutdown',
      run: () => (this.#closing.signal.aborted ? 'the server is closing' : undefined),
    }
    return {
      healthz: [ping, storage, started],
      livez: [ping, storage, started],
      readyz: [ping, storage, started, shutdown],
    }
  }
}

/** Puts the webhooks before the plugin that counts what is left. */
function withWebhooks(
  plugins: readonly AdmissionPlugin[],
  options: WebhookOptions,
): readonly AdmissionPlugin[] {
  const quota = plugins.findIndex((it) => it.name === 'ResourceQuota')
  const at = quota < 0 ? plugins.length : quota
  return plugins.toSpliced(at, 0, mutatingWebhooks(options), validatingWebhooks(options))
}

/** How long a conversion webhook may take, in milliseconds. */
const CONVERSION_TIMEOUT = 30_000

const infosOf = (catalog: Catalog): readonly ResourceInfo[] =>
  [...catalog.all()].map((it) => it.info)

const builtinStrategy = (info: ResourceInfo): Strategy =>
  info.storageKey === DEFINITIONS
    ? DEFINITION_STRATEGY
    : withStockSubresources(info, strategyOf(info))
