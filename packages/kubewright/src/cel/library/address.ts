/** IP addresses and prefixes as Go's net/netip reads and writes them. */
import { goQuote } from '../go-quote.ts'

/** An address: 4 or 16 bytes, and a zone that Kubernetes refuses. */
export interface Address {
  readonly bytes: readonly number[]
  readonly zone: string
}

/** Thrown inside; the parsing functions give its message back. */
class AddressError extends Error {}

/** The address, or netip's message: `ParseAddr("x"): unable to parse IP`. */
export function parseAddress(text: string): Address | { readonly error: string } {
  try {
    return read(text)
  } catch (error) {
    if (error instanceof AddressError) {
      return { error: `ParseAddr(${goQuote(text)}): ${error.message}` }
    }
    throw error
  }
}

function fail(message: string, at = ''): never {
  throw new AddressError(at === '' ? message : `${message} (at ${goQuote(at)})`)
}

function read(text: string): Address {
  switch (/[.:%]/.exec(text)?.[0]) {
    case '.':
      return { bytes: readV4(text), zone: '' }
    case ':':
      return readV6(text)
    case '%':
      return fail('missing IPv6 address')
    default:
      return fail('unable to parse IP')
  }
}

function readV4(text: string): readonly number[] {
  const bytes: number[] = []
  let digits = ''
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i)
    if (/\d/.test(character)) {
      if (digits === '0') fail('IPv4 field has octet with leading zero')
      digits += character
      if (Number(digits) > 255) fail('IPv4 field has value >255')
    } else if (character === '.') {
      if (i === 0 || i === text.length - 1 || text.charAt(i - 1) === '.') {
        fail('IPv4 field must have at least one digit', text.slice(i))
      }
      if (bytes.length === 3) fail('IPv4 address too long')
      bytes.push(Number(digits))
      digits = ''
    } else fail('unexpected character', text.slice(i))
  }
  if (bytes.length < 3) fail('IPv4 address too short')
  return [...bytes, Number(digits)]
}

function readV6(text: string): Address {
  const percent = text.indexOf('%')
  const zone = percent < 0 ? '' : text.slice(percent + 1)
  if (percent >= 0 && zone === '') fail('zone must be a non-empty string')
  const bytes = readGroups(percent < 0 ? text : text.slice(0, percent))
  return { bytes, zone }
}

function readGroups(text: string): readonly number[] {
  const bytes: number[] = []
  let ellipsis = text.startsWith('::') ? 0 : -1
  let rest = ellipsis === 0 ? text.slice(2) : text
  while (bytes.length < 16 && rest !== '') {
    const digits = readGroup(rest)
    if (rest.charAt(digits.length) === '.') {
      bytes.push(...readEmbedded(rest, bytes.length, ellipsis >= 0))
      rest = ''
      break
    }
    const group = Number.parseInt(digits, 16)
    bytes.push(group >> 8, group & 0xff)
    rest = rest.slice(digits.length)
    if (rest === '') break
    if (!rest.startsWith(':')) fail('unexpected character, want colon', rest)
    if (rest === ':') fail('colon must be followed by more characters', rest)
    rest = rest.slice(1)
    if (!rest.startsWith(':')) continue
    if (ellipsis >= 0) fail('multiple :: in address', rest)
    ellipsis = bytes.length
    rest = rest.slice(1)
  }
  if (rest !== '') fail('trailing garbage after address', rest)
  return expand(bytes, ellipsis)
}

function readGroup(rest: string): string {
  const digits = /^[0-9a-fA-F]*/.exec(rest)?.[0] ?? ''
  if (digits.length > 4) fail('each group must have 4 or less digits', rest)
  if (digits === '') fail('each colon-separated field must have at least one digit', rest)
  return digits
}

