import { dirname, isAbsolute, join } from 'node:path'
import { parse } from 'yaml'
import type { Clock } from 'kubewright/base'
import { parseKubeConfig } from 'kubewright/client'
import {
  duplicate,
  fieldErrorText,
  type FieldError,
  invalidValue,
  isDns1123Label,
  isDns1123Subdomain,
  notSupported,
  required,
} from 'kubewright/machinery'
import type { EventLimit } from '../admission/event-rate-limit.ts'
import { type AdmissionConfiguration, isSelected } from '../admission/plugins.ts'
import {
  levelProblem,
  type PodSecurityConfiguration,
  type PodSecurityDefault,
  versionProblem,
} from '../admission/pod-security.ts'
import type { LimitedResource } from '../admission/resource-quota.ts'
import { remoteOf } from '../http/remote.ts'
import { checkTolerations } from '../registry/core/scheduling-validation.ts'
import type { Fields } from '../registry/fields.ts'
import { type ExpectedConfig, parseConfig, type Shape } from './config-file.ts'
import { FlagError } from './flag-error.ts'
import type { ServerConfiguration } from './options.ts'
import { parsed, textOf } from './read-file.ts'
import { credentialsIn } from './webhook-credentials.ts'

/** An AdmissionConfiguration: what each plugin is told, in the file or in one beside it. */
interface AdmissionFile {
  readonly plugins?: readonly {
    readonly name?: string
    readonly path?: string
    readonly configuration?: unknown
  }[]
}

const EXPECTED = {
  group: 'apiserver.config.k8s.io',
  versions: ['v1'],
  others: ['apiserver.k8s.io/v1alpha1'],
  kind: 'AdmissionConfiguration',
  shape: { plugins: [{ name: true, path: true, configuration: true }] },
} as const satisfies ExpectedConfig

/** Plugins that read a file of their own before there were versions: it may stand in the place of the whole. */
const UNVERSIONED: Readonly<Record<string, string>> = {
  ImagePolicyWebhook: 'imagePolicy',
  PodNodeSelector: 'podNodeSelectorPluginConfig',
}

/** What plugins are told by `--admission-control-config-file`. Rejects with the `FlagError` of what cannot be used. */
export async function loadAdmission(
  { admission }: Pick<ServerConfiguration, 'admission'>,
  clock: Clock,
): Promise<AdmissionConfiguration | undefined> {
  const { configFile: file } = admission
  const told = file === undefined ? () => undefined : await readFile(file)
  const configuration: Partial<Record<keyof AdmissionConfiguration, unknown>> = {}
  for (const [name, read] of Object.entries(READERS)) {
    if (!isSelected(name, admission)) continue
    const text = await told(name)
    try {
      Object.assign(configuration, await read(text, clock))
    } catch (error) {
      throw failure(name, error as Error)
    }
  }
  return Object.keys(configuration).length === 0
    ? undefined
    : (configuration as AdmissionConfiguration)
}

/** PodSecurity is made before it looks at what it was told. */
function failure(name: string, error: Error): FlagError {
  const verb = error instanceof LateError ? 'failed to initialize' : "couldn't init"
  const quoted = JSON.stringify(name)
  const sentence = `failed to apply admission: ${verb} admission plugin ${quoted}: ${error.message}`
  return new FlagError('invalid', sentence)
}

class LateError extends Error {
  override readonly name = 'LateError'
}

type Told = (plugin: string) => Promise<string | undefined> | undefined

