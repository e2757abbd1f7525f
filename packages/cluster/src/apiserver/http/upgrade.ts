import { once } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Answer, type ApiRequest, type Chunk, isWhole } from './message.ts'
import { asksForWebSocket, serveEvents, shakeHands } from './websocket.ts'

/**
 * Answers requests that ask for another protocol: where the answer has a tunnel, it gets the connection once its head is sent;
 * any other answer is sent whole, and the connection closed.
 */
export function serveUpgrades(
  server: Pick<Server, 'on'>,
  requestOf: RequestOf,
  answer: (request: ApiRequest) => Promise<Answer>,
  closing: AbortSignal,
): void {
  server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    void serveUpgrade({ incoming, socket, head }, requestOf, answer, closing)
  })
}

type RequestOf = (incoming: IncomingMessage, gone: { readonly signal: AbortSignal }) => ApiRequest

interface Asked {
  readonly incoming: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
}

async function serveUpgrade(
  { incoming, socket, head }: Asked,
  requestOf: RequestOf,
  answer: (request: ApiRequest) => Promise<Answer>,
  closing: AbortSignal,
): Promise<void> {
  const gone = new AbortController()
  const stop = (): void => gone.abort()
  socket.on('close', stop)
  socket.on('error', stop)
  const close = (): void => void socket.destroy()
  closing.addEventListener('abort', close, { once: true })
  socket.once('close', () => closing.removeEventListener('abort', close))
  try {
    const answered = await answer(requestOf(incoming, gone))
    if (answered.tunnel) {
      socket.write(headText(answered))
      if (head.length > 0) socket.unshift(head)
      answered.tunnel(socket)
    } else if (answered.isWatch && asksForWebSocket(incoming.headers)) {
      await sendEvents({ incoming, socket, head }, answered, stop)
    } else await sendWhole(socket, answered)
  } catch {
    socket.destroy()
  }
}

async function sendEvents(
  { incoming, socket, head }: Asked,
  { body, ...answered }: Answer,
  stop: () => void,
): Promise<void> {
  const handshake = shakeHands(incoming.headers)
  if (!handshake.accepted || isWhole(body)) {
    stop()
    socket.end(handshake.accepted ? '' : handshake.text)
    return
  }
  socket.write(handshake.head)
  if (head.length > 0) socket.unshift(head)
  await serveEvents(socket, { ...answered, body }, stop)
}

function headText({ status, headers }: Answer): string {
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`]
  for (const [name, value] of Object.entries(headers)) {
    for (const each of typeof value === 'string' ? [value] : value) lines.push(`${name}: ${each}`)
  }
  return `${lines.join('\r\n')}\r\n\r\n`
}

async function sendWhole(socket: Duplex, { status, headers, body }: Answer): Promise<void> {
  if (!isWhole(body)) return sendStream(socket, { status, headers }, body)
  const whole = Buffer.from(body ?? '')
  const framed = { ...headers, 'content-length': String(whole.length), connection: 'close' }
  socket.end(Buffer.concat([Buffer.from(headText({ status, headers: framed })), whole]))
}

/** What may never end goes out as it is made, and is held up by a client that does not read. */
async function sendStream(
  socket: Duplex,
  { status, headers }: Answer,
  chunks: AsyncIterable<Chunk>,
): Promise<void> {
  socket.write(headText({ status, headers: { ...headers, connection: 'close' } }))
  for await (const chunk of chunks) {
    if (socket.destroyed) return
    if (!socket.write(chunk)) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
  }
  socket.end()
}