function readEmbedded(rest: string, count: number, hasEllipsis: boolean): readonly number[] {
  if (!hasEllipsis && count !== 12) {
    fail('embedded IPv4 address must replace the final 2 fields of the address', rest)
  }
  if (count + 4 > 16) {
    fail('too many hex fields to fit an embedded IPv4 at the end of the address', rest)
  }
  return readV4(rest)
}

function expand(bytes: readonly number[], ellipsis: number): readonly number[] {
  if (bytes.length === 16) {
    if (ellipsis >= 0) fail('the :: must expand to at least one field of zeros')
    return bytes
  }
  if (ellipsis < 0) fail('address string too short')
  const zeros = Array.from({ length: 16 - bytes.length }, () => 0)
  return [...bytes.slice(0, ellipsis), ...zeros, ...bytes.slice(ellipsis)]
}

/** Whether the address has four bytes. */
export function isV4({ bytes }: Address): boolean {
  return bytes.length === 4
}

/** Whether it is an IPv4 address written in IPv6, as ::ffff:1.2.3.4. */
export function isV4In6({ bytes }: Address): boolean {
  return (
    bytes.length === 16 &&
    bytes.slice(0, 10).every((b) => b === 0) &&
    bytes[10] === 255 &&
    bytes[11] === 255
  )
}

/** The canonical form (RFC 5952): the longest run of zero groups, the first of equals, as `::`. */
export function formatAddress(address: Address): string {
  const { bytes } = address
  if (isV4(address)) return bytes.join('.')
  if (isV4In6(address)) return `::ffff:${bytes.slice(12).join('.')}`
  const groups = Array.from(
    { length: 8 },
    (_, i) => ((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0),
  )
  const { start, length } = longestZeroRun(groups)
  const hex = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(':')
  if (length < 2) return hex(groups)
  return `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`
}

function longestZeroRun(groups: readonly number[]): {
  readonly start: number
  readonly length: number
} {
  let best = { start: 0, length: 0 }
  for (let start = 0; start < groups.length; start++) {
    let length = 0
    while (groups[start + length] === 0) length++
    if (length > best.length) best = { start, length }
  }
  return best
}

/** An address and how many of its leading bits count. */
export interface Prefix {
  readonly address: Address
  readonly bits: number
}

/** The prefix, or netip's message: `netip.ParsePrefix("x"): no '/'`. */
export function parsePrefix(text: string): Prefix | { readonly error: string } {
  const wrong = (message: string): { readonly error: string } => ({
    error: `netip.ParsePrefix(${goQuote(text)}): ${message}`,
  })
  const slash = text.lastIndexOf('/')
  if (slash < 0) return wrong("no '/'")
  const address = parseAddress(text.slice(0, slash))
  if ('error' in address) return wrong(address.error)
  if (address.zone !== '') return wrong('IPv6 zones cannot be present in a prefix')
  const digits = text.slice(slash + 1)
  if (!/^(?:\d|[1-9]\d+)$/.test(digits)) {
    return wrong(`bad bits after slash: ${goQuote(digits)}`)
  }
  const bits = Number(digits)
  if (bits > address.bytes.length * 8) return wrong('prefix length out of range')
  return { address, bits }
}

/** The address with all bits after the prefix cleared. */
export function masked({ address, bits }: Prefix): Address {
  const bytes = address.bytes.map((byte, i) => {
    const kept = Math.min(8, Math.max(0, bits - 8 * i))
    return byte & (0xff00 >> kept) & 0xff
  })
  return { bytes, zone: '' }
}

/** Whether the prefix holds the address. An IPv4 prefix holds no IPv6 address. */
export function holds(prefix: Prefix, address: Address): boolean {
  if (prefix.address.bytes.length !== address.bytes.length) return false
  return sameAddress(masked(prefix), masked({ address, bits: prefix.bits }))
}

/** Whether two addresses are the same. */
export function sameAddress(a: Address, b: Address): boolean {
  return a.bytes.length === b.bytes.length && a.bytes.every((byte, i) => byte === b.bytes[i])
}
