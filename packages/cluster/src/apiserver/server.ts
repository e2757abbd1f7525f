import { randomBytes, type X509Certificate } from 'node:crypto'
import { type Clock, type Random, silentLogger, systemClock, systemRandom } from 'kubewright/base'
import { Registrations } from './admission/registrations.ts'
import { Aggregator } from './aggregation/aggregator.ts'
import { API_SERVICES } from './aggregation/api-service.ts'
import { type AutoregisterOptions, keepCustomApiServices } from './aggregation/autoregister.ts'
import { auditOf, limitsOf } from './assembly/limits.ts'
import { conversionReviews, deleteInstance, makeNamespace } from './assembly/own-acts.ts'
import { type Replacing, serverParts } from './assembly/parts.ts'
import { servedBy } from './assembly/served-resources.ts'
import type { AuditSink } from './audit/sink.ts'
import { certificatesOf } from './authentication/client-certificate.ts'
import type { LabelSecret } from './authentication/legacy-tokens.ts'
import { type AuthenticationOptions } from './authentication/make-authentication.ts'
import { ServiceAccountTokens } from './authentication/service-account-tokens.ts'
import { ANONYMOUS } from './authentication/users.ts'
import { RbacAuthorizer } from './authorization/rbac.ts'
import { type Advertised, advertise } from './bootstrap/advertised.ts'
import { bootstrap, type BootstrapOptions } from './bootstrap/bootstrap.ts'
import { publishAuthorities } from './bootstrap/client-authorities.ts'
import { keepIdentityLease } from './bootstrap/identity.ts'
import { keepIpAddresses } from './bootstrap/ip-addresses.ts'
import { firstAddress } from './bootstrap/objects.ts'
import { DEFINITIONS, Definitions } from './definitions/definitions.ts'
import { type EncryptionRule, encryptionRules } from './encryption/configuration.ts'
import { encryptedStorage } from './encryption/encrypted-storage.ts'
import type { Catalog } from './endpoints/catalog.ts'
import { elsewhere } from './endpoints/elsewhere.ts'
import { compose, type Handler } from './endpoints/exchange.ts'
import { healthChecks } from './endpoints/health-checks.ts'
import { type Health, HealthRecord } from './endpoints/health.ts'
import { requestInfo } from './endpoints/request-info.ts'
import { router } from './endpoints/router.ts'
import { KUBERNETES } from './endpoints/version.ts'
import type { Fairness } from './fairness/fairness.ts'
import { filterChain } from './filters/chain.ts'
import { Draining } from './filters/draining.ts'
import { advertisedAddress, hostName } from './http/advertised-address.ts'
import { makeTls } from './http/certificates.ts'
import { fromFetch, toFetch } from './http/fetch.ts'
import { kubeconfigText } from './http/kubeconfig.ts'
import { type Listening, listen, type TlsMaterial } from './http/listener.ts'
import type { Answer, ApiRequest, User } from './http/message.ts'
import { type ResolveService } from './http/webhook-call.ts'
import { type ServerMetrics, serverMetrics } from './metrics/server-metrics.ts'
import { Descriptions } from './openapi/descriptions.ts'
import { OpenApiPublisher } from './openapi/publisher.ts'
import { orderedStorage } from './resources/ordered-storage.ts'
import type { ResourceInfo } from './resources/resource.ts'
import type {
  ApiServerOptions,
  Reconfiguration,
  ServeOptions,
  ShutdownOptions,
} from './server-options.ts'
import { COMPACTION_INTERVAL, keepCompacting } from './storage/compaction.ts'
import { EVENT_TTL, keepExpiring } from './storage/expiry.ts'
import { memoryStorage } from './storage/memory-storage.ts'
import { encodeSnapshot } from './storage/snapshot-text.ts'
import type { Storage } from './storage/storage.ts'
import { endpointsOf } from './webhooks/resolve-service.ts'

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
  /** Signs the claims of a service account's token with the server's own key; the issuer is put in where they name none. */
  readonly signToken: (claims: Readonly<Record<string, unknown>>) => Promise<string>
  /**
   * Tells a server that runs what it was told when it was made: from then on it reads and writes, believes and allows by that, and shows
   * who connects another certificate. What is not named stays.
   */
  readonly reconfigure: (changes: Reconfiguration) => Promise<void>
  /** Ends watches, closes the listener and the storage. */
  readonly close: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