async function readFile(file: string): Promise<Told> {
  const text = await textOf(file).catch((error: Error) => {
    const sentence = `failed to apply admission: failed to read plugin config: unable to read admission control configuration from ${JSON.stringify(file)} [${error.message}]`
    throw new FlagError('invalid', sentence)
  })
  const what = 'failed to apply admission: failed to read plugin config'
  const old = unversioned(text)
  if (old) return (plugin) => (UNVERSIONED[plugin] === old ? Promise.resolve(text) : undefined)
  const { plugins = [] } = await parsed(
    file,
    () => {
      if (text.trim() === '') throw new Error("Object 'Kind' is missing in ''")
      return parseConfig<AdmissionFile>(text, EXPECTED)
    },
    what,
  )
  return (plugin) => {
    const found = plugins.find((it) => it.name === plugin)
    if (!found) return undefined
    if (found.configuration !== undefined && found.configuration !== null)
      return Promise.resolve(JSON.stringify(found.configuration))
    if (!found.path) return undefined
    return textOf(isAbsolute(found.path) ? found.path : join(dirname(file), found.path))
  }
}

/** Which of the old forms a file has, if any. */
function unversioned(text: string): string | undefined {
  let value: unknown
  try {
    value = parse(text)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null || 'apiVersion' in value) return undefined
  return Object.values(UNVERSIONED).find((it) => it in value)
}

type Read = (
  text: string | undefined,
  clock: Clock,
) => AdmissionConfiguration | Promise<AdmissionConfiguration>

/** How each plugin reads what it is told, in the order in which they are made; without a file it is told nothing. */
const READERS: Readonly<Record<string, Read>> = {
  ImagePolicyWebhook: imagePolicy,
  PodSecurity: podSecurity,
  PodNodeSelector: nodeSelectors,
  PodTolerationRestriction: tolerations,
  EventRateLimit: eventLimits,
  MutatingAdmissionWebhook: async (text) => withCredentials('mutatingCredentials', text),
  ValidatingAdmissionWebhook: async (text) => withCredentials('validatingCredentials', text),
  ResourceQuota: limitedResources,
}

const only = (
  group: string,
  kind: string,
  shape: Shape,
  versions: readonly string[] = ['v1'],
): ExpectedConfig => ({ group, versions, kind, shape })

/** Throws what is wrong, all of it in one sentence. */
function refuse(errors: readonly FieldError[], between: string = ', '): void {
  const texts = errors.map(fieldErrorText)
  if (texts.length === 0) return
  throw new Error(texts.length === 1 ? texts[0] : `[${texts.join(between)}]`)
}

const POD_SECURITY = only(
  'pod-security.admission.config.k8s.io',
  'PodSecurityConfiguration',
  {
    defaults: {
      enforce: true,
      'enforce-version': true,
      audit: true,
      'audit-version': true,
      warn: true,
      'warn-version': true,
    },
    exemptions: { usernames: true, namespaces: true, runtimeClasses: true },
  },
  ['v1', 'v1beta1', 'v1alpha1'],
)

const DEFAULTS: readonly PodSecurityDefault[] = [
  'enforce',
  'enforce-version',
  'audit',
  'audit-version',
  'warn',
  'warn-version',
]

function podSecurity(text: string | undefined): AdmissionConfiguration {
  if (text === undefined) return {}
  const configuration = parseConfig<PodSecurityConfiguration>(text, POD_SECURITY)
  const { defaults = {}, exemptions = {} } = configuration
  const wrong = DEFAULTS.flatMap((it) => {
    const value = defaults[it]
    if (!value) return []
    const problem = it.endsWith('-version') ? versionProblem(value) : levelProblem(value)
    return problem === undefined ? [] : [`${it}: ${problem}`]
  })
  refuseLate('PodSecurity configuration error', wrong)
  const errors = [
    ...named('namespaces', exemptions.namespaces, isDns1123Label),
    ...named('runtimeClasses', exemptions.runtimeClasses, isDns1123Subdomain),
    ...named('usernames', exemptions.usernames, (it) =>
      it === '' ? ['username must not be empty'] : [],
    ),
  ].map(fieldErrorText)
  refuseLate('PodSecurity invalid', errors)
  return { podSecurity: configuration }
}

function refuseLate(what: string, sentences: readonly string[]): void {
  const [first] = sentences
  if (first === undefined) return
  throw new LateError(`${what}: ${sentences.length === 1 ? first : `[${sentences.join(', ')}]`}`)
}

