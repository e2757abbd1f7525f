import { isCidr, isIpv4, isIpv6, isMac } from './format-addresses.ts'
import { isEmail, isRequestUri } from './format-uris.ts'

/**
 * The formats that the server checks on strings, by their names without dashes (kube-openapi/pkg/validation/strfmt; the list of
 * apiextensions-apiserver/pkg/apiserver/validation/formats.go). Each tells whether a string is of the format.
 */
const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  bsonobjectid: (it) => /^[0-9a-fA-F]{24}$/.test(it),
  uri: isRequestUri,
  email: isEmail,
  hostname: isHostname,
  ipv4: isIpv4,
  ipv6: isIpv6,
  cidr: isCidr,
  mac: isMac,
  uuid: (it) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(it),
  uuid3: (it) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(it),
  uuid4: (it) =>
    /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(it),
  uuid5: (it) =>
    /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(it),
  isbn: (it) => isIsbn10(it) || isIsbn13(it),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: (it) => it.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(it),
  hexcolor: (it) => /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(it),
  rgbcolor: isRgbColor,
  byte: isBase64,
  password: () => true,
  date: isDate,
  datetime: isDateTime,
  duration: isDuration,
  k8sshortname: (it) => it.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(it),
  k8slongname: (it) =>
    it.length <= 253 &&
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(it),
}

const NUMERIC: Readonly<Record<string, readonly string[]>> = {
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
}

const plain = (format: string): string => format.replaceAll('-', '')

/** The format if the server checks it on values of these types, else the empty string: unknown formats are ignored. */
export function supportedFormat(types: readonly string[], format: string): string {
  if (format === '') return ''
  const type = types.length === 1 ? (types[0] as string) : ''
  if (type === '' || type === 'string') return Object.hasOwn(FORMATS, plain(format)) ? format : ''
  return NUMERIC[type]?.includes(format) ? format : ''
}

/** Whether the format is known and the string is of it; undefined for a format that says nothing about strings. */
export function hasFormat(text: string, format: string): boolean | undefined {
  const name = plain(format)
  return Object.hasOwn(FORMATS, name) ? FORMATS[name]?.(text) : undefined
}

const LONE_LABEL = /^[a-zA-Z0-9\p{S}\p{L}](-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?$/u
const LABEL = /^[a-zA-Z0-9\p{S}\p{L}]([a-zA-Z0-9\p{S}\p{L}-]{0,61}[a-zA-Z0-9\p{S}\p{L}])?$/u
const TOP_LABEL = /^[a-zA-Z\p{L}]{2,63}$/u

/** One label, or several of which the last is of letters alone, at most 255 bytes. */
function isHostname(text: string): boolean {
  const bytes = (it: string): number => Buffer.byteLength(it)
  const labels = text.split('.')
  if (bytes(text) > 255 || labels.some((it) => bytes(it) > 63)) return false
  if (labels.length === 1) return LONE_LABEL.test(text)
  return labels.slice(0, -1).every((it) => LABEL.test(it)) && TOP_LABEL.test(labels.at(-1) ?? '')
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '')
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false
  const value = (i: number): number => (digits[i] === 'X' ? 10 : Number(digits[i]))
  let sum = 0
  for (let i = 0; i < 10; i++) sum += (i + 1) * value(i)
  return sum % 11 === 0
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '')
  if (!/^[0-9]{13}$/.test(digits)) return false
  let sum = 0
  for (let i = 0; i < 12; i++) sum += (i % 2 === 0 ? 1 : 3) * Number(digits[i])
  return Number(digits[12]) === (10 - (sum % 10)) % 10
}

const CARD =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/

/** The Luhn sum over a number of one of the known issuers. */
function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, '')
  if (!CARD.test(digits)) return false
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i])
    const doubled = digit * 2
    sum += i % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

function isRgbColor(text: string): boolean {
  const channel = '(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])'
  return new RegExp(`^rgb\\(\\s*${channel}\\s*,\\s*${channel}\\s*,\\s*${channel}\\s*\\)$`).test(
    text,
  )
}

/** Base64 of the standard alphabet with its padding; the empty string is none. */
function isBase64(text: string): boolean {
  return text.length > 0 && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text)
}

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)?.map(Number) ?? []
  if (year === undefined || month === undefined || day === undefined) return false
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const days = month === 2 && leap ? 29 : (MONTH_DAYS[month - 1] ?? 0)
  return day >= 1 && day <= days
}

/** RFC 3339 as strfmt reads it: any character may stand before the fraction, and a leap second is none. */
function isDateTime(text: string): boolean {
  const [date = '', time] = text.toLowerCase().split('t')
  if (time === undefined || !isDate(date)) return false
  const match = /^(\d{2}):(\d{2}):(\d{2})(.[0-9]+)?(z|([+-]\d{2}:\d{2}))$/.exec(time)
  if (!match) return false
  const [, hours = '', minutes = '', seconds = ''] = match
  return hours <= '23' && minutes <= '59' && seconds <= '59'
}

const GO_DURATION = /^[-+]?(0|((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/

/** Units of Scala's durations: whole words, or anything that begins with the last one of a row. */
const UNITS: readonly (readonly string[])[] = [
  ['ns', 'nano'],
  ['us', 'µs', 'micro'],
  ['ms', 'milli'],
  ['s', 'sec'],
  ['m', 'min'],
  ['h', 'hr', 'hour'],
  ['d', 'day'],
  ['w', 'wk', 'week'],
]

function isDuration(text: string): boolean {
  if (GO_DURATION.test(text)) return true
  const units = [...text.matchAll(/(?<!\d)\d+\s*([A-Za-zµ]+)/g)].map((it) =>
    (it[1] as string).toLowerCase(),
  )
  return units.some((unit) =>
    UNITS.some((names) => names.includes(unit) || unit.startsWith(names.at(-1) as string)),
  )
}
