import { isIP } from 'node:net'
import { ADMISSION_PLUGIN_NAMES, FEATURE_GATES } from './flag-table.ts'
import type { FlagValues } from './flag-values.ts'

/** One group of flags, and what of it does not fit together, in kube-apiserver's words. */
type Rule = (flags: FlagValues) => readonly (string | false)[]

/** The modes of `--authorization-mode` (kubernetes/pkg/kubeapiserver/authorizer/modes). */
export const AUTHORIZATION_MODES: readonly string[] = [
  'AlwaysAllow',
  'AlwaysDeny',
  'ABAC',
  'Webhook',
  'RBAC',
  'Node',
]

const generic: Rule = (flags) => [
  ...[
    'livez-grace-period:a negative',
    'max-requests-inflight:negative',
    'max-mutating-requests-inflight:negative',
    'request-timeout:negative',
  ].map((it) => negative(flags, it)),
  (flags.number('goaway-chance') < 0 || flags.number('goaway-chance') > 0.02) &&
    '--goaway-chance can not be less than 0 or greater than 0.02',
  ...[
    'min-request-timeout:negative',
    'storage-initialization-timeout:negative',
    'shutdown-delay-duration:negative',
  ].map((it) => negative(flags, it)),
  flags.text('shutdown-watch-termination-grace-period').startsWith('-') &&
    'shutdown-watch-termination-grace-period, if provided, can not be a negative value',
]

function negative(flags: FlagValues, rule: string): string | false {
  const [name = '', word = ''] = rule.split(':')
  return flags.text(name).startsWith('-') && `--${name} can not be ${word} value`
}

const MEDIA_TYPES = ['application/json', 'application/vnd.kubernetes.protobuf', 'application/yaml']

const storage: Rule = (flags) => [
  !['', 'etcd3'].includes(flags.text('storage-backend')) &&
    "--storage-backend invalid, allowed values: etcd3. If not specified, it will default to 'etcd3'",
  flags.text('encryption-provider-config') === '' &&
    flags.bool('encryption-provider-config-automatic-reload') &&
    '--encryption-provider-config-automatic-reload must be set with --encryption-provider-config',
  !MEDIA_TYPES.includes(flags.text('storage-media-type')) &&
    `--storage-media-type ${JSON.stringify(flags.text('storage-media-type'))} invalid, allowed values: ${MEDIA_TYPES.join(', ')}`,
]

const serving: Rule = (flags) => {
  const port = flags.number('secure-port')
  return [
    (port < 1 || port > 65_535) &&
      `--secure-port ${port} must be between 1 and 65535, inclusive. It cannot be turned off with 0`,
  ]
}

const OIDC = [
  'oidc-issuer-url',
  'oidc-client-id',
  'oidc-ca-file',
  'oidc-username-claim',
  'oidc-username-prefix',
  'oidc-groups-claim',
  'oidc-groups-prefix',
  'oidc-signing-algs',
  'oidc-required-claim',
]

const authentication: Rule = (flags) => {
  const oidc = OIDC.some((it) => flags.isSet(it))
  const hasConfig = flags.text('authentication-config') !== ''
  const half = flags.text('oidc-issuer-url') === '' || flags.text('oidc-client-id') === ''
  const jwks = flags.text('service-account-jwks-uri')
  return [
    !hasConfig &&
      oidc &&
      half &&
      'oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set',
    hasConfig && oidc && 'authentication-config file and oidc-* flags are mutually exclusive',
    ...repeated(flags.list('service-account-issuer')).map(
      (it) => `service-account-issuer ${JSON.stringify(it)} is already specified`,
    ),
    flags.list('service-account-issuer').length === 0 &&
      'service-account-issuer is a required flag',
    flags.list('service-account-key-file').length === 0 &&
      'either `--service-account-key-file` or `--service-account-signing-endpoint` must be set',
    jwks !== '' &&
      !jwks.startsWith('https:') &&
      `service-account-jwks-uri requires https scheme, parsed as: ${jwks}`,
  ]
}

const repeated = (texts: readonly string[]): readonly string[] =>
  texts.filter((it, at) => texts.indexOf(it) < at)

