import { aggregate, FlagError } from './flag-error.ts'
import { type Flags, type FlagValues, flagValues } from './flag-values.ts'
import { flagProblems, gateProblem, rangeProblem } from './validate-flags.ts'

/** Where a server listens, and with what; paths are of PEM files. */
export interface ServingConfiguration {
  readonly bindAddress: string
  readonly port: number
  readonly advertiseAddress?: string
  readonly externalHostname?: string
  readonly certificateFile?: string
  readonly keyFile?: string
  /** Where a certificate is kept that is made for want of one. */
  readonly certificateFolder: string
}

/** Who is believed. */
export interface AuthenticationFlags {
  readonly anonymous: boolean
  /** Whether the flag itself was given. */
  readonly anonymousGiven: boolean
  readonly clientCaFile?: string
  readonly tokenFile?: string
  readonly bootstrapTokens: boolean
  readonly apiAudiences: readonly string[]
  /** A file of an AuthenticationConfiguration. */
  readonly configFile?: string
  readonly oidc?: OidcFlags
  readonly requestHeader?: RequestHeaderFlags
  readonly webhook?: WebhookFlags & { readonly cacheMilliseconds: number }
  readonly serviceAccounts: ServiceAccountFlags
}

/** `--oidc-*`. */
export interface OidcFlags {
  readonly issuerUrl: string
  readonly clientId: string
  readonly caFile?: string
  readonly usernameClaim: string
  readonly usernamePrefix?: string
  readonly groupsClaim?: string
  readonly groupsPrefix?: string
  readonly signingAlgorithms: readonly string[]
  readonly requiredClaims: ReadonlyMap<string, string>
}

/** `--requestheader-*`. */
export interface RequestHeaderFlags {
  readonly caFile: string
  readonly allowedNames: readonly string[]
  readonly usernameHeaders: readonly string[]
  readonly uidHeaders: readonly string[]
  readonly groupHeaders: readonly string[]
  readonly extraPrefixes: readonly string[]
}

/** A webhook of authentication or authorization: a kubeconfig file, and `v1` or `v1beta1` of its review. */
export interface WebhookFlags {
  readonly configFile: string
  readonly version: string
}

/** `--service-account-*`. */
export interface ServiceAccountFlags {
  readonly issuers: readonly string[]
  readonly keyFiles: readonly string[]
  readonly signingKeyFile?: string
  readonly jwksUri?: string
  readonly lookup: boolean
  readonly extendExpiration: boolean
  /** 0: as long as asked. */
  readonly maxSeconds: number
}

/** Who may what. */
export interface AuthorizationFlags {
  readonly modes: readonly string[]
  readonly configFile?: string
  readonly policyFile?: string
  readonly webhook?: WebhookFlags & {
    readonly authorizedMilliseconds: number
    readonly unauthorizedMilliseconds: number
  }
}

/** How events get to where they are written down (`--audit-log-…`, `--audit-webhook-…`). Sizes in bytes. */
export interface AuditBackendFlags {
  /** `batch`, `blocking` or `blocking-strict`. */
  readonly mode: string
  readonly batch: {
    readonly buffer: number
    readonly maxSize: number
    readonly maxWaitMilliseconds: number
    readonly throttle?: { readonly qps: number; readonly burst: number }
  }
  readonly truncate?: { readonly maxEvent: number; readonly maxBatch: number }
}

/** What is written down of requests. */
export interface AuditFlags {
  readonly policyFile?: string
  readonly log?: AuditBackendFlags & {
    /** `-` is standard output. */
    readonly path: string
    readonly format: string
    readonly maxAgeDays: number
    readonly maxBackups: number
    readonly maxSizeMegabytes: number
    readonly compress: boolean
  }
  readonly webhook?: AuditBackendFlags & {
    readonly configFile: string
    readonly initialBackoffMilliseconds: number
  }
}

/** How much at once, and for how long. */
export interface LimitFlags {
  readonly fairness: boolean
  readonly maxRequests: number
  readonly maxMutatingRequests: number
  readonly requestTimeoutMilliseconds: number
  readonly minRequestTimeoutSeconds: number
  readonly shutdownDelayMilliseconds: number
  readonly shutdownSendRetryAfter: boolean
  readonly shutdownWatchGraceMilliseconds: number
  readonly livezGraceMilliseconds: number
  readonly goawayChance: number
}

