import { isIP } from 'node:net'
import { parseDuration } from 'kubewright/cel'
import { FlagError } from './flag-error.ts'
import { FLAGS, type FlagSpec, type FlagType } from './flag-table.ts'

/** Flags with their values, by name, as they were written. */
export type Flags = ReadonlyMap<string, readonly string[]>

/** Reads the values of flags by what they are; where nobody gave one, its default. Durations are in milliseconds. */
export interface FlagValues {
  readonly isSet: (name: string) => boolean
  readonly text: (name: string) => string
  readonly number: (name: string) => number
  readonly bool: (name: string) => boolean
  readonly milliseconds: (name: string) => number
  readonly list: (name: string) => readonly string[]
  readonly map: (name: string) => ReadonlyMap<string, string>
}

type Check = (text: string) => string | undefined

const integer: Check = (text) => {
  const problem = !/^[+-]?(\d[\d_]*|0[xX][\da-fA-F]+)$/.test(text)
    ? 'invalid syntax'
    : Math.abs(Number(text)) >= 2 ** 63
      ? 'value out of range'
      : undefined
  return problem && `strconv.ParseInt: parsing ${JSON.stringify(text)}: ${problem}`
}

const decimal: Check = (text) =>
  text !== '' && Number.isFinite(Number(text))
    ? undefined
    : `strconv.ParseFloat: parsing ${JSON.stringify(text)}: invalid syntax`

const BOOLS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((it) => [it, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((it) => [it, false] as const),
])

const boolean: Check = (text) =>
  BOOLS.has(text) ? undefined : `strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`

const UNITS: ReadonlySet<string> = new Set(['ns', 'us', 'µs', 'μs', 'ms', 's', 'm', 'h'])

/** What is wrong with a Go duration (time.ParseDuration): its first part that has no unit, or one that nobody knows. */
const duration: Check = (text) => {
  if (parseDuration(text) !== undefined) return undefined
  const quoted = JSON.stringify(text)
  const parts = [...text.replace(/^[+-]/, '').matchAll(/(\d+\.?\d*|\.\d+)([^\d.]*)/gy)]
  const odd = parts.find(([, , unit = '']) => !UNITS.has(unit))
  if (!odd) return `time: invalid duration ${quoted}`
  return odd[2] === ''
    ? `time: missing unit in duration ${quoted}`
    : `time: unknown unit ${JSON.stringify(odd[2])} in duration ${quoted}`
}

const address: Check = (text) =>
  text === '' || isIP(text) > 0 ? undefined : `failed to parse IP: ${JSON.stringify(text)}`

const fine: Check = () => undefined

const pairs: Check = (text) =>
  text.split(',').every((it) => it === '' || it.includes('='))
    ? undefined
    : `malformed pair, expect string=string`

const CHECKS: Readonly<Record<FlagType, Check>> = {
  bool: boolean,
  int: integer,
  float: decimal,
  string: fine,
  strings: fine,
  stringArray: fine,
  duration,
  ip: address,
  map: pairs,
  other: fine,
}

/** Checks of flags whose syntax is their own. */
const OWN: Readonly<Record<string, Check>> = {
  v: (text) =>
    /^\d+$/.test(text)
      ? undefined
      : `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
  vmodule: (text) =>
    text.split(',').every((it) => it === '' || /^[^=]+=\d+$/.test(it))
      ? undefined
      : `${JSON.stringify(text)} does not have the pattern=N format`,
  'allow-metric-labels': (text) =>
    text === '' || text.includes('=') ? undefined : `${text} must be formatted as key=value`,
  'tls-sni-cert-key': (text) =>
    text.includes(',') ? undefined : 'expected comma separated certificate and key file paths',
  // A malformed pair of these is told when all flags are read.
  'runtime-config': fine,
  'feature-gates': fine,
}

/** Makes a reader of flags. Throws a {@link FlagError} for a name that nobody knows, or a value that is none of its type. */
export function flagValues(flags: Flags): FlagValues {
  for (const [name, values] of flags) checkFlag(name, values)
  const spec = (name: string): FlagSpec => FLAGS.get(name)!
  const text = (name: string): string => flags.get(name)?.at(-1) ?? spec(name).default
  const list = (name: string): readonly string[] => {
    const values = flags.get(name) ?? [spec(name).default]
    const isArray = spec(name).type === 'stringArray'
    return (isArray ? values : values.flatMap((it) => it.split(','))).filter((it) => it !== '')
  }
  return {
    isSet: (name) => flags.has(name),
    text,
    list,
    number: (name) => Number(text(name)),
    bool: (name) => BOOLS.get(text(name)) ?? false,
    milliseconds: (name) => Number((parseDuration(text(name)) ?? 0n) / 1_000n) / 1_000,
    map: (name) => new Map(list(name).map(pairOf)),
  }
}

function checkFlag(name: string, values: readonly string[]): void {
  const spec = FLAGS.get(name)
  if (!spec) throw new FlagError('usage', `unknown flag: --${name}`)
  const check = OWN[name] ?? CHECKS[spec.type]
  for (const value of values) {
    const problem = check(value)
    if (problem === undefined) continue
    const shown = name === 'v' ? '-v, --v' : `--${name}`
    const told = `invalid argument ${JSON.stringify(value)} for "${shown}" flag: ${problem}`
    throw new FlagError('usage', told)
  }
}

function pairOf(text: string): readonly [string, string] {
  const at = text.indexOf('=')
  return at < 0 ? [text.trim(), ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()]
}