const authorization: Rule = (flags) => {
  if (flags.text('authorization-config') !== '') return exclusive(flags)
  const modes = flags.list('authorization-mode')
  const policy = flags.text('authorization-policy-file')
  const webhook = flags.text('authorization-webhook-config-file')
  return [
    flags.isSet('authorization-mode') &&
      modes.length === 0 &&
      'at least one authorization-mode must be passed',
    ...modes.flatMap((mode) => [
      !AUTHORIZATION_MODES.includes(mode) &&
        `authorization-mode ${JSON.stringify(mode)} is not a valid mode`,
      mode === 'ABAC' &&
        policy === '' &&
        "authorization-mode ABAC's authorization policy file not passed",
      mode === 'Webhook' &&
        webhook === '' &&
        "authorization-mode Webhook's authorization config file not passed",
    ]),
    policy !== '' &&
      !modes.includes('ABAC') &&
      'cannot specify --authorization-policy-file without mode ABAC',
    webhook !== '' &&
      !modes.includes('Webhook') &&
      'cannot specify --authorization-webhook-config-file without mode Webhook',
    repeated(modes).length > 0 &&
      `authorization-mode [${modes.map((it) => JSON.stringify(it)).join(' ')}] has mode specified more than once`,
  ]
}

const LEGACY_AUTHORIZATION = [
  'authorization-mode',
  'authorization-webhook-config-file',
  'authorization-webhook-version',
  'authorization-webhook-cache-authorized-ttl',
  'authorization-webhook-cache-unauthorized-ttl',
]

const exclusive: Rule = (flags) => [
  LEGACY_AUTHORIZATION.some((it) => flags.isSet(it)) &&
    '--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined',
]

const AUDIT_MODES = ['batch', 'blocking', 'blocking-strict']
const AUDIT_FORMATS = ['legacy', 'json']

const auditLog: Rule = (flags) => {
  if (flags.text('audit-log-path') === '') return []
  const format = flags.text('audit-log-format')
  return [
    ...auditBackend(flags, 'log'),
    !AUDIT_FORMATS.includes(format) &&
      `invalid audit log format ${format}, allowed formats are "legacy,json"`,
    ...['maxage', 'maxbackup', 'maxsize'].map((it) => {
      const value = flags.number(`audit-log-${it}`)
      return value < 0 && `--audit-log-${it} ${value} can't be a negative number`
    }),
  ]
}

const auditWebhook: Rule = (flags) =>
  flags.text('audit-webhook-config-file') === '' ? [] : auditBackend(flags, 'webhook')

function auditBackend(flags: FlagValues, plugin: string): readonly (string | false)[] {
  const name = (it: string): string => `audit-${plugin}-${it}`
  const mode = flags.text(name('mode'))
  const [buffer, size] = [
    flags.number(name('batch-buffer-size')),
    flags.number(name('batch-max-size')),
  ]
  const event = flags.number(name('truncate-max-event-size'))
  const batch = flags.number(name('truncate-max-batch-size'))
  return [
    !AUDIT_MODES.includes(mode) &&
      `invalid audit ${plugin} mode ${mode}, allowed modes are "${AUDIT_MODES.join(',')}"`,
    mode === 'batch' &&
      buffer <= 0 &&
      `invalid audit batch ${plugin} buffer size ${buffer}, must be a positive number`,
    mode === 'batch' &&
      buffer > 0 &&
      size <= 0 &&
      `invalid audit batch ${plugin} max batch size ${size}, must be a positive number`,
    event <= 0 &&
      `invalid audit truncate ${plugin} max event size ${event}, must be a positive number`,
    event > 0 &&
      batch < event &&
      `invalid audit truncate ${plugin} max batch size ${batch}, must be greater than max event size (${event})`,
    flags.text(name('version')) !== 'audit.k8s.io/v1' &&
      'invalid group version, allowed versions are [{"audit.k8s.io" "v1"}]',
  ]
}

const admission: Rule = (flags) => {
  const [on, off] = [
    flags.list('enable-admission-plugins'),
    flags.list('disable-admission-plugins'),
  ]
  const unknown = (flag: string, names: readonly string[]): readonly string[] =>
    names
      .filter((it) => !ADMISSION_PLUGIN_NAMES.has(it))
      .map((it) => `${flag} plugin ${JSON.stringify(it)} is unknown`)
  const both = on.filter((it) => off.includes(it)).sort()
  return [
    flags.list('admission-control').length > 0 &&
      on.length + off.length > 0 &&
      'admission-control and enable-admission-plugins/disable-admission-plugins flags are mutually exclusive',
    ...unknown('admission-control', flags.list('admission-control')),
    ...unknown('enable-admission-plugins', on),
    ...unknown('disable-admission-plugins', off),
    both.length > 0 &&
      `[${both.join(' ')}] in enable-admission-plugins and disable-admission-plugins overlapped`,
  ]
}