function named(
  list: string,
  names: readonly string[] = [],
  rule: (name: string) => readonly string[],
): readonly FieldError[] {
  return names.flatMap((it, i) => {
    const at = `exemptions.${list}[${i}]`
    const problems = rule(it)
    if (problems.length > 0) return [invalidValue(at, it, problems.join(', '))]
    return names.indexOf(it) < i ? [duplicate(at, it)] : []
  })
}

const QUOTA = {
  ...only('apiserver.config.k8s.io', 'ResourceQuotaConfiguration', {
    limitedResources: [
      {
        apiGroup: true,
        resource: true,
        matchContains: true,
        matchScopes: [{ scopeName: true, operator: true, values: true }],
      },
    ],
  }),
  others: ['resourcequota.admission.k8s.io/v1beta1', 'resourcequota.admission.k8s.io/v1alpha1'],
  otherKind: 'Configuration',
} as const satisfies ExpectedConfig

function limitedResources(text: string | undefined): AdmissionConfiguration {
  if (text === undefined) return {}
  const { limitedResources: limited = [] } = parseConfig<{
    readonly limitedResources?: readonly LimitedResource[]
  }>(text, QUOTA)
  refuse(
    limited.flatMap((it, i) =>
      it.resource ? [] : [required(`limitedResources[${i}].resource`, '')],
    ),
  )
  return { limitedResources: limited }
}

// Unknown fields are passed over: these are read by a decoder that is not strict.
const EVENTS = only('eventratelimit.admission.k8s.io', 'Configuration', true, ['v1alpha1'])
const LIMIT_TYPES = ['Namespace', 'Server', 'SourceAndObject', 'User']

function eventLimits(text: string | undefined): AdmissionConfiguration {
  const { limits = [] } =
    text === undefined
      ? {}
      : parseConfig<{ readonly limits?: readonly Partial<EventLimit>[] }>(text, EVENTS)
  const errors: FieldError[] = []
  if (limits.length === 0) errors.push(invalidValue('limits', null, 'must not be empty'))
  limits.forEach(({ type = '', burst = 0, qps = 0, cacheSize = 0 }, i) => {
    const at = `limits[${i}]`
    if (!LIMIT_TYPES.includes(type)) errors.push(notSupported(`${at}.type`, type, LIMIT_TYPES))
    if (burst <= 0) errors.push(invalidValue(`${at}.burst`, burst, 'must be positive'))
    if (qps <= 0) errors.push(invalidValue(`${at}.qps`, qps, 'must be positive'))
    if (type !== 'Server' && cacheSize < 0)
      errors.push(invalidValue(`${at}.cacheSize`, cacheSize, 'must not be negative'))
  })
  refuse(errors)
  return { eventLimits: limits as readonly EventLimit[] }
}

const TOLERATIONS = only('podtolerationrestriction.admission.k8s.io', 'Configuration', true, [
  'v1alpha1',
])

function tolerations(text: string | undefined): AdmissionConfiguration {
  if (text === undefined) return {}
  const read = parseConfig<{
    readonly default?: readonly Fields[]
    readonly whitelist?: readonly Fields[]
  }>(text, TOLERATIONS)
  const errors: FieldError[] = []
  for (const list of ['default', 'whitelist'] as const)
    checkTolerations(errors, `podtolerationrestriction.${list}`, read[list] ?? [])
  try {
    refuse(errors, ' ')
  } catch (error) {
    throw new Error(`invalid config: ${(error as Error).message}`, { cause: error })
  }
  return {
    tolerations: {
      ...(read.default ? { default: read.default } : {}),
      ...(read.whitelist ? { whitelist: read.whitelist } : {}),
    },
  }
}

function nodeSelectors(text: string | undefined): AdmissionConfiguration {
  if (text === undefined) return {}
  const read = parse(text) as {
    readonly podNodeSelectorPluginConfig?: Readonly<Record<string, string>>
  } | null
  return { nodeSelectors: read?.podNodeSelectorPluginConfig ?? {} }
}

