import { isIPv4, isIPv6 } from 'node:net'
import { invalidValue } from 'kubewright/machinery'
import type { Errors } from '../generic/checks.ts'
import { canonicalIPv6, hasBitsBeyond } from './ip.ts'

const NOT_IP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'
const NOT_CIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'

/** An address of either family, in any form that everyone reads the same way (IsValidIPForLegacyField). */
export function checkIp(errors: Errors, field: string, ip: string): void {
  const problem = ipProblem(ip)
  if (problem !== undefined) errors.push(invalidValue(field, ip, problem))
}

function ipProblem(ip: string): string | undefined {
  if (!isIp(ip)) return NOT_IP
  if (isIPv6(ip)) return isMapped(ip) ? MAPPED : undefined
  return isIPv4(ip) ? undefined : 'must not have leading 0s'
}

const isIp = (text: string): boolean =>
  isIPv6(text) || isIPv4(text.split('.').map(withoutZeros).join('.'))

const withoutZeros = (octet: string): string => octet.replace(/^0+(?=[0-9])/, '')

const MAPPED = 'must not be an IPv4-mapped IPv6 address'
const isMapped = (ip: string): boolean => canonicalIPv6(ip).startsWith('::ffff:')

/** The same, in its canonical form only (IsValidIP). */
export function checkCanonicalIp(errors: Errors, field: string, ip: string): void {
  const problem = ipProblem(ip)
  const canonical = isIPv6(ip) ? canonicalIPv6(ip) : ip
  if (problem !== undefined) errors.push(invalidValue(field, ip, problem))
  else if (ip !== canonical) {
    errors.push(invalidValue(field, ip, `must be in canonical form (${JSON.stringify(canonical)})`))
  }
}

/** A block of addresses of either family (IsValidCIDRForLegacyField). */
export function checkCidr(errors: Errors, field: string, cidr: string): void {
  const problem = cidrProblem(cidr)
  if (problem !== undefined) errors.push(invalidValue(field, cidr, problem))
}

/** Whether a block can be read at all, in whatever form. */
export const isCidr = (cidr: string): boolean => cidrProblem(cidr) !== NOT_CIDR

function cidrProblem(cidr: string): string | undefined {
  const [ip = '', bits = '', ...rest] = cidr.split('/')
  const most = isIPv6(ip) ? 128 : 32
  const fine = rest.length === 0 && isIp(ip) && /^[0-9]{1,3}$/.test(bits) && Number(bits) <= most
  if (!fine) return NOT_CIDR
  const isPlain = isIPv6(ip) || isIPv4(ip)
  if (!isPlain || String(Number(bits)) !== bits) {
    return 'must not have leading 0s in IP or prefix length'
  }
  if (isIPv6(ip) && isMapped(ip)) return 'must not have an IPv4-mapped IPv6 address'
  return hasBitsBeyond(ip, Number(bits))
    ? 'must not have bits set beyond the prefix length'
    : undefined
}

/** The same, in its canonical form only (IsValidCIDR). */
export function checkCanonicalCidr(errors: Errors, field: string, cidr: string): void {
  const [ip = '', bits = ''] = cidr.split('/')
  const problem = cidrProblem(cidr)
  const canonical = isIPv6(ip) ? `${canonicalIPv6(ip)}/${bits}` : cidr
  if (problem !== undefined) errors.push(invalidValue(field, cidr, problem))
  else if (cidr !== canonical) {
    const why = `must be in canonical form (${JSON.stringify(canonical)})`
    errors.push(invalidValue(field, cidr, why))
  }
}

/** An address that an endpoint can have: not a node's own (ValidateEndpointIP). */
export function checkEndpointIp(errors: Errors, field: string, ip: string): void {
  if (!isIp(ip)) {
    errors.push(invalidValue(field, ip, 'must be a valid IP address'))
    return
  }
  for (const [matches, why] of RESERVED) {
    if (matches(ip)) errors.push(invalidValue(field, ip, why(ip)))
  }
}

/** What is said of a loopback address. */
export const LOOPBACK_ENDPOINT = 'may not be in the loopback range (127.0.0.0/8, ::1/128)'

const RESERVED: readonly (readonly [(ip: string) => boolean, (ip: string) => string])[] = [
  [(ip) => ip === '0.0.0.0' || /^[0:]+$/.test(ip), (ip) => `may not be unspecified (${ip})`],
  [(ip) => ip.startsWith('127.') || ip === '::1', () => LOOPBACK_ENDPOINT],
  [
    (ip) => ip.startsWith('169.254.') || /^fe[89ab][0-9a-f]:/i.test(ip),
    () => 'may not be in the link-local range (169.254.0.0/16, fe80::/10)',
  ],
  [
    (ip) => ip.startsWith('224.0.0.') || /^ff02:/i.test(ip),
    () => 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
  ],
]
