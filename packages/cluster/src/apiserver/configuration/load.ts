import { type Clock, type Logger, silentLogger, systemClock } from 'kubewright/base'
import { everyBuiltinResource, gateOf, isServedByDefault } from '../resources/builtins.ts'
import type { ResourceInfo } from '../resources/resource.ts'
import type { ApiServerOptions, ServeOptions } from '../server-options.ts'
import { FLAGS, GATE_STAGES } from './flag-table.ts'
import { loadAdmission } from './load-admission.ts'
import { loadAudit } from './load-audit.ts'
import { loadAuthentication, loadTokens } from './load-authentication.ts'
import { loadAuthorization } from './load-authorization.ts'
import { loadEncryption } from './load-encryption.ts'
import { loadTls } from './load-tls.ts'
import type { ServerConfiguration } from './options.ts'
import { servedVersions } from './runtime-config.ts'

/** What the flags and the files that they name come to: options for `createApiServer`, but for the storage, and for its `listen`. */
export interface Loaded {
  readonly server: Omit<ApiServerOptions, 'storage'>
  readonly serve: ServeOptions
  /** What kube-apiserver logs as a warning when it starts: resources that are asked for and need a feature gate. */
  readonly warnings: readonly string[]
}

/** Reads the files that a configuration names. Rejects with a `FlagError` that says which cannot be used, and why. */
export async function loadConfiguration(
  configuration: ServerConfiguration,
  clock: Clock = systemClock,
  logger: Logger = silentLogger,
): Promise<Loaded> {
  const { serving, limits, admission } = configuration
  const encryption = await loadEncryption(configuration)
  const plugins = await loadAdmission(configuration, clock)
  const audit = await loadAudit(configuration.audit, clock, logger)
  const serves = servedVersions(
    configuration.runtimeConfig,
    everyBuiltinResource(),
    isServedByDefault,
  )
  const featureGates = gatesOf(configuration)
  return {
    warnings: gateWarnings(serves, featureGates),
    server: {
      clock,
      logger,
      ...(audit ? { audit } : {}),
      ...(encryption ? { encryption } : {}),
      authentication: await loadAuthentication(configuration.authentication, clock),
      authorization: await loadAuthorization(configuration.authorization, clock),
      tokens: await loadTokens(configuration.authentication),
      admission: {
        enable: admission.enable,
        disable: admission.disable,
        ...(plugins ? { configuration: plugins } : {}),
      },
      minRequestTimeout: limits.minRequestTimeoutSeconds * 1000,
      eventTtl: configuration.eventTtlMilliseconds,
      ...serviceNetworksOf(configuration),
      serves,
      featureGates,
      flags: shownFlags(configuration),
      profiling: configuration.profiling,
      shutdown: {
        delay: limits.shutdownDelayMilliseconds,
        drain: limits.requestTimeoutMilliseconds,
        sendRetryAfter: limits.shutdownSendRetryAfter,
      },
      limits: {
        requestTimeout: limits.requestTimeoutMilliseconds,
        fairness: limits.fairness,
        maxRequests: limits.maxRequests,
        maxMutatingRequests: limits.maxMutatingRequests,
      },
    },
    serve: {
      host: serving.bindAddress,
      port: serving.port,
      tls: await loadTls(serving, configuration.authentication, clock),
    },
  }
}

/** The ranges of services, and the ports of nodes that they get (`30000-32767`, or `30000+99`). */
function serviceNetworksOf({
  serviceRanges: [first, second],
  nodePortRange,
}: ServerConfiguration): Pick<
  ApiServerOptions,
  'serviceRange' | 'secondServiceRange' | 'nodePorts'
> {
  const [, from = '', sign, to = ''] = /^(\d+)(?:([-+])(\d+))?$/.exec(nodePortRange) ?? []
  const last = sign === '+' ? Number(from) + Number(to) : Number(to || from)
  return {
    ...(first === undefined ? {} : { serviceRange: first }),
    ...(second === undefined ? {} : { secondServiceRange: second }),
    ...(from === '' ? {} : { nodePorts: { first: Number(from), last } }),
  }
}

/** Flags as `/flagz` shows them: lists in brackets. */
const shownFlags = ({ values }: ServerConfiguration): ReadonlyMap<string, string> =>
  new Map(
    [...FLAGS].map(([name, { type }]) => {
      const isList = type === 'strings' || type === 'stringArray' || type === 'map'
      return [name, isList ? `[${values.list(name).join(',')}]` : values.text(name)] as const
    }),
  )

/** Gates as they are told, those of a whole stage with it where they are not told themselves (component-base/featuregate). */
function gatesOf({ featureGates }: ServerConfiguration): Readonly<Record<string, boolean>> {
  const told = new Map(
    [...featureGates].map(([name, value]) => [name.replace(/^kube:/, ''), /^(1|t)/i.test(value)]),
  )
  const staged = [...GATE_STAGES].flatMap(([name, stage]) => {
    const whole = told.get(stage === 'ALPHA' ? 'AllAlpha' : 'AllBeta')
    return whole === undefined ? [] : [[name, whole] as const]
  })
  return Object.fromEntries([...staged, ...told])
}

/** What is asked for and is not served for want of its gate, as kube-apiserver says it. */
function gateWarnings(
  serves: (info: ResourceInfo) => boolean,
  gates: Readonly<Record<string, boolean>>,
): readonly string[] {
  return everyBuiltinResource().flatMap((info) => {
    const gate = gateOf(info)
    if (gate === undefined || gates[gate] === true || !serves(info)) return []
    const kind = info.kind === 'StorageVersionMigration' ? gate : info.kind
    return [`${kind} storage is disabled because the ${gate} feature gate is disabled`]
  })
}