/** What kube-apiserver's flags come to. Files are named, not read: `loadConfiguration` does that. */
export interface ServerConfiguration {
  readonly serving: ServingConfiguration
  readonly authentication: AuthenticationFlags
  readonly authorization: AuthorizationFlags
  readonly audit: AuditFlags
  readonly limits: LimitFlags
  readonly admission: {
    readonly enable: readonly string[]
    readonly disable: readonly string[]
    readonly configFile?: string
  }
  readonly encryptionConfigFile?: string
  /** Whether that file is read again when it changes. */
  readonly encryptionReload: boolean
  readonly serviceRanges: readonly string[]
  readonly nodePortRange: string
  readonly runtimeConfig: ReadonlyMap<string, string>
  readonly featureGates: ReadonlyMap<string, string>
  readonly profiling: boolean
  readonly verbosity: number
  readonly eventTtlMilliseconds: number
  /** Flags that were given and change nothing here, for there is no etcd, kubelet connection or egress to configure. */
  readonly withoutEffect: readonly string[]
  /** Everything, as written or by default, for `/flagz`. */
  readonly values: FlagValues
}

/**
 * Reads kube-apiserver's own flags, by name with the values in the order given. `--etcd-servers` may be left out, everything else is
 * judged as kube-apiserver judges it. Throws a {@link FlagError} with its sentence.
 */
export function optionsFromFlags(flags: Flags): ServerConfiguration {
  const values = flagValues(new Map([...flags].filter(([name]) => name !== 'help')))
  const first = gateProblem(values) ?? rangeProblem(values)
  if (first !== undefined) throw new FlagError('invalid', first)
  const problems = flagProblems(values)
  if (problems.length > 0) throw aggregate(problems)
  return {
    serving: serving(values),
    authentication: authentication(values),
    authorization: authorization(values),
    audit: audit(values),
    limits: limits(values),
    admission: {
      enable: [...values.list('enable-admission-plugins'), ...values.list('admission-control')],
      disable: values.list('disable-admission-plugins'),
      ...some('configFile', values.text('admission-control-config-file')),
    },
    ...some('encryptionConfigFile', values.text('encryption-provider-config')),
    encryptionReload: values.bool('encryption-provider-config-automatic-reload'),
    serviceRanges: values.list('service-cluster-ip-range'),
    nodePortRange: values.text('service-node-port-range'),
    runtimeConfig: values.map('runtime-config'),
    featureGates: values.map('feature-gates'),
    profiling: values.bool('profiling'),
    verbosity: values.number('v'),
    eventTtlMilliseconds: values.milliseconds('event-ttl'),
    withoutEffect: [...flags.keys()].filter((it) => WITHOUT_EFFECT.test(it)),
    values,
  }
}

const WITHOUT_EFFECT =
  /^(etcd-|egress-|kubelet-|peer-|coordinated-|tracing-|watch-cache|storage-media-type|enable-aggregator-routing|tls-(cipher|min|curve)|http2-|permit-|log-|vmodule)/

/** A property where the text says something. */
const some = <K extends string>(name: K, text: string): { readonly [P in K]?: string } =>
  (text === '' ? {} : { [name]: text }) as { readonly [P in K]?: string }

const serving = (flags: FlagValues): ServingConfiguration => ({
  bindAddress: flags.text('bind-address') || '0.0.0.0',
  port: flags.number('secure-port'),
  ...some('advertiseAddress', flags.text('advertise-address')),
  ...some('externalHostname', flags.text('external-hostname')),
  ...some('certificateFile', flags.text('tls-cert-file')),
  ...some('keyFile', flags.text('tls-private-key-file')),
  certificateFolder: flags.text('cert-dir'),
})

function authentication(flags: FlagValues): AuthenticationFlags {
  const requestHeader = requestHeaderOf(flags)
  const oidc = oidcOf(flags)
  const webhook = flags.text('authentication-token-webhook-config-file')
  const alwaysAllow =
    flags.text('authorization-config') === '' && modesOf(flags).includes('AlwaysAllow')
  return {
    // Nobody may be anonymous where everybody may do everything.
    anonymous: flags.bool('anonymous-auth') && !alwaysAllow,
    anonymousGiven: flags.isSet('anonymous-auth'),
    ...some('clientCaFile', flags.text('client-ca-file')),
    ...some('tokenFile', flags.text('token-auth-file')),
    bootstrapTokens: flags.bool('enable-bootstrap-token-auth'),
    apiAudiences: flags.list('api-audiences'),
    ...some('configFile', flags.text('authentication-config')),
    ...(oidc ? { oidc } : {}),
    ...(requestHeader ? { requestHeader } : {}),
    ...(webhook
      ? {
          webhook: {
            configFile: webhook,
            version: flags.text('authentication-token-webhook-version'),
            cacheMilliseconds: flags.milliseconds('authentication-token-webhook-cache-ttl'),
          },
        }
      : {}),
    serviceAccounts: {
      issuers: flags.list('service-account-issuer'),
      keyFiles: flags.list('service-account-key-file'),
      ...some('signingKeyFile', flags.text('service-account-signing-key-file')),
      ...some('jwksUri', flags.text('service-account-jwks-uri')),
      lookup: flags.bool('service-account-lookup'),
      extendExpiration: flags.bool('service-account-extend-token-expiration'),
      maxSeconds: flags.milliseconds('service-account-max-token-expiration') / 1000,
    },
  }
}

