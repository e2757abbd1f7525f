import { exactInteger } from 'kubewright/base'
import type { ScalarTag } from 'yaml'

/** How a scalar is read by its text; `undefined` where it is none of its kind. */
type Read = (text: string) => unknown

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...spellings('true', 'yes', 'on', 'y').map((it): [string, boolean] => [it, true]),
  ...spellings('false', 'no', 'off', 'n').map((it): [string, boolean] => [it, false]),
])

/** Lower case, capitalized, and upper case: no other mixture counts. */
function spellings(...words: readonly string[]): readonly string[] {
  return words.flatMap((it) => [it, it[0]!.toUpperCase() + it.slice(1), it.toUpperCase()])
}

const PREFIXED = /^([-+]?)(0[bB][01]+|0[oO]?[0-7]+|0[xX][0-9A-Fa-f]+)$/
const DECIMAL = /^[-+]?[1-9]\d*$|^[-+]?0$/
const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/
const SPECIAL: Readonly<Record<string, number>> = {
  '.inf': Infinity,
  '+.inf': Infinity,
  '-.inf': -Infinity,
  '.nan': NaN,
}

/** Whether a text begins as one in which underscores are passed over: with a digit or a sign. */
const BEGINS_NUMBER = /^[-+\d]/

/** An integer as strconv.ParseInt reads it with base 0: 0x, 0b, 0o, and a leading zero for octal; underscores are passed over. */
function integer(text: string): number | bigint | undefined {
  if (!BEGINS_NUMBER.test(text)) return undefined
  const plain = text.replaceAll('_', '')
  if (DECIMAL.test(plain)) return exactInteger(plain.replace('+', ''))
  const [, sign = '', digits] = PREFIXED.exec(plain) ?? []
  if (digits === undefined) return undefined
  const value = BigInt(/^0\d/.test(digits) ? `0o${digits.slice(1)}` : digits.toLowerCase())
  return exactInteger(String(sign === '-' ? -value : value))
}

/** An underscore that is not between digits, as strconv.ParseFloat wants it where a text begins with a dot. */
const LONE_UNDERSCORE = /^_|\D_|_\D|_$/

function float(text: string): number | undefined {
  const special = SPECIAL[text.replace(/inf|nan/i, (it) => it.toLowerCase())]
  if (special !== undefined && /^[-+]?\.(?:inf|Inf|INF|nan|NaN|NAN)$/.test(text)) return special
  if (!BEGINS_NUMBER.test(text) && LONE_UNDERSCORE.test(text)) return undefined
  const plain = text.replaceAll('_', '')
  if (!FLOAT.test(plain)) return undefined
  const value = Number(plain)
  return Number.isFinite(value) ? value : undefined
}

/** A number of any kind: an integer where it can be one. */
const number: Read = (text) => integer(text) ?? float(text)

const NULL = /^(?:~|null|Null|NULL)?$/

function tag(name: string, read: Read, test: (text: string) => boolean): ScalarTag {
  return {
    tag: `tag:yaml.org,2002:${name}`,
    default: true,
    test: { test } as unknown as RegExp,
    resolve: (text) => read(text) ?? text,
  }
}

/** Base64 as Go's standard encoding reads it: in whole groups of four. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** What is said of a value that is none, as Go says it. */
export const BAD_BINARY = '!!binary value contains invalid base64 data'

/** The scalars of Go's YAML (go.yaml.in/yaml/v2 resolve.go), which are those of YAML 1.1 but for times of day and dates. */
export const GO_SCALARS: readonly ScalarTag[] = [
  {
    ...tag(
      'null',
      () => null,
      (text) => NULL.test(text),
    ),
    resolve: () => null,
  },
  tag(
    'bool',
    (text) => BOOLEANS.get(text),
    (text) => BOOLEANS.has(text),
  ),
  tag('int', number, (text) => integer(text) !== undefined),
  tag('float', number, (text) => float(text) !== undefined),
  {
    tag: 'tag:yaml.org,2002:binary',
    resolve: (text, onError) => {
      const plain = text.replace(/[\r\n]/g, '')
      if (!BASE64.test(plain)) onError(BAD_BINARY)
      return Buffer.from(plain, 'base64').toString('utf8')
    },
  },
]
