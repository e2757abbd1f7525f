import { isIPv4, isIPv6 } from 'node:net'
import { bigOfIPv6, canonicalIPv6, familyOf, ipOfNumber, numberOfIp } from './ip.ts'

/** A family of addresses. */
export type IpFamily = 'IPv4' | 'IPv6'

/** A range of addresses of either family: its first one as a number, and how many there are. */
export interface AddressRange {
  readonly family: IpFamily
  readonly first: bigint
  readonly size: bigint
  /** As it is written. */
  readonly cidr: string
}

/** Reads `10.0.0.0/16` or `fd00::/112`; undefined for what is no range. */
export function addressRange(cidr: string): AddressRange | undefined {
  const [ip = '', bits = ''] = cidr.split('/')
  const family = familyOf(ip)
  const length = family === 'IPv4' ? 32 : 128
  if (family === undefined || !/^[0-9]{1,3}$/.test(bits) || Number(bits) > length) return undefined
  const size = 1n << BigInt(length - Number(bits))
  const value = numberOf(ip)!
  return { family, first: value - (value % size), size, cidr }
}

/** An address as a number; undefined for what is none. */
function numberOf(ip: string): bigint | undefined {
  if (isIPv4(ip)) return BigInt(numberOfIp(ip))
  return isIPv6(ip) ? bigOfIPv6(ip) : undefined
}

/** Where in a range an address is, from 0; undefined where it is not in it. */
export function offsetIn({ family, first, size }: AddressRange, ip: string): bigint | undefined {
  if (familyOf(ip) !== family) return undefined
  const offset = numberOf(ip)! - first
  return offset >= 0n && offset < size ? offset : undefined
}

/** The address at an offset of a range, in its usual form. */
export function addressAt({ family, first }: AddressRange, offset: bigint): string {
  const value = first + offset
  if (family === 'IPv4') return ipOfNumber(Number(value))
  const digits = value.toString(16).padStart(32, '0')
  return canonicalIPv6(digits.match(/.{4}/g)!.join(':'))
}

/**
 * The offsets that are given out, `from` inclusive and `to` exclusive: the first address stands for the range itself, and the last one of
 * IPv4 for everybody in it.
 */
export const usableOf = ({
  family,
  size,
}: AddressRange): { readonly from: bigint; readonly to: bigint } => ({
  from: 1n,
  to: family === 'IPv4' ? size - 1n : size,
})
