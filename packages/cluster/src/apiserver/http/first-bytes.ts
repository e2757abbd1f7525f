import type { Socket } from 'node:net'

/** How plain HTTP begins (crypto/tls tlsRecordHeaderLooksLikeHTTP). */
const PLAIN: ReadonlySet<string> = new Set(['GET /', 'HEAD ', 'POST ', 'PUT /', 'OPTIO'])

const REFUSAL = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n'

/**
 * Lets a connection go on to `next` if it begins as TLS does, and tells a client that speaks plain HTTP so. A client that says nothing
 * is cut off after `patience` milliseconds.
 */
export function refusePlainHttp(
  socket: Socket,
  next: (socket: Socket) => void,
  patience: number,
): void {
  const hangUp = (): void => void socket.destroy()
  socket.setTimeout(patience, hangUp)
  socket.on('error', hangUp)
  socket.once('readable', () => {
    const first = socket.read() as Buffer | null
    if (first === null) return hangUp()
    socket.setTimeout(0)
    socket.off('timeout', hangUp)
    socket.off('error', hangUp)
    if (PLAIN.has(first.toString('latin1', 0, 5))) return refuse(socket)
    socket.unshift(first)
    next(socket)
  })
}

function refuse(socket: Socket): void {
  socket.on('error', () => socket.destroy())
  socket.end(REFUSAL, () => socket.destroy())
}
