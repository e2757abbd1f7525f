/** Why a connection could not be had, in Go's words: `dial tcp 10.244.0.5:80: connect: connection refused`. */
export function dialError(error: Error, host: string, port: number): string {
  const why = REASONS[(error as NodeJS.ErrnoException).code ?? '']
  return why === undefined ? error.message : `dial tcp ${host}:${port}: connect: ${why}`
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network is unreachable',
  ETIMEDOUT: 'connection timed out',
  ECONNRESET: 'connection reset by peer',
  EADDRNOTAVAIL: 'cannot assign requested address',
}