function oidcOf(flags: FlagValues): OidcFlags | undefined {
  const issuerUrl = flags.text('oidc-issuer-url')
  if (issuerUrl === '') return undefined
  return {
    issuerUrl,
    clientId: flags.text('oidc-client-id'),
    ...some('caFile', flags.text('oidc-ca-file')),
    usernameClaim: flags.text('oidc-username-claim'),
    ...some('usernamePrefix', flags.text('oidc-username-prefix')),
    ...some('groupsClaim', flags.text('oidc-groups-claim')),
    ...some('groupsPrefix', flags.text('oidc-groups-prefix')),
    signingAlgorithms: flags.list('oidc-signing-algs'),
    requiredClaims: flags.map('oidc-required-claim'),
  }
}

function requestHeaderOf(flags: FlagValues): RequestHeaderFlags | undefined {
  const caFile = flags.text('requestheader-client-ca-file')
  if (caFile === '') return undefined
  return {
    caFile,
    allowedNames: flags.list('requestheader-allowed-names'),
    usernameHeaders: flags.list('requestheader-username-headers'),
    uidHeaders: flags.list('requestheader-uid-headers'),
    groupHeaders: flags.list('requestheader-group-headers'),
    extraPrefixes: flags.list('requestheader-extra-headers-prefix'),
  }
}

function modesOf(flags: FlagValues): readonly string[] {
  const modes = flags.list('authorization-mode')
  return modes.length > 0 ? modes : ['AlwaysAllow']
}

function authorization(flags: FlagValues): AuthorizationFlags {
  const webhook = flags.text('authorization-webhook-config-file')
  return {
    modes: modesOf(flags),
    ...some('configFile', flags.text('authorization-config')),
    ...some('policyFile', flags.text('authorization-policy-file')),
    ...(webhook
      ? {
          webhook: {
            configFile: webhook,
            version: flags.text('authorization-webhook-version'),
            authorizedMilliseconds: flags.milliseconds(
              'authorization-webhook-cache-authorized-ttl',
            ),
            unauthorizedMilliseconds: flags.milliseconds(
              'authorization-webhook-cache-unauthorized-ttl',
            ),
          },
        }
      : {}),
  }
}

function auditBackend(flags: FlagValues, plugin: 'log' | 'webhook'): AuditBackendFlags {
  const name = (it: string): string => `audit-${plugin}-${it}`
  const number = (it: string): number => flags.number(name(it))
  const throttle = {
    qps: number('batch-throttle-qps'),
    burst: number('batch-throttle-burst'),
  }
  return {
    mode: flags.text(name('mode')),
    batch: {
      buffer: number('batch-buffer-size'),
      maxSize: number('batch-max-size'),
      maxWaitMilliseconds: flags.milliseconds(name('batch-max-wait')),
      ...(flags.bool(name('batch-throttle-enable')) ? { throttle } : {}),
    },
    ...(flags.bool(name('truncate-enabled'))
      ? {
          truncate: {
            maxEvent: number('truncate-max-event-size'),
            maxBatch: number('truncate-max-batch-size'),
          },
        }
      : {}),
  }
}

function audit(flags: FlagValues): AuditFlags {
  const path = flags.text('audit-log-path')
  const webhook = flags.text('audit-webhook-config-file')
  return {
    ...some('policyFile', flags.text('audit-policy-file')),
    ...(path
      ? {
          log: {
            path,
            format: flags.text('audit-log-format'),
            ...auditBackend(flags, 'log'),
            maxAgeDays: flags.number('audit-log-maxage'),
            maxBackups: flags.number('audit-log-maxbackup'),
            maxSizeMegabytes: flags.number('audit-log-maxsize'),
            compress: flags.bool('audit-log-compress'),
          },
        }
      : {}),
    ...(webhook
      ? {
          webhook: {
            configFile: webhook,
            ...auditBackend(flags, 'webhook'),
            initialBackoffMilliseconds: flags.milliseconds('audit-webhook-initial-backoff'),
          },
        }
      : {}),
  }
}

const limits = (flags: FlagValues): LimitFlags => ({
  fairness: flags.bool('enable-priority-and-fairness'),
  maxRequests: flags.number('max-requests-inflight'),
  maxMutatingRequests: flags.number('max-mutating-requests-inflight'),
  requestTimeoutMilliseconds: flags.milliseconds('request-timeout'),
  minRequestTimeoutSeconds: flags.number('min-request-timeout'),
  shutdownDelayMilliseconds: flags.milliseconds('shutdown-delay-duration'),
  shutdownSendRetryAfter: flags.bool('shutdown-send-retry-after'),
  shutdownWatchGraceMilliseconds: flags.milliseconds('shutdown-watch-termination-grace-period'),
  livezGraceMilliseconds: flags.milliseconds('livez-grace-period'),
  goawayChance: flags.number('goaway-chance'),
})
