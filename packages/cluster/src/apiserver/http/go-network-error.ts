interface NetworkError extends Error {
  readonly code?: string
  readonly address?: string
  readonly port?: number
  readonly hostname?: string
  readonly cert?: { readonly subjectaltname?: string; readonly subject?: { readonly CN?: string } }
  readonly host?: string
}

const UNKNOWN_AUTHORITY: ReadonlySet<string> = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
])

const TLS = 'tls: failed to verify certificate: x509:'

/** What Go's client says of a failure that Node met on the network; the message as it is where nothing is known of it. */
export function goNetworkError(error: Error): string {
  const { code = '', name, message, address, port, hostname } = error as NetworkError
  if (
    name === 'TimeoutError' ||
    name === 'AbortError' ||
    (error.cause as Error | undefined)?.name === 'TimeoutError'
  ) {
    return 'context deadline exceeded'
  }
  if (UNKNOWN_AUTHORITY.has(code)) return `${TLS} certificate signed by unknown authority`
  switch (code) {
    case 'ECONNREFUSED':
      return `dial tcp ${address?.includes(':') ? `[${address}]` : address}:${port}: connect: connection refused`
    case 'EHOSTUNREACH':
      return `dial tcp ${address}:${port}: connect: no route to host`
    case 'ENETUNREACH':
      return `dial tcp ${address}:${port}: connect: network is unreachable`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `dial tcp: lookup ${hostname}: no such host`
    case 'ECONNRESET':
      return 'EOF'
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return otherName(error as NetworkError)
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return `${TLS} certificate has expired or is not yet valid: ${message}`
    default:
      return message
  }
}

/** `certificate is valid for a, b, not c`. */
function otherName({ cert, host = '' }: NetworkError): string {
  const all = (cert?.subjectaltname ?? '').split(', ').filter((it) => it !== '')
  const of = (kind: string): readonly string[] =>
    all.filter((it) => it.startsWith(`${kind}:`)).map((it) => it.slice(kind.length + 1))
  const isAddress = /^[\d.]+$/.test(host) || host.includes(':')
  const names = isAddress ? of('IP Address') : of('DNS')
  if (names.length > 0) return `${TLS} certificate is valid for ${names.join(', ')}, not ${host}`
  return isAddress
    ? `${TLS} cannot validate certificate for ${host} because it doesn't contain any IP SANs`
    : `${TLS} certificate is not valid for any names, but wanted to match ${host}`
}
