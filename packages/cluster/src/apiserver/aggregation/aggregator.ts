import type { Clock, Logger } from 'kubewright/base'
import { timeText } from 'kubewright/machinery'
import { textAnswer } from '../endpoints/answers.ts'
import type { Exchange, Handler } from '../endpoints/exchange.ts'
import type { FieldTracker } from '../endpoints/served.ts'
import type { Answer } from '../http/message.ts'
import type { Dial } from '../http/dial.ts'
import { askUpstream, type UpstreamTls } from '../http/upstream.ts'
import type { ResolveService } from '../http/webhook-call.ts'
import { forward } from '../proxy/forward.ts'
import type { Draft } from '../registry/strategy.ts'
import type { ResourceInfo } from '../resources/resource.ts'
import { follow } from '../storage/follow.ts'
import type { Storage, Stored } from '../storage/storage.ts'
import {
  API_SERVICES,
  byVersionPriority,
  type Condition,
  MANAGER,
  registeredVersion,
  remoteApi,
  type RemoteApi,
  withCondition,
} from './api-service.ts'
import { authProxyHeaders } from './auth-proxy-headers.ts'
import { LOCAL, PASSED, serviceProblem, unavailable } from './check-service.ts'
import type { RegisteredVersion } from '../discovery/registered.ts'
import { askInProcess, type FindApi, type InProcessApi } from './in-process.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { remoteResources } from './remote-resources.ts'

/** What the aggregator works with. */
export interface AggregatorOptions {
  readonly storage: Storage
  readonly clock: Clock
  readonly logger: Logger
  readonly resolveService: ResolveService
  /** Those other servers that are in this process. */
  readonly findApi?: FindApi
  readonly dial?: Dial
  /** Who keeps the owners of an APIService's fields. */
  readonly fields: () => FieldTracker | undefined
  /** How this server proves that it speaks for others, PEM (kube-apiserver's --proxy-client-cert-file). */
  readonly proxyClient?: Pick<UpstreamTls, 'cert' | 'key'>
}

/** How often what cannot be watched is looked at again, in milliseconds. */
const RECHECK = 30_000
/** How long another server may take to say what it serves, in milliseconds. */
const PATIENCE = 5000

/**
 * Serves the groups that APIServices say another server answers for: requests go there, in the name of who asked, and what it serves is
 * told in discovery. Keeps the condition Available of those APIServices (kube-aggregator).
 */
export class Aggregator {
  readonly #options: AggregatorOptions
  #apis: ReadonlyMap<string, RemoteApi> = new Map()
  readonly #resources = new Map<string, readonly ResourceInfo[]>()
  /** Where other servers describe their versions, by the path in the index of OpenAPI v3. */
  readonly #documents = new Map<string, unknown>()
  /** What every APIService says of its version, whoever serves it. */
  #registered: readonly RegisteredVersion[] = []
  #supporting = false
  readonly #lookSoon: (signal: AbortSignal) => void

