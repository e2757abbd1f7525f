import { isIPv4, isIPv6 } from 'node:net'

/** The family of an address, or undefined for what is none. */
export function familyOf(ip: string): 'IPv4' | 'IPv6' | undefined {
  if (isIPv4(ip)) return 'IPv4'
  return isIPv6(ip) ? 'IPv6' : undefined
}

/** An IPv4 address as a number. */
export const numberOfIp = (ip: string): number =>
  ip.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)

/** The IPv4 address of a number. */
export const ipOfNumber = (value: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.')

/** An IPv4 range: its first address and how many there are. */
export interface IpRange {
  readonly first: number
  readonly size: number
  readonly text: string
}

/** Reads `10.0.0.0/16`; undefined for what is no IPv4 range. */
export function ipRange(cidr: string): IpRange | undefined {
  const [ip = '', bits = ''] = cidr.split('/')
  if (!isIPv4(ip) || !/^[0-9]{1,2}$/.test(bits) || Number(bits) > 32) return undefined
  const size = 2 ** (32 - Number(bits))
  const first = Math.floor(numberOfIp(ip) / size) * size
  return { first, size, text: `${ipOfNumber(first)}/${bits}` }
}

/** Whether an IPv4 address lies in a range. */
export const inRange = (range: IpRange, ip: string): boolean => {
  const value = numberOfIp(ip)
  return value >= range.first && value < range.first + range.size
}

/** An IPv6 address in its usual form (RFC 5952). */
export function canonicalIPv6(ip: string): string {
  const { hostname } = new URL(`http://[${ip}]`)
  const text = hostname.slice(1, -1)
  const mapped = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(text)
  if (!mapped) return text
  const [high, low] = [mapped[1]!, mapped[2]!].map((it) => Number.parseInt(it, 16))
  return `::ffff:${ipOfNumber(high! * 65536 + low!)}`
}

/** Whether an address has bits beyond a prefix of so many bits. */
export function hasBitsBeyond(ip: string, bits: number): boolean {
  const [value, length] = isIPv4(ip) ? [BigInt(numberOfIp(ip)), 32] : [bigOfIPv6(ip), 128]
  return (value & ((1n << BigInt(length - bits)) - 1n)) !== 0n
}

/** An IPv6 address as a number. */
export function bigOfIPv6(ip: string): bigint {
  const [head = '', tail] = new URL(`http://[${ip}]`).hostname.slice(1, -1).split('::')
  const parts = (text: string | undefined): readonly string[] => (text ? text.split(':') : [])
  const [first, last] = [parts(head), parts(tail)]
  const gap = Array.from({ length: 8 - first.length - last.length }, () => '0')
  return [...first, ...gap, ...last].reduce((sum, it) => (sum << 16n) | BigInt(`0x${it}`), 0n)
}
