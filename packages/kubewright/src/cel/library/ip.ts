/** Kubernetes' IP addresses and CIDR blocks (pkg/cel/library/ip.go and cidr.go). */
import { goQuote } from '../go-quote.ts'
import type { OpaqueType } from '../cel-type.ts'
import { opaqueType } from '../cel-type.ts'
import type { Library } from '../declaration.ts'
import { fn, signatures } from '../declaration.ts'
import type { OpaqueValue, Value } from '../value.ts'
import { EvalError, NO_SUCH_OVERLOAD } from '../value.ts'
import type { Address, Prefix } from './address.ts'
import {
  formatAddress,
  holds,
  isV4,
  isV4In6,
  masked,
  parseAddress,
  parsePrefix,
  sameAddress,
} from './address.ts'

/** The type of addresses. */
export const IP_TYPE: OpaqueType = opaqueType('net.IP')
/** The type of address blocks. */
export const CIDR_TYPE: OpaqueType = opaqueType('net.CIDR')

class IpValue implements OpaqueValue {
  readonly tag = 'opaque'
  readonly type = IP_TYPE
  readonly address: Address

  constructor(address: Address) {
    this.address = address
  }

  /** Bytes, for costs. */
  get size(): number {
    return this.address.bytes.length
  }

  equals(other: Value): boolean {
    return other instanceof IpValue && sameAddress(this.address, other.address)
  }

  toString(): string {
    return formatAddress(this.address)
  }
}

class CidrValue implements OpaqueValue {
  readonly tag = 'opaque'
  readonly type = CIDR_TYPE
  readonly prefix: Prefix

  constructor(prefix: Prefix) {
    this.prefix = prefix
  }

  /** Bytes of the prefix, for costs. */
  get size(): number {
    return Math.ceil(this.prefix.bits / 8)
  }

  equals(other: Value): boolean {
    return (
      other instanceof CidrValue &&
      other.prefix.bits === this.prefix.bits &&
      sameAddress(this.prefix.address, other.prefix.address)
    )
  }

  toString(): string {
    return `${formatAddress(this.prefix.address)}/${this.prefix.bits}`
  }
}

function toIp(text: string): IpValue | EvalError {
  const address = parseAddress(text)
  const quoted = goQuote(text)
  if ('error' in address) {
    return new EvalError(
      `IP Address ${quoted} parse error during conversion from string: ${address.error}`,
    )
  }
  if (address.zone !== '')
    return new EvalError(`IP address ${quoted} with zone value is not allowed`)
  if (isV4In6(address)) return new EvalError(`IPv4-mapped IPv6 address ${quoted} is not allowed`)
  return new IpValue(address)
}

function toCidr(text: string): CidrValue | EvalError {
  const failed = 'network address parse error during conversion from string'
  const prefix = parsePrefix(text)
  if ('error' in prefix) return new EvalError(`${failed}: ${failed}: ${prefix.error}`)
  if (isV4In6(prefix.address)) {
    return new EvalError(`${failed}: IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`)
  }
  return new CidrValue(prefix)
}

function isCanonical(text: string): Value {
  const ip = toIp(text)
  return ip instanceof EvalError ? ip : ip.toString() === text
}

/** Whether the leading bytes of an address are the given ones, under a mask for the last. */
const is = ({ bytes }: Address, first: number, second?: number, mask = 0xff): boolean =>
  bytes[0] === first && (second === undefined || ((bytes[1] ?? 0) & mask) === second)

const isUnspecified = ({ bytes }: Address): boolean => bytes.every((byte) => byte === 0)
const isLoopback = (address: Address): boolean =>
  isV4(address) ? is(address, 127) : address.bytes.every((byte, i) => byte === (i === 15 ? 1 : 0))
const isMulticast = (address: Address): boolean =>
  isV4(address) ? ((address.bytes[0] ?? 0) & 0xf0) === 0xe0 : is(address, 0xff)
const isLinkLocalMulticast = (address: Address): boolean =>
  isV4(address) ? is(address, 224, 0) && address.bytes[2] === 0 : is(address, 0xff, 0x02, 0x0f)
const isLinkLocalUnicast = (address: Address): boolean =>
  isV4(address) ? is(address, 169, 254) : is(address, 0xfe, 0x80, 0xc0)
