import { isIPv4, isIPv6 } from 'node:net'
import { canonicalIPv6, inRange, ipOfNumber, ipRange, numberOfIp } from './ip.ts'

const plainIPv4 = (text: string): string | undefined => {
  if (!/^[0-9]+(\.[0-9]+){3}$/.test(text)) return undefined
  const plain = text.split('.').map(Number).join('.')
  return isIPv4(plain) ? plain : undefined
}

/** Whether an address is written in a way that some read otherwise (apimachinery/pkg/util/validation GetWarningsForIP). */
export function ipWarnings(at: string, text: string): readonly string[] {
  const preferred = preferredIp(text)
  if (preferred === undefined || preferred === text) return []
  if (isIPv6(text) && !isIPv4(preferred)) {
    return [
      `${at}: IPv6 address ${JSON.stringify(text)} should be in RFC 5952 canonical format (${JSON.stringify(preferred)})`,
    ]
  }
  return [
    `${at}: non-standard IP address ${JSON.stringify(text)} is invalid: use ${JSON.stringify(preferred)}`,
  ]
}

/** The usual form of an address, or undefined for what is none. */
function preferredIp(text: string): string | undefined {
  if (isIPv4(text)) return text
  if (!isIPv6(text)) return plainIPv4(text)
  const canonical = canonicalIPv6(text)
  const mapped = /^::ffff:([0-9.]+)$/.exec(canonical)
  return mapped ? mapped[1] : canonical
}

/** The same for a block of IPv4 addresses; an IPv6 one is told only its usual form. */
export function cidrWarnings(at: string, text: string): readonly string[] {
  const [ip = '', bits = ''] = text.split('/')
  const shown = JSON.stringify(text)
  const plain = plainIPv4(ip)
  if (plain === undefined) return blockOfIPv6(at, ip, bits, shown)
  const range = ipRange(`${plain}/${Number(bits)}`)
  if (range === undefined) return []
  const warnings: string[] = []
  if (numberOfIp(plain) !== range.first && inRange(range, plain)) {
    const whole = `${ipOfNumber(range.first)}/${Number(bits)}`
    warnings.push(
      `${at}: CIDR value ${shown} is ambiguous in this context (should be ${JSON.stringify(whole)} or ${JSON.stringify(`${plain}/32`)}?)`,
    )
  }
  if (plain !== ip || String(Number(bits)) !== bits) {
    warnings.push(
      `${at}: non-standard CIDR value ${shown} is invalid: use ${JSON.stringify(`${ipOfNumber(range.first)}/${Number(bits)}`)}`,
    )
  }
  return warnings
}

function blockOfIPv6(at: string, ip: string, bits: string, shown: string): readonly string[] {
  if (!isIPv6(ip)) return []
  const preferred = `${canonicalIPv6(ip)}/${bits}`
  if (preferred === `${ip}/${bits}`) return []
  return [
    `${at}: IPv6 CIDR value ${shown} should be in RFC 5952 canonical format (${JSON.stringify(preferred)})`,
  ]
}
