import { systemClock, type Clock } from '../base/clock.ts'
import { silentLogger, type Logger } from '../base/logger.ts'
import type { Metrics } from '../base/metrics.ts'
import { systemRandom, type Random } from '../base/random.ts'
import type { Transport } from '../base/transport.ts'
import type {
  Draft,
  ListOptions,
  Patch,
  Reader,
  ReadOptions,
  WatchOptions,
  WriteOptions,
  Writer,
} from '../machinery/contracts.ts'
import type { Kind } from '../machinery/kind.ts'
import type { KubeObject } from '../machinery/object.ts'
import type { ObjectKey } from '../machinery/object-key.ts'
import type { WatchEvent } from '../machinery/watch-event.ts'
import { ApiClient } from './api-client.ts'
import { connectionOver, type Connection } from './connection.ts'
import { createExchange, type Call } from './exchange.ts'
import type { CallTimeout } from './deadline.ts'
import { measured } from './measured.ts'
import { rateLimited, type RateLimit } from './rate-limit.ts'
import { userAgentOf } from './user-agent.ts'
import type { ExecOptions, Session } from './streams/exec.ts'
import type { Tunnel } from './streams/port-forward.ts'
import type { WebSocketConnection } from './streams/websocket.ts'
import { connect } from './kubeconfig/connect.ts'
import type { KubeConfig } from './kubeconfig/kubeconfig.ts'
import { loadKubeConfig } from './kubeconfig/load.ts'
import type { KindDirectory } from './discovery.ts'
import type { LogOptions } from './logs.ts'
import type { WriteObserver } from './write.ts'
import { logWarnings, type WarningHandler } from './warnings.ts'

/**
 * Speaks to one API server. Reads come from the server (a cache answers the same questions from memory); each write is one
 * request. Objects are plain JSON and readonly: to change one, write a new one.
 *
 * Failures: an answer of 400 and above is an ApiError with its Status; no answer is an UnreachableError; an aborted signal is its
 * reason. 429 and 5xx with Retry-After are waited for, up to ten times. Integers that a number
 * cannot hold (beyond 2^53) are read as bigints and written as they are.
 */
export interface Client extends Reader, Writer {
  readonly server: string
  /** The namespace of namespaced keys and drafts that name none. */
  readonly namespace: string
  readonly fieldOwner: string
  /** Discovery: the kinds that this server serves, those of new CRDs included. */
  readonly kinds: KindDirectory
  /** Every object, page by page (500 a page unless `limit` says otherwise). */
  listAll<T extends KubeObject>(kind: Kind<T>, options?: ListOptions): AsyncIterable<T>
  /** One watch: it ends when the server ends it, and throws when the connection breaks. A cache's reflector keeps watching. */
  watch<T extends KubeObject>(kind: Kind<T>, options?: WatchOptions): AsyncIterable<WatchEvent<T>>
  /**
   * A part of an object with a path of its own: `status`, `scale`, `eviction`, `binding`, `token`, `approval`, `resize`, `finalize` …
   * S is what the part looks like; with its token `as` (`Scale` of autoscaling/v1), what is sent says so.
   */
  subresource<S extends KubeObject>(
    kind: Kind,
    key: ObjectKey | string,
    name: string,
    as?: Kind<S>,
  ): Subresource<S>
  /** A container's log as text, in chunks as they come; `follow` keeps it open. */
  logs(pod: ObjectKey | string, options?: LogOptions): AsyncIterable<string>
  /** Runs a command in a container. Resolves once the server has started it; rejects with an ApiError when it may not be. */
  exec(pod: ObjectKey | string, command: readonly string[], options?: ExecOptions): Promise<Session>
  /** Joins the main process of a container. */
  attach(pod: ObjectKey | string, options?: ExecOptions): Promise<Session>
  /** A connection to a port of a pod; `forwardPort` makes a local port of it. */
  portForward(pod: ObjectKey | string, port: number, options?: ReadOptions): Promise<Tunnel>
  /** Any call that becomes a WebSocket, by the first of `protocols` that the server speaks; needs sockets. */
  webSocket(call: Call, protocols: readonly string[]): Promise<WebSocketConnection>
  /** Any other call; answers with the response of a call that went well. */
  raw(call: Call): Promise<Response>
  /** The same client with other defaults. */
  with(defaults: ClientDefaults): Client
  /** Closes idle connections. */
  close(): Promise<void>
}

