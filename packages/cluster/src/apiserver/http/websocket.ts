import { once } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import type { Duplex } from 'node:stream'
import { acceptOf, encodeFrame, frameHead, OPCODE, unmasked } from 'kubewright/base'
import type { Answer, Chunk } from './message.ts'

/** Whether a request asks for a WebSocket (RFC 6455; apimachinery/pkg/util/httpstream/wsstream IsWebSocketRequest). */
export const asksForWebSocket = (headers: IncomingHttpHeaders): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket' &&
  /(^|.*,\s*)upgrade($|\s*,)/i.test(headers.connection ?? '')

/** How a handshake is answered: with the head of a WebSocket, or with a refusal, each to the byte. */
export type Handshake =
  | { readonly accepted: true; readonly head: string }
  | { readonly accepted: false; readonly text: string }

const refused = (status: string, text = ''): Handshake => ({
  accepted: false,
  text: `HTTP/1.1 ${status}\r\n\r\n${text}`,
})

/**
 * Answers the handshake of a client that asks for a WebSocket as the server of golang.org/x/net/websocket does, behind which kube-apiserver
 * serves watches: it demands an origin, whichever, and takes a protocol as long as it is the only one.
 */
export function shakeHands(headers: IncomingHttpHeaders): Handshake {
  const key = headers['sec-websocket-key']
  if (!key) return refused('400 Bad Request', 'mismatch challenge/response')
  if (headers['sec-websocket-version'] !== '13') {
    const supported = 'Sec-WebSocket-Version: 13'
    return {
      accepted: false,
      text: `HTTP/1.1 400 Bad Request\r\n${supported}\r\n\r\nmissing or bad WebSocket Version`,
    }
  }
  if (!isOrigin(headers.origin)) return refused('403 Forbidden')
  const protocols = (headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map((it) => it.trim())
    .filter((it) => it !== '')
  if (protocols.length > 1) return refused('400 Bad Request')
  const lines = [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${acceptOf(key)}`,
    ...protocols.map((it) => `Sec-WebSocket-Protocol: ${it}`),
  ]
  return { accepted: true, head: `${lines.join('\r\n')}\r\n\r\n` }
}

const isOrigin = (origin: string | undefined): boolean =>
  origin !== undefined && (origin.startsWith('/') || /^[a-z][a-z0-9+.-]*:/i.test(origin))

/** A frame of a server: whole, and not masked. */
export const frame = (
  kind: 'text' | 'binary' | 'close' | 'ping' | 'pong',
  payload: Uint8Array,
): Buffer => encodeFrame(OPCODE[kind]!, payload)

/** What a client sends, in so far as it counts: a ping is to be answered, a close ends. */
export type Received =
  { readonly kind: 'ping'; readonly payload: Buffer } | { readonly kind: 'close' }

/** Takes the bytes of a client as they come, and tells what counts; data is passed over. */
export function frameReader(): (bytes: Buffer) => readonly Received[] {
  let rest: Buffer = Buffer.alloc(0)
  /** How many bytes of a payload are still to be passed over. */
  let skip = 0
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
    const all: Received[] = []
    for (;;) {
      const passed = Math.min(skip, rest.length)
      skip -= passed
      rest = rest.subarray(passed)
      const head = skip > 0 ? undefined : frameHead(rest)
      if (!head) return all
      const isControl = head.opcode >= 8
      if (!isControl) {
        rest = rest.subarray(head.size)
        skip = head.length
        continue
      }
      if (rest.length < head.size + head.length) return all
      const payload = unmasked(rest.subarray(head.size, head.size + head.length), head.mask)
      rest = rest.subarray(head.size + head.length)
      if (head.opcode === OPCODE.close) all.push({ kind: 'close' })
      if (head.opcode === OPCODE.ping) all.push({ kind: 'ping', payload })
    }
  }
}

/** Cuts a chunk of a watch into its events: lines where they are text, else what lengths of four bytes stand before. */
export function* eventsIn(chunk: Chunk, isText: boolean): Generator<Uint8Array> {
  const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk)
  for (let at = 0; at < bytes.length;) {
    const start = isText ? at : at + 4
    const newline = bytes.indexOf(10, at)
    const end = isText ? (newline < 0 ? bytes.length : newline + 1) : start + bytes.readUInt32BE(at)
    yield bytes.subarray(start, end)
    at = end
  }
}

/** The close of a server that has nothing more to say. */
const NORMAL = Buffer.from([0x03, 0xe8])

/**
 * Sends the events of a watch as messages of a WebSocket, one each, until they end or the client closes (apiserver/pkg/endpoints/handlers/watch.go
 * HandleWS). What the client sends counts for nothing, but for its pings.
 */
export async function serveEvents(
  socket: Duplex,
  {
    body,
    headers,
    overrun,
  }: Pick<Answer, 'headers' | 'overrun'> & {
    readonly body: AsyncIterable<Chunk>
  },
  stop: () => void,
): Promise<void> {
  const read = frameReader()
  socket.on('data', (bytes: Buffer) => {
    for (const it of read(bytes)) {
      if (it.kind === 'close') stop()
      else socket.write(frame('pong', it.payload))
    }
  })
  overrun?.addEventListener('abort', () => socket.destroy(), { once: true })
  const isText = String(headers['content-type'] ?? '').startsWith('application/json')
  for await (const chunk of body) {
    for (const event of eventsIn(chunk, isText)) {
      if (socket.destroyed) return
      const sent = socket.write(frame(isText ? 'text' : 'binary', event))
      if (!sent) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
    }
  }
  socket.end(frame('close', NORMAL))
}
