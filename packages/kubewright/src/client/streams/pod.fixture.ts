import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TestContext } from 'node:test'
import { OPCODE } from '../../base/websocket-frame.ts'
import { createFrameDecoder } from './websocket-frames.ts'

/** One side of a WebSocket, as a kubelet has it. */
export interface Peer {
  readonly url: URL
  readonly protocol: string
  /** Each message of the client. */
  onMessage: (message: Buffer) => void
  send(...bytes: readonly (number | string | Uint8Array)[]): void
  /** Sends a message in so many frames, with a ping between them. */
  sendInParts(message: Buffer, parts: number): void
  close(): void
  readonly socket: Duplex
}

const frame = (opcode: number, payload: Buffer, final = true): Buffer => {
  const length = payload.length
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10)
  head[0] = (final ? 0x80 : 0) | opcode
  head[1] = length < 126 ? length : length < 65_536 ? 126 : 127
  if (head.length === 4) head.writeUInt16BE(length, 2)
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2)
  return Buffer.concat([head, payload])
}

interface PodOptions {
  readonly speaks?: readonly string[]
  readonly refuses?: number
}

/** A server whose upgrades `behave` answers, speaking the first protocol of `speaks` that the client offers; other requests get `refuses`. */
export async function podServer(
  t: TestContext,
  behave: (peer: Peer) => void,
  { speaks = ['v5.channel.k8s.io', 'v4.channel.k8s.io'], refuses = 0 }: PodOptions = {},
): Promise<string> {
  const server = createServer((_, response) => void response.writeHead(404).end())
  server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => {})
    socket.on('end', () => socket.end())
    if (refuses) {
      const body = JSON.stringify({
        kind: 'Status',
        code: refuses,
        reason: 'Forbidden',
        message: 'no exec for you',
      })
      socket.end(`HTTP/1.1 ${refuses} Refused\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
      return
    }
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(', ')
    const protocol = speaks.find((it) => offered.includes(it)) ?? ''
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64')
    const named = protocol ? `sec-websocket-protocol: ${protocol}\r\n` : ''
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n${named}\r\n`,
    )
    behave(peerOver(socket, new URL(request.url ?? '/', 'http://pod'), protocol))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function peerOver(socket: Duplex, url: URL, protocol: string): Peer {
  const decode = createFrameDecoder()
  const peer: Peer = {
    url,
    protocol,
    socket,
    onMessage: () => {},
    send: (...bytes) =>
      void socket.write(
        frame(
          OPCODE.binary,
          Buffer.concat(
            bytes.map((it) => (typeof it === 'number' ? Buffer.from([it]) : Buffer.from(it))),
          ),
        ),
      ),
    sendInParts(message, parts) {
      const size = Math.ceil(message.length / parts)
      for (let at = 0; at < parts; at++) {
        const piece = message.subarray(at * size, (at + 1) * size)
        socket.write(frame(at === 0 ? OPCODE.binary : OPCODE.continuation, piece, at === parts - 1))
        socket.write(frame(OPCODE.ping, Buffer.from('are you there')))
      }
    },
    close: () => void socket.end(frame(OPCODE.close, Buffer.from([3, 232]))),
  }
  socket.on('data', (bytes: Buffer) => {
    for (const it of decode(bytes)) {
      if (it.opcode <= OPCODE.binary) peer.onMessage(it.payload)
      if (it.opcode === OPCODE.close) peer.close()
    }
  })
  return peer
}

/** The kubeconfig of a server. */
export const kubeconfigOf = (server: string): object => ({
  clusters: [{ name: 'pod', cluster: { server } }],
  users: [{ name: 'pod', user: { token: 't' } }],
  contexts: [{ name: 'pod', context: { cluster: 'pod', user: 'pod', namespace: 'ns' } }],
})