/** What a client fills in where a call does not say. */
export interface ClientDefaults {
  readonly namespace?: string
  readonly fieldOwner?: string
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore'
  readonly dryRun?: boolean
  /** How long calls may take, ms; a call that takes longer rejects with an UnreachableError. Default: as long as the server takes. */
  readonly timeout?: CallTimeout
  /** Ends every call of the client, those with a signal of their own too. */
  readonly signal?: AbortSignal
  /** Is told of every accepted write before the writer's promise resolves. `with` adds one to those there are. */
  readonly onWrite?: WriteObserver
  /** Called before every call that is no read; what it throws is thrown instead of calling. `with` adds one to those there are. */
  readonly beforeWrite?: () => void
}

/** Reads and writes one subresource of one object. */
export interface Subresource<S extends KubeObject> {
  get(options?: ReadOptions): Promise<S>
  create(body: Draft<S>, options?: WriteOptions): Promise<S>
  update(body: S, options?: WriteOptions): Promise<S>
  patch(patch: Patch, options?: WriteOptions): Promise<S>
  apply(body: Draft<S>, options?: WriteOptions): Promise<S>
}

/** Which server, and as whom. */
export interface ClientOptions extends ClientDefaults {
  /** A way to a server that is already there: `createClient({ transport: server.fetch })`. Comes before `kubeconfig`. */
  readonly transport?: Transport
  /** A kubeconfig, or the path of its file. Default: KUBECONFIG, then in-cluster, then ~/.kube/config. */
  readonly kubeconfig?: KubeConfig | string
  /** A context of the kubeconfig other than its current one. */
  readonly context?: string
  readonly logger?: Logger
  readonly metrics?: Metrics
  readonly clock?: Clock
  readonly random?: Random
  /** Default `kubewright (OS/ARCH) node/VERSION`. */
  readonly userAgent?: string
  /** Default none: the server's priority and fairness holds back who asks too much. */
  readonly rateLimit?: RateLimit
  /** Stands between the client and its transport: sees every request and may change it, for tracing or for faults in a test. */
  readonly through?: (transport: Transport) => Transport
  /** Takes the server's warnings. Default: each distinct one is logged once. */
  readonly onWarning?: WarningHandler
}

/**
 * Makes a {@link Client}. Nothing is sent yet: a server that cannot be reached shows at the first call. Throws a
 * ConfigurationError when there is no usable kubeconfig.
 */
export function createClient(options: ClientOptions = {}): Client {
  const clock = options.clock ?? systemClock
  const random = options.random ?? systemRandom
  const direct = connectionFor(options, clock)
  const connection = options.through
    ? { ...direct, transport: options.through(direct.transport) }
    : direct
  const { metrics, rateLimit } = options
  const host = new URL(connection.server).host
  const seen = metrics ? measured(connection.transport, metrics, host) : connection.transport
  const exchange = createExchange({
    connection: {
      ...connection,
      transport: rateLimit ? rateLimited(seen, rateLimit, clock) : seen,
    },
    clock,
    random,
    userAgent: options.userAgent ?? userAgentOf(),
    onWarning: options.onWarning ?? logWarnings(options.logger ?? silentLogger),
  })
  const parts = { exchange, connection, clock }
  return new ApiClient(parts, {
    namespace: options.namespace ?? connection.namespace,
    fieldOwner: options.fieldOwner ?? 'kubewright',
    ...(options.fieldValidation ? { fieldValidation: options.fieldValidation } : {}),
    ...(options.dryRun ? { dryRun: true } : {}),
    ...(options.timeout === undefined ? {} : { timeout: options.timeout }),
    ...(options.signal ? { signal: options.signal } : {}),
    ...(options.onWrite ? { onWrite: options.onWrite } : {}),
    ...(options.beforeWrite ? { beforeWrite: options.beforeWrite } : {}),
  })
}

function connectionFor(options: ClientOptions, clock: Clock): Connection {
  if (options.transport) return connectionOver(options.transport)
  const { kubeconfig, context } = options
  const config = typeof kubeconfig === 'object' ? kubeconfig : loadKubeConfig({ path: kubeconfig })
  return connect(config, { clock, ...(context ? { context } : {}) })
}