  constructor(options: AggregatorOptions) {
    this.#options = options
    let last: AbortSignal | undefined
    const look = oneAtATime(
      async () => {
        if (last && !last.aborted) await this.#lookNow(last)
      },
      (error) => {
        const { message } = error as Error
        options.logger.error('APIServices cannot be looked at', { error: message })
      },
    )
    this.#lookSoon = (signal) => {
      last = signal
      void look()
    }
  }

  /** What APIServices say of the versions that are served, here and elsewhere. */
  get registered(): readonly RegisteredVersion[] {
    return this.#registered
  }

  /** What other servers serve, groups of high priority first. */
  get infos(): readonly ResourceInfo[] {
    const apis = [...this.#apis.values()].toSorted(
      (a, b) => b.groupPriority - a.groupPriority || byVersionPriority(a, b),
    )
    return apis.flatMap((it) => this.#resources.get(it.name) ?? [])
  }

  /** Answers what belongs to another server; everything else is `next`'s. */
  readonly around =
    (next: Handler): Handler =>
    (exchange) => {
      if (this.#apis.size === 0) return next(exchange)
      const api = this.#apiOf(exchange)
      if (api) return this.#forward(exchange, api)
      const isIndex = /^\/openapi\/v3\/?$/.test(exchange.info.path)
      return isIndex ? this.#withDocuments(next(exchange)) : next(exchange)
    }

  /** Follows APIServices until the signal aborts. Resolves when those that are there are known. */
  async start(signal: AbortSignal): Promise<void> {
    const { revision } = this.#options.storage
    await this.#read()
    if (this.#apis.size > 0) this.#lookSoon(signal)
    void this.#follow(`${API_SERVICES}/`, revision, signal)
  }

  /** The index of OpenAPI v3 with the documents of other servers. */
  async #withDocuments(own: Promise<Answer>): Promise<Answer> {
    const answer = await own
    if (answer.status !== 200 || typeof answer.body !== 'string') return answer
    const { paths } = JSON.parse(answer.body) as { readonly paths: object }
    const all = { ...paths, ...Object.fromEntries(this.#documents) }
    const sorted = Object.entries(all).toSorted(([a], [b]) => (a < b ? -1 : 1))
    return { ...answer, body: JSON.stringify({ paths: Object.fromEntries(sorted) }) }
  }

  #apiOf({ info }: Exchange): RemoteApi | undefined {
    const [root, group = '', version = ''] = info.path.split('/').slice(1)
    if (root === 'apis') return this.#apis.get(`${group}/${version}`)
    const spec = /^\/openapi\/v3\/apis\/([^/]+)\/([^/]+)$/.exec(info.path)
    return spec ? this.#apis.get(`${spec[1]}/${spec[2]}`) : undefined
  }

  async #forward(exchange: Exchange, api: RemoteApi): Promise<Answer> {
    if (!api.isAvailable) return textAnswer(503, 'service unavailable\n')
    const { request, user } = exchange
    const own = this.#inProcess(api)
    if (own) return own(request)
    try {
      const url = await this.#urlOf(api)
      url.pathname = request.path
      url.search = request.query.toString()
      const answer = await forward(request, {
        url,
        tls: this.#tlsOf(api),
        headers: authProxyHeaders(user),
        ...this.#dialling,
      })
      return isRedirect(answer) ? REDIRECTED : answer
    } catch (error) {
      return textAnswer(503, `${(error as Error).message}\n`)
    }
  }

  get #dialling(): Pick<AggregatorOptions, 'dial'> {
    const { dial } = this.#options
    return dial ? { dial } : {}
  }

  #inProcess({ service }: RemoteApi): InProcessApi | undefined {
    return this.#options.findApi?.(service)
  }

  async #urlOf(api: RemoteApi): Promise<URL> {
    const { namespace, name, port } = api.service
    // Nobody dials what is here.
    if (this.#inProcess(api)) return new URL(`https://${name}.${namespace}.svc`)
    const place = await this.#options.resolveService(namespace, name, port)
    const host = place?.host ?? `${name}.${namespace}.svc`
    return new URL(`https://${host.includes(':') ? `[${host}]` : host}:${place?.port ?? port}`)
  }

  #tlsOf({ service, authority, insecure }: RemoteApi): UpstreamTls {
    return {
      servername: `${service.name}.${service.namespace}.svc`,
      insecure,
      ...(authority === undefined ? {} : { ca: authority }),
      ...this.#options.proxyClient,
    }
  }

  async #follow(prefix: string, since: number, signal: AbortSignal): Promise<void> {
    await follow(this.#options.storage, prefix, () => this.#lookSoon(signal), signal, since)
  }

  /** Services, their endpoints and the time count only once somebody asks for one: a timer keeps a process alive. */
  #followServices(signal: AbortSignal): void {
    if (this.#supporting) return
    this.#supporting = true
    const { revision } = this.#options.storage
    void this.#follow('/services/', revision, signal)
    void this.#follow('discovery.k8s.io/endpointslices/', revision, signal)
    void this.#recheck(signal)
  }

  async #recheck(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    for (;;) {
      try {
        await clock.sleep(RECHECK, signal)
      } catch {
        return
      }
      if (this.#apis.size > 0) this.#lookSoon(signal)
    }
  }

  async #lookNow(signal: AbortSignal): Promise<void> {
    const items = await this.#read()
    if (this.#apis.size > 0) this.#followServices(signal)
    await Promise.all(items.map((it) => this.#check(it, signal)))
    await this.#read()
  }

  /** Learns which APIServices there are; answers with all of them. */
  async #read(): Promise<readonly Stored[]> {
    const { items } = await this.#options.storage.list({ prefix: `${API_SERVICES}/` })
    this.#registered = items.map(({ object }) => registeredVersion(object))
    const remote = items.filter(({ object }) => remoteApi(object))
    const apis = remote.map(({ object }) => remoteApi(object)!)
    this.#apis = new Map(apis.map((it) => [`${it.group}/${it.version}`, it]))
    for (const name of this.#resources.keys()) {
      if (!apis.some((it) => it.name === name)) this.#resources.delete(name)
    }
    for (const path of this.#documents.keys()) {
      if (!this.#apis.has(path.slice('apis/'.length))) this.#documents.delete(path)
    }
    return items
  }

  async #check(stored: Stored, signal: AbortSignal): Promise<void> {
    const api = remoteApi(stored.object)
    const { storage, clock, fields } = this.#options
    const condition =
      api === undefined
        ? LOCAL
        : ((await this.#problem(api)) ?? (await this.#discover(api, signal)))
    const { metadata, ...object } = stored.object
    const conditions = withCondition(stored.object, condition, timeText(clock.now()))
    const status = { ...(object['status'] as object | undefined), conditions }
    if (JSON.stringify(status) === JSON.stringify(object['status'])) return
    const next = { ...object, metadata: { ...metadata }, status }
    fields()?.update(stored.object, next as unknown as Draft, MANAGER, 'status')
    // Another write that came first brings us back.
    await storage.compareAndSwap(stored.key, stored.revision, next)
  }

  /** What keeps an API from being asked; nothing where it is here. */
  async #problem(api: RemoteApi): Promise<Condition | undefined> {
    return this.#inProcess(api) ? undefined : serviceProblem(this.#options.storage, api)
  }

  async #discover(api: RemoteApi, signal: AbortSignal): Promise<Condition> {
    try {
      const url = await this.#urlOf(api)
      url.pathname =
        api.name === 'v1.' ? `/api/${api.version}` : `/apis/${api.group}/${api.version}`
      try {
        const found = remoteResources(await this.#fetch(api, url, signal), api)
        this.#resources.set(api.name, found)
        await this.#describe(api, signal)
      } catch (error) {
        throw new Error(
          `failing or missing response from ${url.href}: ${(error as Error).message}`,
          { cause: error },
        )
      }
      return PASSED
    } catch (error) {
      return unavailable('FailedDiscoveryCheck', (error as Error).message)
    }
  }

  /** Not every server describes what it serves: then there is nothing to tell. */
  async #describe(api: RemoteApi, signal: AbortSignal): Promise<void> {
    const url = await this.#urlOf(api)
    url.pathname = '/openapi/v3'
    const path = `apis/${api.group}/${api.version}`
    const index = await this.#fetch(api, url, signal).catch(() => undefined)
    const entry = (index as { readonly paths?: Readonly<Record<string, unknown>> } | undefined)
      ?.paths?.[path]
    if (entry === undefined) this.#documents.delete(path)
    else this.#documents.set(path, entry)
  }

  async #fetch(api: RemoteApi, url: URL, signal: AbortSignal): Promise<unknown> {
    const own = this.#inProcess(api)
    if (own) return askInProcess(own, url.pathname, signal)
    const { status, body } = await askUpstream({
      url,
      method: 'GET',
      headers: [['host', url.host], ['accept', 'application/json'], ...authProxyHeaders(SELF)],
      tls: this.#tlsOf(api),
      ...this.#dialling,
      signal,
      timeout: PATIENCE,
    })
    const chunks: Uint8Array[] = []
    for await (const chunk of body) chunks.push(chunk)
    if (status < 200 || status >= 300) throw new Error(`bad status from ${url.href}: ${status}`)
    return JSON.parse(Buffer.concat(chunks).toString()) as unknown
  }
}

/** As whom the aggregator itself asks. */
const SELF = Object.freeze({ name: 'system:kube-aggregator', groups: ['system:masters'] })

const isRedirect = ({ status, headers }: Answer): boolean =>
  status >= 300 && status <= 399 && headers['location'] !== undefined

/** Nobody behind this server may send its clients elsewhere. */
const REDIRECTED: Answer = {
  status: 502,
  headers: {},
  body: 'the backend attempted to redirect this request, which is not permitted',
}
