import { isIPv4 } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'

/** What a machine without any network is said to have: an address that is nobody's (RFC 5737). */
const NOBODY = '192.0.2.1'

/** The name of this machine, as leases and labels write it. */
export const hostName = (): string => hostname().toLowerCase()

/** Of an interface, what matters here. */
interface InterfaceAddress {
  readonly address: string
  readonly family: string
  readonly internal: boolean
}

/**
 * The IPv4 address under which a server that listens on `host` is published: `host` itself, or where it is a loopback or wildcard
 * address, or a name, the machine's first address that is neither loopback nor link-local (kube-apiserver without
 * --advertise-address). Endpoints may not be in 127/8.
 */
export function advertisedAddress(
  host: string,
  interfaces: Readonly<
    Record<string, readonly InterfaceAddress[] | undefined>
  > = networkInterfaces(),
): string {
  if (isIPv4(host) && !host.startsWith('127.') && host !== '0.0.0.0') return host
  const all = Object.values(interfaces).flatMap((it) => it ?? [])
  const found = all.find(
    (it) => it.family === 'IPv4' && !it.internal && !it.address.startsWith('169.254.'),
  )
  return found?.address ?? NOBODY
}
