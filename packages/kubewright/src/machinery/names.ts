/**
 * Kubernetes' rules for names, each answering with a sentence per problem and nothing when the value is fine
 * (apimachinery/pkg/util/validation, pkg/api/validate/content). The sentences are Kubernetes' own.
 */
export type NameRule = (value: string) => readonly string[]

const FINE: readonly string[] = Object.freeze([])

/** `… (e.g. 'my-name',  or '123-abc', regex used for validation is '…')`. */
export function regexProblem(message: string, regex: string, ...examples: string[]): string {
  if (examples.length === 0) return `${message} (regex used for validation is '${regex}')`
  const quoted = examples.map((it) => `'${it}', `).join(' or ')
  return `${message} (e.g. ${quoted}regex used for validation is '${regex}')`
}

/** `must be no more than 63 characters`. */
export const maxLengthProblem = (length: number): string =>
  `must be no more than ${length} characters`

/** `must be between 1 and 65535, inclusive`. */
export const rangeProblem = (low: number, high: number): string =>
  `must be between ${low} and ${high}, inclusive`

const byteLength = (value: string): number =>
  value.length > 20 ? new TextEncoder().encode(value).length : value.length

interface Shape {
  readonly regex: RegExp
  readonly source: string
  readonly message: string
  readonly examples: readonly string[]
  readonly max?: number
}

const shape = (
  source: string,
  message: string,
  examples: readonly string[],
  max?: number,
): Shape => ({
  regex: new RegExp(`^${source}$`),
  source,
  message,
  examples,
  ...(max === undefined ? {} : { max }),
})

const shapeProblem = (it: Shape): string => regexProblem(it.message, it.source, ...it.examples)

