import type { Clock, Logger, Random } from 'kubewright/base'
import type { FindApi } from './aggregation/in-process.ts'
import type { AdmissionPlugin } from './admission/admission.ts'
import type { AdmissionObserver } from './admission/observer.ts'
import type { AdmissionSelection } from './admission/plugins.ts'
import type { AuditPolicy } from './audit/policy.ts'
import type { AuditSink } from './audit/sink.ts'
import type { AuthenticationOptions } from './authentication/make-authentication.ts'
import type { AuthorizationMode } from './authorization/stock.ts'
import type { ServableResource } from './configuration/runtime-config.ts'
import type { EncryptionConfiguration } from './encryption/configuration.ts'
import type { Dial } from './http/dial.ts'
import type { TlsMaterial } from './http/listener.ts'
import type { User } from './http/message.ts'
import type { ResolveService } from './http/webhook-call.ts'
import type { FindKubelet, KubeletTls } from './proxy/connecting.ts'
import type { Storage } from './storage/storage.ts'

/** How a server ends (`--shutdown-*`). Times in milliseconds. */
export interface ShutdownOptions {
  /** How long it serves on while it says that it is not ready. Default 0. */
  readonly delay?: number
  /** How long what is under way may take then; watches end at once. Default 0: `close` ends it. */
  readonly drain?: number
  /** Whether others are told meanwhile to come again. Default false. */
  readonly sendRetryAfter?: boolean
}

/** How much a server does at once (`--max-requests-inflight` …). */
export interface RequestLimits {
  /** Whether FlowSchemas divide the two together among who asks; else they are limits of their own. Default true. */
  readonly fairness?: boolean
  /** Default 400. */
  readonly maxRequests?: number
  /** Default 200. */
  readonly maxMutatingRequests?: number
  /** How long an answer may take that is no stream, in milliseconds. Default a minute. */
  readonly requestTimeout?: number
}

/** What a server may be told; everything has a default. */
export interface ApiServerOptions {
  /** Where objects lie. Default: in memory. The server closes it. */
  readonly storage?: Storage
  readonly clock?: Clock
  readonly random?: Random
  readonly logger?: Logger
  /**
   * Who may what: the modes that are asked, one after the other; `rbac`, the default, is Node and RBAC; `authenticated` lets everybody
   * do everything who has said who he is.
   */
  readonly authorization?: 'rbac' | 'authenticated' | readonly AuthorizationMode[]
  /** Which resources lie encrypted in the store. Default: none. */
  readonly encryption?: EncryptionConfiguration
  /** How much may be asked at once. Default: by priority and fairness, 600 seats. */
  readonly limits?: RequestLimits
  /** How it ends. Default: at once. */
  readonly shutdown?: ShutdownOptions
  /** What `/flagz` tells. Default: nothing. */
  readonly flags?: ReadonlyMap<string, string>
  /** Who is believed beside the bearers of `tokens`. */
  readonly authentication?: AuthenticationOptions
  /** What is written down of requests, and where it goes; the server closes it. Default: nothing. */
  readonly audit?: { readonly policy: AuditPolicy; readonly sink: AuditSink }
  /** Bearer tokens that are good for ever, and whose they are. */
  readonly tokens?: Readonly<Record<string, User>>
  /** The token of the administrator's kubeconfig. Default: a new one at every start. */
  readonly adminToken?: string
  /** As whom `fetch` asks that carries no token. Default: an administrator. */
  readonly user?: User
  /** The kubelets of nodes that are in this process, by the node's name. Default: all nodes are reached over the network. */
  readonly findKubelet?: FindKubelet
  /** API servers in this process, by the service that APIServices name. Default: all are reached over the network. */
  readonly findApi?: FindApi
  /** How the server proves itself to kubelets on the network. Default: not at all, and it believes any kubelet. */
  readonly kubeletTls?: KubeletTls
  /** How the server proves to other API servers that it speaks for its clients, PEM. Default: not at all. */
  readonly proxyClient?: { readonly cert: string; readonly key: string }
  /** Finds what is behind the services that webhooks name. Default: their EndpointSlices tell. */
  readonly resolveService?: ResolveService
  /** Connects to pods and services that are not of the machine's network. Default: all are. */
  readonly dial?: Dial
  /**
   * Which admission plugins run: by name, beside those that v1.36 has on by default, or without some of them; or a list of plugins in
   * their place, with policies and webhooks. Default: those that v1.36 has on by default.
   */
  readonly admission?: AdmissionSelection | readonly AdmissionPlugin[]
  /** Is told what admission does, for metrics. Default: nobody is. */
  readonly observeAdmission?: AdmissionObserver
  /**
   * Feature gates that are not as v1.36 has them by default. `ShardedListAndWatch` (alpha, default false) makes a difference here, and
   * those that optional resources need (`ClusterTrustBundle`, `PodCertificateRequest`, `GenericWorkload`, `StorageVersionMigrator`);
   * others are taken, and change nothing.
   */
  readonly featureGates?: Readonly<Record<string, boolean>>
  /** How long a watch lasts at least that names no time, and up to twice that, in milliseconds. Default 30 minutes. */
  readonly minRequestTimeout?: number
  /** How long the past is kept at least for lists and watches, in milliseconds. Default 5 minutes; 0 keeps what the store keeps. */
  readonly compactionInterval?: number
  /** How long an Event is kept after its last write, in milliseconds. Default 1 hour. */
  readonly eventTtl?: number
  /** Which built-in resources are served. Default: those whose version kube-apiserver v1.36 serves by default. */
  readonly serves?: (it: ServableResource) => boolean
  /** The range that addresses of services are taken from, of either family. Default `10.0.0.0/16`. */
  readonly serviceRange?: string
  /**
   * Whether Endpoints and EndpointSlices may name loopback addresses, and pods and services be proxied there: kube-apiserver refuses both. For
   * clusters whose pods are processes of the machine itself. Default false.
   */
  readonly allowLoopbackEndpoints?: boolean
  /** A range of the other family, for services with two addresses. Default: there is none. */
  readonly secondServiceRange?: string
  /** Which ports of nodes are given to services, inclusive. Default 30000 to 32767. */
  readonly nodePorts?: { readonly first: number; readonly last: number }
  /** Whether who may reach `/debug/pprof` may take profiles of this process. Default true, as kube-apiserver's `--profiling`. */
  readonly profiling?: boolean
  /** Whether an administrator may GET everything that is stored from /kubewright/snapshot. Default false. */
  readonly serveSnapshot?: boolean
}

/** Where to listen. Default: 127.0.0.1, a free port, a certificate of its own authority. */
export interface ServeOptions {
  readonly host?: string
  readonly port?: number
  readonly tls?: TlsMaterial
}

/** What a server that runs can be told anew; whatever is absent stays. */
export interface Reconfiguration extends Pick<
  ApiServerOptions,
  'encryption' | 'authentication' | 'authorization'
> {
  readonly tls?: TlsMaterial
}