const isBroadcast = (address: Address): boolean =>
  isV4(address) && address.bytes.every((byte) => byte === 255)
const isGlobalUnicast = (address: Address): boolean =>
  ![isUnspecified, isBroadcast, isLoopback, isMulticast, isLinkLocalUnicast].some((test) =>
    test(address),
  )

function containsIp(block: CidrValue, ip: IpValue | EvalError): Value {
  // The reason is lost in the API server, too.
  return ip instanceof EvalError ? NO_SUCH_OVERLOAD : holds(block.prefix, ip.address)
}

function containsCidr(block: CidrValue, other: CidrValue | EvalError): Value {
  if (other instanceof EvalError) return other
  const { prefix } = block
  return prefix.bits <= other.prefix.bits && holds(prefix, other.prefix.address)
}

const overload = signatures({ 'net.IP': IP_TYPE, 'net.CIDR': CIDR_TYPE })

function test(
  name: string,
  id: string,
  check: (address: Address) => boolean,
): ReturnType<typeof fn> {
  return fn(
    name,
    overload(id, 'net.IP.(): bool', ({ address }: IpValue) => check(address)),
  )
}

/** Addresses. */
export const IP: Library = {
  name: 'kubernetes.net.ip',
  functions: [
    fn('ip', overload('string_to_ip', '(string): net.IP', toIp)),
    fn(
      'family',
      overload('ip_family', 'net.IP.(): int', ({ address }: IpValue) => (isV4(address) ? 4n : 6n)),
    ),
    fn('ip.isCanonical', overload('ip_is_canonical', '(string): bool', isCanonical)),
    test('isUnspecified', 'ip_is_unspecified', isUnspecified),
    test('isLoopback', 'ip_is_loopback', isLoopback),
    test('isLinkLocalMulticast', 'ip_is_link_local_multicast', isLinkLocalMulticast),
    test('isLinkLocalUnicast', 'ip_is_link_local_unicast', isLinkLocalUnicast),
    test('isGlobalUnicast', 'ip_is_global_unicast', isGlobalUnicast),
    fn(
      'isIP',
      overload('is_ip', '(string): bool', (text: string) => toIp(text) instanceof IpValue),
    ),
    fn(
      'string',
      overload('ip_to_string', '(net.IP): string', (ip: IpValue) => ip.toString()),
    ),
  ],
  types: [IP_TYPE],
}

/** Address blocks. */
export const CIDR: Library = {
  name: 'kubernetes.net.cidr',
  functions: [
    fn('cidr', overload('string_to_cidr', '(string): net.CIDR', toCidr)),
    fn(
      'containsIP',
      overload(
        'cidr_contains_ip_string',
        'net.CIDR.(string): bool',
        (block: CidrValue, ip: string) => containsIp(block, toIp(ip)),
      ),
      overload('cidr_contains_ip_ip', 'net.CIDR.(net.IP): bool', containsIp),
    ),
    fn(
      'containsCIDR',
      overload(
        'cidr_contains_cidr_string',
        'net.CIDR.(string): bool',
        (block: CidrValue, other: string) => containsCidr(block, toCidr(other)),
      ),
      overload('cidr_contains_cidr', 'net.CIDR.(net.CIDR): bool', containsCidr),
    ),
    fn(
      'ip',
      overload(
        'cidr_ip',
        'net.CIDR.(): net.IP',
        ({ prefix }: CidrValue) => new IpValue(prefix.address),
      ),
    ),
    fn(
      'prefixLength',
      overload('cidr_prefix_length', 'net.CIDR.(): int', ({ prefix }: CidrValue) =>
        BigInt(prefix.bits),
      ),
    ),
    fn(
      'masked',
      overload(
        'cidr_masked',
        'net.CIDR.(): net.CIDR',
        ({ prefix }: CidrValue) => new CidrValue({ address: masked(prefix), bits: prefix.bits }),
      ),
    ),
    fn(
      'isCIDR',
      overload('is_cidr', '(string): bool', (text: string) => toCidr(text) instanceof CidrValue),
    ),
    fn(
      'string',
      overload('cidr_to_string', '(net.CIDR): string', (block: CidrValue) => block.toString()),
    ),
  ],
  types: [CIDR_TYPE],
}
