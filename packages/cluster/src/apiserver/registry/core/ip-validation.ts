import { isIPv4, isIPv6 } from 'node:net'
import { invalidValue } from 'kubewright/machinery'
import type { Errors } from '../generic/checks.ts'

const NOT_IP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'
const NOT_CIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'

/** An address of either family (IsValidIPForLegacyField); octets may begin with a zero, as they may in old fields. */
export function checkIp(errors: Errors, field: string, ip: string): void {
  if (!isIp(ip)) errors.push(invalidValue(field, ip, NOT_IP))
}

const isIp = (text: string): boolean =>
  isIPv6(text) || isIPv4(text.split('.').map(withoutZeros).join('.'))

const withoutZeros = (octet: string): string => octet.replace(/^0+(?=[0-9])/, '')

/** A range of either family (IsValidCIDRForLegacyField). */
export function checkCidr(errors: Errors, field: string, cidr: string): void {
  const [ip = '', bits = '', ...rest] = cidr.split('/')
  const most = isIPv6(ip) ? 128 : 32
  const fine = rest.length === 0 && isIp(ip) && /^[0-9]{1,3}$/.test(bits) && Number(bits) <= most
  if (!fine) errors.push(invalidValue(field, cidr, NOT_CIDR))
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

const RESERVED: readonly (readonly [(ip: string) => boolean, (ip: string) => string])[] = [
  [(ip) => ip === '0.0.0.0' || /^[0:]+$/.test(ip), (ip) => `may not be unspecified (${ip})`],
  [
    (ip) => ip.startsWith('127.') || ip === '::1',
    () => 'may not be in the loopback range (127.0.0.0/8, ::1/128)',
  ],
  [
    (ip) => ip.startsWith('169.254.') || /^fe[89ab][0-9a-f]:/i.test(ip),
    () => 'may not be in the link-local range (169.254.0.0/16, fe80::/10)',
  ],
  [
    (ip) => ip.startsWith('224.0.0.') || /^ff02:/i.test(ip),
    () => 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
  ],
]