const runtimeConfig: Rule = (flags) => {
  const map = flags.map('runtime-config')
  const only = map.size === 1 && map.get('api/all') === 'false'
  const off = ['flowcontrol.apiserver.k8s.io/v1', 'api/ga', 'api/all'].find(
    (it) => map.get(it) === 'false',
  )
  return [
    off !== undefined &&
      flags.bool('enable-priority-and-fairness') &&
      `--runtime-config=${off}=false conflicts with --enable-priority-and-fairness=true`,
    only && 'invalid runtime-config with only api/all=false',
  ]
}

const tokens: Rule = (flags) => {
  const signing = flags.text('service-account-signing-key-file')
  const issuers = flags.list('service-account-issuer')
  const attempted = signing !== '' || issuers.length > 0 || flags.list('api-audiences').length > 0
  return [
    !attempted &&
      '--service-account-signing-key-file and --service-account-issuer are required flags',
    attempted &&
      (signing === '' || issuers.length === 0) &&
      '--service-account-signing-key-file, --service-account-issuer, and --api-audiences should be specified together',
  ]
}

const services: Rule = (flags) => {
  const ranges = flags.list('service-cluster-ip-range')
  const node = flags.number('kubernetes-service-node-port')
  const families = ranges.map((it) => isIP(it.split('/')[0]!))
  return [
    ranges.length > 2 && '--service-cluster-ip-range must not contain more than two entries',
    ranges.length === 2 &&
      families[0] === families[1] &&
      '--service-cluster-ip-range[0] and --service-cluster-ip-range[1] must be of different IP family',
    (node < 0 || node > 65_535) &&
      `--kubernetes-service-node-port ${node} must be between 0 and 65535, inclusive. If 0, the Kubernetes master service will be of type ClusterIP`,
  ]
}

/** In kube-apiserver's order (pkg/controlplane/apiserver/options/validation.go). */
const RULES: readonly Rule[] = [
  generic,
  storage,
  serving,
  authentication,
  authorization,
  auditLog,
  auditWebhook,
  admission,
  runtimeConfig,
  tokens,
  services,
]

/** Everything in these flags that does not fit together, a sentence each. */
export const flagProblems = (flags: FlagValues): readonly string[] =>
  RULES.flatMap((rule) => rule(flags)).filter((it) => it !== false)

/** What is wrong with a feature gate, a first thing; undefined where all are right. */
export function gateProblem(flags: FlagValues): string | undefined {
  for (const pair of flags.list('feature-gates')) {
    const at = pair.indexOf('=')
    const name = (at < 0 ? pair : pair.slice(0, at)).replace(/^kube:/, '').trim()
    if (at < 0) return `missing bool value for ${name}`
    const value = pair.slice(at + 1).trim()
    if (!FEATURE_GATES.has(name)) return `unrecognized feature gate: ${name}`
    if (/^(1|t|T|true|TRUE|True|0|f|F|false|FALSE|False)$/.test(value)) continue
    return `invalid value of ${name}=${value}, err: strconv.ParseBool: parsing ${JSON.stringify(value)}: invalid syntax`
  }
  return undefined
}

/** What is wrong with the ranges of services, told before anything else; undefined where they are right. */
export function rangeProblem(flags: FlagValues): string | undefined {
  const [first, second] = flags.list('service-cluster-ip-range')
  if (first !== undefined && !isRange(first))
    return 'service-cluster-ip-range[0] is not a valid cidr'
  if (second !== undefined && !isRange(second))
    return 'service-cluster-ip-range[1] is not an ip net'
  const seconds = flags.milliseconds('service-account-max-token-expiration') / 1000
  return seconds !== 0 && (seconds < 3600 || seconds > 2 ** 32)
    ? 'the service-account-max-token-expiration must be between 1 hour and 2^32 seconds'
    : undefined
}

function isRange(text: string): boolean {
  const [ip = '', bits = '', more] = text.split('/')
  const family = isIP(ip)
  return (
    family > 0 &&
    more === undefined &&
    /^\d+$/.test(bits) &&
    Number(bits) <= (family === 4 ? 32 : 128)
  )
}