const WEBHOOKS = {
  ...only('apiserver.config.k8s.io', 'WebhookAdmissionConfiguration', {
    kubeConfigFile: true,
    staticManifestsDir: true,
  }),
  others: ['apiserver.config.k8s.io/v1alpha1'],
  otherKind: 'WebhookAdmission',
} as const satisfies ExpectedConfig

async function withCredentials(
  name: 'mutatingCredentials' | 'validatingCredentials',
  text: string | undefined,
): Promise<AdmissionConfiguration> {
  if (text === undefined) return {}
  const { kubeConfigFile: file = '', staticManifestsDir = '' } = parseConfig<{
    readonly kubeConfigFile?: string
    readonly staticManifestsDir?: string
  }>(text, WEBHOOKS)
  if (file !== '' && !isAbsolute(file))
    refuse([invalidValue('kubeConfigFile', file, 'must be an absolute file path')])
  if (staticManifestsDir !== '')
    throw new Error(
      'staticManifestsDir: Forbidden: staticManifestsDir requires the ManifestBasedAdmissionControlConfig feature gate to be enabled',
    )
  if (file === '') return {}
  const config = parseKubeConfig(await statText(file), dirname(file), file)
  return { [name]: await credentialsIn(config) }
}

/** A file that is looked for before it is read. */
const statText = (file: string): Promise<string> =>
  textOf(file).catch((error: Error) => {
    throw new Error(error.message.replace(/^open /, 'stat '), { cause: error })
  })

interface ImagePolicyFile {
  readonly imagePolicy?: {
    readonly kubeConfigFile?: string
    readonly allowTTL?: number
    readonly denyTTL?: number
    readonly retryBackoff?: number
    readonly defaultAllow?: boolean
  }
}

const HALF_HOUR = 30 * 60_000

async function imagePolicy(
  text: string | undefined,
  clock: Clock,
): Promise<AdmissionConfiguration> {
  if (text === undefined) throw new Error('no config specified')
  const { imagePolicy: asked = {} } = (parse(text) ?? {}) as ImagePolicyFile
  const retryMilliseconds = duration(asked.retryBackoff, 1, [1e-6, 5 * 60_000, '1ns', '5m0s'], 500)
  const limits = [1000, HALF_HOUR, '1s', '30m0s'] as const
  const allowMilliseconds = duration(asked.allowTTL, 1000, limits, 5 * 60_000)
  const denyMilliseconds = duration(asked.denyTTL, 1000, limits, 30_000)
  const { kubeConfigFile: file = '', defaultAllow = false } = asked
  if (file === '')
    throw new Error(
      'invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable',
    )
  const remote = remoteOf(parseKubeConfig(await statText(file), dirname(file), file), clock)
  return {
    imagePolicy: {
      remote,
      retryMilliseconds,
      allowMilliseconds,
      denyMilliseconds,
      defaultAllow,
    },
  }
}

/** A number of units as milliseconds: -1 turns it off, 0 is the usual. */
function duration(
  value: number = 0,
  unit: number,
  [least, most, shownLeast, shownMost]: readonly [number, number, string, string],
  usual: number,
): number {
  if (value === -1) return 0
  if (value === 0) return usual
  const milliseconds = value * unit
  if (milliseconds >= least && milliseconds <= most) return milliseconds
  throw new Error(
    `valid value is between ${shownLeast} and ${shownMost}, got ${goDuration(milliseconds)}`,
  )
}

/** Milliseconds as Go prints a duration of at least a second; less as it prints the fraction. */
function goDuration(milliseconds: number): string {
  if (Math.abs(milliseconds) < 1000) return milliseconds === 0 ? '0s' : `${milliseconds}ms`
  const seconds = Math.abs(milliseconds) / 1000
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const sign = milliseconds < 0 ? '-' : ''
  const head = hours > 0 ? `${hours}h${minutes}m` : minutes > 0 ? `${minutes}m` : ''
  return `${sign}${head}${seconds % 60}s`
}
