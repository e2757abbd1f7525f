import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import type { Transport } from '../base/transport.ts'
import type { CachedKind } from '../cache/cache.ts'
import type { KubeConfig } from '../client/kubeconfig/kubeconfig.ts'
import type { RuntimeObserver } from '../controller/observer.ts'
import type { Tracing } from '../controller/tracing.ts'
import type { ShardOptions } from '../shard/run-shards.ts'
import type { NamespaceSelector } from '../cache/selection.ts'
import type { CertificateFiles } from '../webhook/certificate-files.ts'
import type { Running } from './running.ts'
import type { IssuedCertificateOptions } from '../webhook/issued-certificate.ts'
import type { LeaderElectionOptions } from './leader-election.ts'

/** How a manager runs. What `start` and `run` are given comes before what `manager` was given. */
export interface ManagerOptions {
  /** The operator's name: its user agent, and the name of its lease. Default `kubewright`. */
  readonly name?: string
  /** A way to a server that is already there; comes before `kubeconfig`. */
  readonly transport?: Transport
  /** A kubeconfig or the path of its file. Default: KUBECONFIG, then in-cluster, then ~/.kube/config. */
  readonly kubeconfig?: KubeConfig | string
  readonly context?: string
  /** Limits caches of namespaced kinds; to the namespaces that carry labels now, with a selector. Default: all namespaces. */
  readonly namespace?: string | readonly string[] | NamespaceSelector
  /** Only one process at a time runs the controllers; `true` is a lease named as the operator. Default: off. */
  readonly leaderElection?: LeaderElectionOptions | boolean
  /**
   * Replicas share the work of the controllers instead of choosing a leader: each object is one replica's. `true` names the Leases after
   * the operator and divides by the objects' uids. Default: off.
   */
  readonly shards?: ShardOptions | boolean
  /** Where to listen; 0 takes any free port, false listens not at all. Default: nowhere for `start`; 8081, 8443, 9443 for `run`. */
  readonly ports?: ManagerPorts
  readonly metrics?: MetricsOptions
  /**
   * The certificate that webhooks are served with: where it lies, or for which Service it is issued, shared among replicas, told to the
   * API server and renewed by this operator itself.
   */
  readonly webhook?: { readonly certificate?: CertificateFiles | IssuedCertificateOptions }
  readonly cache?: ManagerCacheOptions
  /** How long runs under way may take when the manager stops, ms. Default 30,000. */
  readonly shutdownTimeout?: number
  /** Default: none for `start`, text on standard error for `run`. */
  readonly logger?: Logger
  readonly clock?: Clock
  readonly random?: Random
  /**
   * Whether controllers whose kinds are missing, or may not be listed, wait for that to change while the rest works. Default: true for
   * `run`; false for `start`, which then fails.
   */
  readonly waitForKinds?: boolean
  /** Whether to ask, after the start, if the server allows what the controllers need, and to say what is missing. Default: true for `run`. */
  readonly checkAccess?: boolean
  /** Where traces go: `openTelemetry(api)`, or `true` to find `@opentelemetry/api` by itself. Default: nowhere. */
  readonly tracing?: Tracing | boolean
  /** Keeps the last runs of each controller, and serves them with their causes at /debug beside the metrics. Default: true for `run`. */
  readonly debug?: boolean
  /** Is given the manager as soon as it works: how who calls `run` gets hold of it. */
  readonly onStarted?: (running: Running) => void
  /** Is told of everything that happens, as it happens. */
  readonly observer?: RuntimeObserver
  /** Aborting it stops the manager, as `stop` does. */
  readonly signal?: AbortSignal
  /** Which process this is, in Events and as a candidate. Default: the host's name. */
  readonly instance?: string
}

/** Ports by what is served there. */
export interface ManagerPorts {
  readonly health?: number | false
  readonly metrics?: number | false
  readonly webhook?: number | false
  /** For sources that take requests over plain HTTP. Default: nowhere. */
  readonly inbound?: number | false
}

/** How metrics are served. */
export interface MetricsOptions {
  /** HTTPS with a certificate of the process's own making. Default true. */
  readonly secure?: boolean
  /** Lets in only who may `get` the path by TokenReview and SubjectAccessReview. Default: as `secure`. */
  readonly authorize?: boolean
}

/** What the manager's cache mirrors and how. */
export interface ManagerCacheOptions {
  /** Limits or transforms single kinds; see cacheOnly. */
  readonly kinds?: readonly CachedKind[]
  /** Freezes cached objects, so that changing one throws. Default false. */
  readonly freeze?: boolean
  /** How long the first lists of a controller's kinds may take before the start fails, ms. Default 120,000. */
  readonly syncTimeout?: number
}
