/** `'%s is %d'.format([a, b])` (cel-go's ext/formatting.go, the version before 4 that Kubernetes uses). */
import { goQuote } from '../go-quote.ts'
import { toDouble, toStringValue } from '../convert.ts'
import type { Clause } from '../format-clauses.ts'
import { VERB_ERRORS, parseFormat } from '../format-clauses.ts'
import { typeNameOf } from '../runtime-type.ts'
import { encodeUtf8 } from '../utf8.ts'
import type { ListValue, MapValue, Value } from '../value.ts'
import {
  Duration,
  EvalError,
  Timestamp,
  TypeValue,
  Uint,
  isError,
  isList,
  isMap,
  listItems,
} from '../value.ts'

const DEFAULT_PRECISION = 6

/** The formatted text, or what is wrong with the format or its arguments. */
export function formatString(format: string, args: ListValue): Value {
  const { parts, error } = parseFormat(format)
  let text = ''
  let index = 0
  for (const part of parts) {
    if (typeof part === 'string') {
      text += part
      continue
    }
    if (index >= args.size) return new EvalError(`index ${index} out of range`)
    if (part.verb === '') break
    const piece = formatClause(args.at(index++), part)
    if (isError(piece)) return new EvalError(`error during formatting: ${piece.message}`)
    text += piece
  }
  return error === undefined ? text : new EvalError(error)
}

function refuse(verb: string, value: Value): EvalError {
  return new EvalError(`${VERB_ERRORS[verb]}${typeNameOf(value)}`)
}

function formatClause(value: Value, { verb, precision }: Clause): string | EvalError {
  if (isError(value)) return value
  switch (verb) {
    case 's':
      return plain(value)
    case 'd':
      return integerOf(value)?.toString() ?? refuse(verb, value)
    case 'f':
    case 'e':
      return floating(value, verb, precision ?? DEFAULT_PRECISION)
    case 'b':
      if (typeof value === 'boolean') return value ? '1' : '0'
      return integerOf(value)?.toString(2) ?? refuse(verb, value)
    case 'o':
      return integerOf(value)?.toString(8) ?? refuse(verb, value)
    default:
      return hexadecimal(value, verb)
  }
}

function integerOf(value: Value): bigint | undefined {
  if (typeof value === 'bigint') return value
  return value instanceof Uint ? value.value : undefined
}

function hexadecimal(value: Value, verb: string): string | EvalError {
  const text = hexOf(value)
  if (text === undefined) return refuse(verb, value)
  return verb === 'X' ? text.toUpperCase() : text
}