const ADMINISTRATOR: User = Object.freeze({
  name: 'kubernetes-admin',
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
  readonly signToken: ApiServer['signToken']
  readonly ready: Promise<void>
  readonly #clock: Clock
  readonly #random: Random
  readonly #user: User
  readonly #handler: Handler
  readonly #definitions: Definitions
  readonly #descriptions = new Descriptions()
  readonly #registering: AutoregisterOptions
  readonly #aggregator: Aggregator
  readonly #registrations: Registrations
  readonly #resolveService: ResolveService
  readonly #metrics: ServerMetrics
  readonly #closing = new AbortController()
  readonly #draining = new Draining()
  readonly #healthRecord = new HealthRecord()
  readonly #shutdown: ShutdownOptions
  #ending = false
  readonly #adminToken: string
  readonly #begins: BootstrapOptions
  readonly #retention: Pick<ApiServerOptions, 'compactionInterval' | 'eventTtl'>
  readonly #audit: AuditSink | undefined
  readonly #fairness: Fairness | undefined
  readonly #rbac: RbacAuthorizer
  readonly #started: number
  #infos: () => readonly ResourceInfo[] = () => []
  #listening: Listening | undefined
  readonly #replacing: Replacing
  #encryptionRules: readonly EncryptionRule[]
  #frontProxy: AuthenticationOptions['frontProxy']
  #advertisedIp = 'kubernetes.default.svc'
  #clientAuthorities: readonly X509Certificate[] = []
  #closed: Promise<void> | undefined
  #isReady = false

  constructor(options: ApiServerOptions) {
    this.#frontProxy = options.authentication?.frontProxy
    const { encryption } = options
    this.#encryptionRules = encryption ? encryptionRules(encryption) : []
    const storage = options.storage ?? memoryStorage()
    this.storage = orderedStorage(
      encryption ? encryptedStorage(storage, () => this.#encryptionRules) : storage,
    )
    this.#rbac = new RbacAuthorizer(this.storage)
    this.#clock = options.clock ?? systemClock
    this.#random = options.random ?? systemRandom
    this.#user = options.user ?? ADMINISTRATOR
    this.#registrations = new Registrations(this.storage)
    this.#resolveService = options.resolveService ?? endpointsOf(this.storage, options.dial)
    this.#retention = options
    this.#shutdown = options.shutdown ?? {}
    this.#begins = { ...options, serves: servedBy(options) }
    this.#adminToken = options.adminToken ?? randomBytes(24).toString('base64url')
    this.#started = this.#clock.now()
    this.#metrics = serverMetrics(this.storage, () => this.#infos(), this.#clock)
    const logger = options.logger ?? silentLogger
    const accounts = new ServiceAccountTokens(
      { storage: this.storage, clock: this.#clock, labelSecret: labelIn(this.storage) },
      options.authentication?.serviceAccounts,
    )
    this.signToken = accounts.sign
    const { parts, replacing } = serverParts(options, {
      storage: this.storage,
      clock: this.#clock,
      random: this.#random,
      accounts,
      rbac: this.#rbac,
      registrations: this.#registrations,
      resolveService: this.#resolveService,
      tokens: new Map([...Object.entries(options.tokens ?? {}), [this.#adminToken, ADMINISTRATOR]]),
      listenerAuthorities: () => this.#clientAuthorities,
      makeNamespace: (name) => makeNamespace((it) => this.#answer(it), name, this.#closing.signal),
      observe: (event) => {
        this.#metrics.admission(event)
        options.observeAdmission?.(event)
      },
    })
    this.#replacing = replacing
    this.#infos = () => infosOf(parts.catalog)
    const publisher = new OpenApiPublisher(this.#openApi(parts.catalog))
    this.#definitions = new Definitions({
      storage: this.storage,
      catalog: parts.catalog,
      clock: this.#clock,
      logger,
      deleteInstance: (served, namespace, name) => deleteInstance(parts, served, namespace, name),
      postReview: conversionReviews(this.#resolveService),
      uuid: () => this.#random.uuid(),
      changed: () => publisher.update(this.#openApi(parts.catalog)),
    })
    this.#registering = {
      storage: this.storage,
      clock: this.#clock,
      random: this.#random,
      logger,
      definitions: DEFINITIONS,
      fields: () => parts.catalog.byStorageKey(API_SERVICES)?.fields,
    }
    this.#aggregator = new Aggregator({
      storage: this.storage,
      clock: this.#clock,
      logger,
      resolveService: this.#resolveService,
      fields: this.#registering.fields,
      ...(options.dial ? { dial: options.dial } : {}),
      ...(options.proxyClient ? { proxyClient: options.proxyClient } : {}),
      ...(options.findApi ? { findApi: options.findApi } : {}),
    })
    const heart = router(
      parts,
      elsewhere(this.#elsewhere(parts.catalog, publisher, accounts, options)),
    )
    const limits = limitsOf(options, this.storage, this.#clock, this.#metrics)
    this.#fairness = limits.fairness
    this.#audit = options.audit?.sink
    const written = auditOf(options, this.#clock)
    this.#handler = compose(
      [this.#draining.filter, ...filterChain(parts, logger, this.#metrics, limits, written)],
      this.#aggregator.around(heart),
    )
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
    const material = tls ?? (await makeTls(host, this.#clock.now(), [firstAddress(this.#begins)]))
    await this.ready
    this.#clientAuthorities = material.clientAuthority
      ? certificatesOf(material.clientAuthority)
      : []
    this.#listening = await listen({ host, port, tls: material }, (it) => this.#answer(it))
    // Not without a listener: the timers would keep a process alive that forgot to close the server.
    if (this.#clock === systemClock) this.#forgetInTime()
    this.#advertisedIp = advertisedAddress(host)
    const where = { ip: this.#advertisedIp, port: this.#listening.port }
    await advertise(this.storage, this.#clock, this.#random, where)
    await this.#announce(where, material.clientAuthority ?? '')
    const shown = host === '0.0.0.0' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
    const url = `https://${shown}:${this.#listening.port}`
    const kubeconfig = kubeconfigText(url, material.authority, this.#adminToken)
    return { url, port: this.#listening.port, kubeconfig, tls: material }
  }

  readonly reconfigure = async ({
    encryption,
    authentication,
    authorization,
    tls,
  }: Reconfiguration): Promise<void> => {
    // A server that began without encryption has nothing to read with what it wrote: it goes on without.
    if (encryption) this.#encryptionRules = encryptionRules(encryption)
    if (authentication) this.#replacing.authentication(authentication)
    if (authorization) this.#replacing.authorization(authorization)
    if (authentication) this.#frontProxy = authentication.frontProxy
    if (!tls) return
    const { clientAuthority } = tls
    this.#clientAuthorities = clientAuthority ? certificatesOf(clientAuthority) : []
    this.#listening?.replaceTls(tls)
    const frontProxy = this.#frontProxy
    const [storage, clock, random] = [this.storage, this.#clock, this.#random]
    await publishAuthorities(storage, clock, random, { clients: clientAuthority, frontProxy })
  }

  /** Tells who this server is and whom it believes, and keeps telling. */
  async #announce(where: Advertised, clients: string): Promise<void> {
    const identity = { host: hostName(), where }
    const [storage, clock, random] = [this.storage, this.#clock, this.#random]
    const frontProxy = this.#frontProxy
    await publishAuthorities(storage, clock, random, { clients, frontProxy })
    keepIdentityLease(storage, clock, random, identity, this.#closing.signal).catch(() => {})
  }

  readonly close = (): Promise<void> => (this.#closed ??= this.#stop())

  readonly [Symbol.asyncDispose] = (): Promise<void> => this.close()

  async #stop(): Promise<void> {
    this.#ending = true
    const { delay = 0, drain = 0, sendRetryAfter = false } = this.#shutdown
    if (delay > 0) await this.#clock.sleep(delay)
    if (sendRetryAfter) this.#draining.refuse()
    if (drain > 0) await this.#drained(drain)
    this.#closing.abort()
    await this.#listening?.close()
    await this.ready.catch(() => {})
    await this.#audit?.close()
    await this.storage.close()
  }

  /** Waits for what is under way, but not longer than it may take. */
  async #drained(longest: number): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = this.#clock.after(longest, resolve)
    await Promise.race([this.#draining.idle(), late])
    timer.cancel()
  }

  async #start(): Promise<void> {
    await bootstrap(this.storage, this.#clock, this.#random, this.#begins)
    const { signal } = this.#closing
    keepIpAddresses(this.storage, this.#clock, this.#random, signal).catch(() => {})
    await this.#definitions.start(this.#closing.signal)
    await keepCustomApiServices(this.#registering, this.#closing.signal)
    await this.#aggregator.start(this.#closing.signal)
    this.#registrations.follow(this.#closing.signal)
    this.#fairness?.follow(this.#closing.signal)
    this.#rbac.follow(this.#closing.signal)
    if (this.#clock !== systemClock) this.#forgetInTime()
    this.#isReady = true
  }

  /** Compacts the past and lets Events go, until the server closes. */
  #forgetInTime(): void {
    const { compactionInterval = COMPACTION_INTERVAL, eventTtl = EVENT_TTL } = this.#retention
    const { signal } = this.#closing
    if (compactionInterval > 0)
      void keepCompacting(this.storage, this.#clock, signal, compactionInterval)
    const events = { prefix: '/events/', ttl: eventTtl }
    keepExpiring(this.storage, this.#clock, events, signal).catch(() => {})
  }

  #answer(request: ApiRequest): Promise<Answer> {
    return this.#handler({
      request,
      info: requestInfo(request.method, request.path, request.query),
      auditId: auditIdOf(request) ?? this.#random.uuid(),
      user: ANONYMOUS,
      warnings: [],
      marks: {},
    })
  }

  #openApi(catalog: Catalog): ConstructorParameters<typeof OpenApiPublisher>[0] {
    return {
      infos: infosOf(catalog),
      customKind: (info) => this.#definitions.customKind(info),
      descriptions: this.#descriptions,
      version: `${KUBERNETES.major}.${KUBERNETES.minor}`,
    }
  }

  /** Under which address and port others know the server. */
  get #advertised(): string {
    return `${this.#advertisedIp}:${this.#listening?.port ?? 443}`
  }

  #elsewhere(
    catalog: Catalog,
    publisher: OpenApiPublisher,
    accounts: ServiceAccountTokens,
    options: ApiServerOptions,
  ): Parameters<typeof elsewhere>[0] {
    return {
      discovery: () => ({
        infos: [...infosOf(catalog), ...this.#aggregator.infos],
        registered: this.#aggregator.registered,
        isBuiltinGroup: (group) => catalog.isBuiltinGroup(group),
        serverAddress: `127.0.0.1:${this.#listening?.port ?? 0}`,
      }),
      openApi: publisher,
      now: () => this.#clock.now(),
      health: this.#healthRecord.recorded(this.#health()),
      healthRecord: this.#healthRecord,
      profiling: options.profiling ?? true,
      metrics: () => this.#metrics.registry.text(),
      fairness: () => this.#fairness,
      zpages: {
        started: this.#started,
        now: () => this.#clock.now(),
        flags: options.flags ?? new Map(),
      },
      publicKeys: () => accounts.publicKeys(),
      issuer: accounts.issuer,
      snapshot: options.serveSnapshot ? () => encodeSnapshot(this.storage.snapshot()) : undefined,
      jwksUri: () =>
        options.authentication?.serviceAccounts?.jwksUri ??
        `https://${this.#advertised}/openid/v1/jwks`,
    }
  }

  #health(): Health {
    return healthChecks({
      started: () => (this.#isReady ? undefined : 'not finished'),
      storage: () => undefined,
      shutdown: () => (this.#ending ? 'process is shutting down' : undefined),
    })
  }
}

/** The id that a client gave its request, where it is not too long (apiserver/pkg/endpoints/filters/audit_init.go). */
function auditIdOf(request: ApiRequest): string | undefined {
  const given = request.header('audit-id')
  return given && given.length <= 64 ? given : undefined
}

/** Writes a label on a secret, again where somebody else was faster. */
const labelIn =
  (storage: Storage): LabelSecret =>
  async (namespace, name, label, value) => {
    for (;;) {
      const stored = await storage.get(`/secrets/${namespace}/${name}`)
      if (!stored) return
      const { metadata } = stored.object
      const labels = { ...metadata.labels, [label]: value }
      const next = { ...stored.object, metadata: { ...metadata, labels } }
      const { ok } = await storage.compareAndSwap(stored.key, stored.revision, next)
      if (ok) return
    }
  }

const infosOf = (catalog: Catalog): readonly ResourceInfo[] =>
  [...catalog.all()].map((it) => it.info)
