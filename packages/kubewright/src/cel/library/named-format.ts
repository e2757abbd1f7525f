/** Kubernetes' named formats: `format.dns1123Label().validate(name)` (pkg/cel/library/format.go). */
import type { ObjectType } from '../cel-type.ts'
import { abstractType } from '../cel-type.ts'
import type { Library } from '../declaration.ts'
import { fn, signatures } from '../declaration.ts'
import { parseDate, parseTimestamp } from '../time.ts'
import { utf8Length } from '../utf8.ts'
import type { OpaqueValue, Value } from '../value.ts'
import { ArrayList, NONE, OptionalValue, Timestamp } from '../value.ts'
import { parseRequestUri } from './go-url.ts'

/** The type of formats. */
export const FORMAT_TYPE: ObjectType = abstractType('kubernetes.NamedFormat')

/** What is wrong with a text; nothing if it has the format. */
type Check = (text: string) => readonly string[]

class FormatValue implements OpaqueValue {
  readonly tag = 'opaque'
  readonly type = FORMAT_TYPE
  readonly name: string
  readonly check: Check
  /** The length of the pattern that the cost assumes. */
  readonly patternSize: number

  constructor(name: string, check: Check, patternSize: number) {
    this.name = name
    this.check = check
    this.patternSize = patternSize
  }

  equals(other: Value): boolean {
    return other instanceof FormatValue && other.name === this.name
  }

  toString(): string {
    return this.name
  }
}

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const SUBDOMAIN = String.raw`${LABEL}(\.${LABEL})*`
const LABEL_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?'
const NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const LABEL_VALUE = `(${NAME})?`
const UUID = '(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$'
const DATE_TIME_PATTERN_SIZE = 71

const matches = (text: string, pattern: string): boolean => new RegExp(`^${pattern}$`).test(text)

function tooLong(text: string, limit: number, unit = 'characters'): readonly string[] {
  return utf8Length(text) > limit ? [`must be no more than ${limit} ${unit}`] : []
}

function unmatched(message: string, pattern: string, ...examples: readonly string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(' or ')
  return `${message} (e.g. ${shown}regex used for validation is '${pattern}')`
}

const isLabel: Check = (text) => {
  const problems = tooLong(text, 63)
  if (matches(text, LABEL)) return problems
  if (matches(text, SUBDOMAIN)) return [...problems, 'must not contain dots']
  const message =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character"
  return [...problems, unmatched(message, LABEL, 'my-name', '123-abc')]
}

const isSubdomain: Check = (text) => {
  const problems = tooLong(text, 253)
  if (matches(text, SUBDOMAIN)) return problems
  const message =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character"
  return [...problems, unmatched(message, SUBDOMAIN, 'example.com')]
}

const isLabel1035: Check = (text) => {
  const problems = tooLong(text, 63)
  if (matches(text, LABEL_1035)) return problems
  const message =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character"
  return [...problems, unmatched(message, LABEL_1035, 'my-name', 'abc-123')]
}

const NAME_MESSAGE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"

const isQualifiedName: Check = (text) => {
  const parts = text.split('/')
  const wrongName = unmatched(NAME_MESSAGE, NAME, 'MyName', 'my.name', '123-abc')
  if (parts.length > 2) {
    return [
      `a valid label key ${wrongName} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]
  }
  const name = parts.at(-1) ?? ''
  const problems: string[] = []
  if (parts.length === 2) {
    const prefix = parts[0] ?? ''
    const prefixProblems = prefix === '' ? ['must be non-empty'] : isSubdomain(prefix)
    problems.push(...prefixProblems.map((problem) => `prefix part ${problem}`))
  }
  if (name === '') problems.push('name part must be non-empty')
  else problems.push(...tooLong(name, 63, 'bytes').map((problem) => `name part ${problem}`))
  if (!matches(name, NAME)) problems.push(`name part ${wrongName}`)
  return problems
}

const isLabelValue: Check = (text) => {
  const problems = tooLong(text, 63, 'bytes')
  if (matches(text, LABEL_VALUE)) return problems
  const message =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
  return [...problems, unmatched(message, LABEL_VALUE, 'MyValue', 'my_value', '12345')]
}

/** Of a name that will get a suffix: a dash at its end is then no mistake. */
const asPrefix =
  (check: Check): Check =>
  (text) =>
    check(text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text)

const either =
  (test: (text: string) => boolean, problem: string): Check =>
  (text) =>
    test(text) ? [] : [problem]

const isUri: Check = (text) => {
  const url = parseRequestUri(text)
  return 'error' in url ? [url.error] : []
}

const isUuid = (text: string): boolean => new RegExp(UUID.replace('(?i)', ''), 'i').test(text)
const isBase64 = (text: string): boolean =>
  text !== '' && /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)
const isDateTime = (text: string): boolean => parseTimestamp(text) instanceof Timestamp

const FORMATS: ReadonlyMap<string, FormatValue> = new Map(
  (
    [
      ['dns1123Label', 'DNS1123Label', isLabel, 30],
      ['dns1123Subdomain', 'DNS1123Subdomain', isSubdomain, 60],
      ['dns1035Label', 'DNS1035Label', isLabel1035, 30],
      ['qualifiedName', 'QualifiedName', isQualifiedName, 60],
      ['dns1123LabelPrefix', 'DNS1123LabelPrefix', asPrefix(isLabel), 30],
      ['dns1123SubdomainPrefix', 'DNS1123SubdomainPrefix', asPrefix(isSubdomain), 60],
      ['dns1035LabelPrefix', 'DNS1035LabelPrefix', asPrefix(isLabel1035), 30],
      ['labelValue', 'LabelValue', isLabelValue, 40],
      ['uri', 'URI', isUri, 1103],
      ['uuid', 'uuid', either(isUuid, 'does not match the UUID format'), UUID.length],
      ['byte', 'byte', either(isBase64, 'invalid base64'), 84],
      [
        'date',
        'date',
        either((text) => parseDate(text) !== undefined, 'invalid date'),
        DATE_TIME_PATTERN_SIZE,
      ],
      ['datetime', 'datetime', either(isDateTime, 'invalid datetime'), DATE_TIME_PATTERN_SIZE],
    ] as const
  ).map(([key, name, check, size]) => [key, new FormatValue(name, check, size)]),
)

const overload = signatures({ Format: FORMAT_TYPE })

function validate(format: FormatValue, text: string): Value {
  const problems = format.check(text)
  return problems.length === 0 ? NONE : new OptionalValue(new ArrayList(problems))
}

function named(name: string): Value {
  const format = FORMATS.get(name)
  return format === undefined ? NONE : new OptionalValue(format)
}

/** See the file. */
export const FORMAT: Library = {
  name: 'kubernetes.format',
  functions: [
    fn(
      'validate',
      overload('format-validate', 'Format.(string): optional<list<string>>', validate),
    ),
    fn('format.named', overload('format-named', '(string): optional<Format>', named)),
    ...Array.from(FORMATS, ([key, format]) =>
      fn(
        `format.${key}`,
        overload(`format.${key}`, '(): Format', () => format),
      ),
    ),
  ],
}