function hexOf(value: Value): string | undefined {
  const bytes = typeof value === 'string' ? encodeUtf8(value) : value
  if (!(bytes instanceof Uint8Array)) return integerOf(value)?.toString(16)
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function floating(value: Value, verb: string, precision: number): string | EvalError {
  const isSpecial = value === 'NaN' || value === 'Infinity' || value === '-Infinity'
  if (typeof value !== 'number' && !isSpecial) return refuse(verb, value)
  const number = toDouble(value)
  if (typeof number !== 'number') return number as EvalError
  if (Number.isFinite(number)) {
    // x/text takes the precision of %e for a width, and always prints six decimals.
    return verb === 'f'
      ? fixedPoint(number, precision)
      : scientific(number, DEFAULT_PRECISION).padStart(precision)
  }
  const text = Number.isNaN(number) ? 'NaN' : number > 0 ? '∞' : '-∞'
  return verb === 'e' ? text.padStart(precision) : text
}

/** As x/text prints for en-US: with a comma between thousands. */
function fixedPoint(value: number, precision: number): string {
  const [whole = '', fraction] = exactFixed(value, precision).split('.')
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹'

/** As x/text prints for en-US: `1.052033×10⁰³`. */
function scientific(value: number, precision: number): string {
  const [digits = '', exponent = '0'] = exactExponential(value, precision).split('e')
  const raised = Array.from(
    exponent.replace(/[+-]/, '').padStart(2, '0'),
    (digit) => SUPERSCRIPTS[Number(digit)],
  )
  return `${digits}×10${exponent.startsWith('-') ? '⁻' : ''}${raised.join('')}`
}

const MAX_DIGITS = 100
/** More decimals than a double needs to show that it lies beside a tie. */
const TIE_DIGITS = 25

/** Digits without an exponent; exact ties go to the even digit, as in Go. */
function exactFixed(value: number, precision: number): string {
  if (Math.abs(value) >= 1e21 || precision > MAX_DIGITS - TIE_DIGITS)
    return largeFixed(value, precision)
  return evenOnTie(value.toFixed(precision), value.toFixed(precision + TIE_DIGITS), precision)
}

function largeFixed(value: number, precision: number): string {
  const whole =
    Math.abs(value) < 1e21
      ? value.toFixed(Math.min(precision, MAX_DIGITS))
      : BigInt(value).toString()
  return precision === 0 || whole.includes('.') ? whole : `${whole}.${'0'.repeat(precision)}`
}

function exactExponential(value: number, precision: number): string {
  if (precision > MAX_DIGITS - TIE_DIGITS)
    return value.toExponential(Math.min(precision, MAX_DIGITS))
  const [digits = '', exponent = ''] = value.toExponential(precision).split('e')
  const [exact = '', exactExponent] = value.toExponential(precision + TIE_DIGITS).split('e')
  const even = exponent === exactExponent ? evenOnTie(digits, exact, precision) : digits
  return `${even}e${exponent}`
}

/** JavaScript rounds ties up in size; where the digits left out are exactly a half and the last one is odd, step back. */
function evenOnTie(rounded: string, exact: string, precision: number): string {
  const rest = exact.slice(exact.indexOf('.') + 1 + precision)
  if (!/^50*$/.test(rest) || !/[13579]$/.test(rounded)) return rounded
  return rounded.slice(0, -1) + String(Number(rounded.slice(-1)) - 1)
}

/** `%s`: text as it is, and for lists and maps what is inside as CEL would write it. */
function plain(value: Value): string | EvalError {
  if (isList(value)) return listText(value)
  if (isMap(value) && value.objectType === undefined) return mapText(value)
  if (value === null) return 'null'
  const isKnown =
    typeof value !== 'object' ||
    value instanceof Uint ||
    value instanceof Timestamp ||
    value instanceof Duration ||
    value instanceof Uint8Array ||
    value instanceof TypeValue
  return isKnown ? (toStringValue(value) as string | EvalError) : refuse('s', value)
}

function listText(list: ListValue): string | EvalError {
  const texts = listItems(list).map(inside)
  const failed = texts.find((text) => text instanceof EvalError)
  return failed ?? `[${texts.join(', ')}]`
}

function mapText(map: MapValue): string | EvalError {
  const pairs: (readonly [string, string])[] = []
  for (const key of map.keys()) {
    const isKey =
      typeof key !== 'number' && key !== null && (typeof key !== 'object' || key instanceof Uint)
    if (!isKey)
      return new EvalError(`no formatting function for map key of type ${typeNameOf(key)}`)
    const name = inside(key)
    const text = inside(map.find(key) ?? null)
    if (name instanceof EvalError) return name
    if (text instanceof EvalError) return text
    pairs.push([name, text])
  }
  pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return `{${pairs.map(([key, text]) => `${key}:${text}`).join(', ')}}`
}

function inside(value: Value): string | EvalError {
  if (isError(value)) return value
  if (typeof value === 'string') return goQuote(value)
  if (typeof value === 'number') return doubleInside(value)
  if (value instanceof Timestamp) return `timestamp(${goQuote(toStringValue(value) as string)})`
  if (value instanceof Duration) return `duration(${goQuote(toStringValue(value) as string)})`
  const text = plain(value)
  if (text instanceof EvalError)
    return new EvalError(`no formatting function for ${typeNameOf(value)}`)
  return value instanceof Uint8Array ? `b${goQuote(text)}` : text
}

function doubleInside(value: number): string {
  if (Number.isNaN(value)) return '"NaN"'
  if (!Number.isFinite(value)) return value > 0 ? '"+Inf"' : '"-Inf"'
  const text = exactFixed(value, DEFAULT_PRECISION)
  return Object.is(value, -0) ? `-${text}` : text
}