function check(it: Shape, value: string): readonly string[] {
  const long = it.max !== undefined && value.length > it.max
  const matches = it.regex.test(value)
  if (!long && matches) return FINE
  return [...(long ? [maxLengthProblem(it.max!)] : []), ...(matches ? [] : [shapeProblem(it)])]
}

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`
const DNS1123_LABEL = shape(
  LABEL,
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  ['my-name', '123-abc'],
  63,
)
const DNS1123_SUBDOMAIN = shape(
  SUBDOMAIN,
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  ['example.com'],
  253,
)
const UNDERSCORE_LABEL = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?'
const DNS1123_SUBDOMAIN_UNDERSCORE = shape(
  `${UNDERSCORE_LABEL}(\\.${UNDERSCORE_LABEL})*`,
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
  ['example.com'],
  253,
)
const DNS1035_LABEL = shape(
  '[a-z]([-a-z0-9]*[a-z0-9])?',
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  ['my-name', 'abc-123'],
  63,
)
const WILDCARD_SUBDOMAIN = shape(
  `\\*\\.${SUBDOMAIN}`,
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  ['*.example.com'],
  253,
)
const C_IDENTIFIER = shape(
  '[A-Za-z_][A-Za-z0-9_]*',
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
  ['my_name', 'MY_NAME', 'MyName'],
)
const HTTP_HEADER = shape(
  '[-A-Za-z0-9]+',
  "a valid HTTP header must consist of alphanumeric characters or '-'",
  ['X-Header-Name'],
)
const PERCENT = shape(
  '[0-9]+%',
  "a valid percent string must be a numeric string followed by an ending '%'",
  ['1%', '93%'],
)
const CONFIG_KEY = shape(
  '[-._a-zA-Z0-9]+',
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  ['key.name', 'KEY_NAME', 'key-name'],
  253,
)
const ENV_NAME = shape(
  '[-._a-zA-Z][-._a-zA-Z0-9]*',
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
  ['my.env-name', 'MY_ENV.NAME', 'MyEnvName1'],
)
const QUALIFIED_NAME = shape(
  '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]',
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  ['MyName', 'my.name', '123-abc'],
)
const LABEL_VALUE = shape(
  '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?',
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  ['MyValue', 'my_value', '12345'],
)
const CONDITION_REASON = shape(
  '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?',
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  ['my_name', 'MY_NAME', 'MyName', 'ReasonA,ReasonB', 'ReasonA:ReasonB'],
)

/** A DNS label (RFC 1123): `my-name`, at most 63 characters. */
export const isDns1123Label: NameRule = (value) => {
  const problems = check(DNS1123_LABEL, value)
  if (problems === FINE || DNS1123_LABEL.regex.test(value)) return problems
  if (!DNS1123_SUBDOMAIN.regex.test(value)) return problems
  return problems.map((it) => (it === shapeProblem(DNS1123_LABEL) ? 'must not contain dots' : it))
}
/** A DNS subdomain (RFC 1123): `my.name`, at most 253 characters. */
export const isDns1123Subdomain: NameRule = (value) => check(DNS1123_SUBDOMAIN, value)
/** As {@link isDns1123Subdomain}, with underscores. */
export const isDns1123SubdomainWithUnderscore: NameRule = (value) =>
  check(DNS1123_SUBDOMAIN_UNDERSCORE, value)
/** A DNS label that begins with a letter (RFC 1035). */
export const isDns1035Label: NameRule = (value) => check(DNS1035_LABEL, value)
/** `*.example.com`. */
export const isWildcardDns1123Subdomain: NameRule = (value) => check(WILDCARD_SUBDOMAIN, value)
/** An identifier as in C. */
export const isCIdentifier: NameRule = (value) => check(C_IDENTIFIER, value)
/** The name of an HTTP header. */
export const isHttpHeaderName: NameRule = (value) => check(HTTP_HEADER, value)
/** `25%`. */
export const isPercent: NameRule = (value) => check(PERCENT, value)
/** The reason of a condition (meta/v1 Condition). */
export const isConditionReason: NameRule = (value) => check(CONDITION_REASON, value)

const dotProblem = (value: string): readonly string[] => {
  if (value === '.') return ["must not be '.'"]
  if (value === '..') return ["must not be '..'"]
  return value.startsWith('..') ? ["must not start with '..'"] : FINE
}

/** A key of a ConfigMap or a Secret. */
export const isConfigMapKey: NameRule = (value) => {
  const problems = check(CONFIG_KEY, value)
  const dots = dotProblem(value)
  return dots === FINE ? problems : [...problems, ...dots]
}
/** The strict rule for environment variables. */
export const isEnvVarName: NameRule = (value) => [...check(ENV_NAME, value), ...dotProblem(value)]
/** The rule for environment variables since v1.34: printable ASCII without `=`. */
export const isRelaxedEnvVarName: NameRule = (value) => {
  if (value === '') return ['environment variable name must be non-empty']
  return /^[ -<>-~]*$/.test(value)
    ? FINE
    : [
        "a valid environment variable name must consist only of printable ASCII characters other than '='",
      ]
}

const QUALIFIED =
  'a valid label key ' +
  shapeProblem(QUALIFIED_NAME) +
  " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"

/** A label key or another qualified name: `example.com/name`, the prefix optional. */
export const isQualifiedName: NameRule = (value) => {
  const slash = value.indexOf('/')
  if (slash < 0) return namePartProblems(value)
  if (value.indexOf('/', slash + 1) >= 0) return [QUALIFIED]
  const prefix = value.slice(0, slash)
  const problems = prefix === '' ? ['must be non-empty'] : isDns1123Subdomain(prefix)
  const rest = namePartProblems(value.slice(slash + 1))
  if (problems.length === 0) return rest
  return [...problems.map((it) => `prefix part ${it}`), ...rest]
}

function namePartProblems(name: string): readonly string[] {
  const matches = QUALIFIED_NAME.regex.test(name)
  if (matches && name.length <= 63) return FINE
  const problems: string[] = []
  if (name === '') problems.push('name part must be non-empty')
  else if (byteLength(name) > 63) problems.push('name part must be no more than 63 bytes')
  if (!matches) problems.push(`name part ${shapeProblem(QUALIFIED_NAME)}`)
  return problems
}

/** The value of a label. */
export const isLabelValue: NameRule = (value) => {
  const matches = LABEL_VALUE.regex.test(value)
  if (matches && value.length <= 63) return FINE
  return [
    ...(byteLength(value) > 63 ? ['must be no more than 63 bytes'] : []),
    ...(matches ? [] : [shapeProblem(LABEL_VALUE)]),
  ]
}

/** The name of a port (RFC 6335). */
export const isPortName: NameRule = (value) => {
  const problems: string[] = []
  if (value.length > 15) problems.push(maxLengthProblem(15))
  if (!/^[-a-z0-9]+$/.test(value)) {
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)')
  }
  if (!/[a-z]/.test(value)) problems.push('must contain at least one letter (a-z)')
  if (value.includes('--')) problems.push('must not contain consecutive hyphens')
  if (value.startsWith('-') || value.endsWith('-')) {
    problems.push('must not begin or end with a hyphen')
  }
  return problems
}

/** A number within 1 and 65535. */
export const isPortNumber = (port: number): readonly string[] => isInRange(port, 1, 65535)

/** A number within `low` and `high`, both included. */
export const isInRange = (value: number, low: number, high: number): readonly string[] =>
  value >= low && value <= high ? FINE : [rangeProblem(low, high)]

/** A name that can be one segment of a path: what every object's name has to be at least. */
export const isPathSegmentName: NameRule = (name) =>
  name === '.' || name === '..' ? [`may not be '${name}'`] : isPathSegmentPrefix(name)

/** The beginning of a path segment. */
export const isPathSegmentPrefix: NameRule = (name) =>
  ['/', '%'].filter((it) => name.includes(it)).map((it) => `may not contain '${it}'`)

/** A name of an object, or, when `prefix`, the beginning of one that a generated suffix completes. */
export type ObjectNameRule = (name: string, prefix: boolean) => readonly string[]

const masked = (name: string, prefix: boolean): string =>
  prefix && name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name

/** The rules that a kind may put on its names (apimachinery/pkg/api/validation/generic.go). */
export const nameIsDnsSubdomain: ObjectNameRule = (name, prefix) =>
  isDns1123Subdomain(masked(name, prefix))
export const nameIsDnsLabel: ObjectNameRule = (name, prefix) => isDns1123Label(masked(name, prefix))
export const nameIsDns1035Label: ObjectNameRule = (name, prefix) =>
  isDns1035Label(masked(name, prefix))
export const nameIsPathSegment: ObjectNameRule = (name, prefix) =>
  prefix ? isPathSegmentPrefix(name) : isPathSegmentName(name)
