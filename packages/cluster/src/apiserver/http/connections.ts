import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { refusePlainHttp } from './first-bytes.ts'
import type { Answer, ApiRequest } from './message.ts'
import type { Http2Connections } from './serve-http2.ts'

type Take = (socket: Socket) => void

/**
 * The connections of a server of HTTPS. Each is looked at twice before it is one of HTTP/1.1: is it TLS at all, and did it agree on
 * HTTP/2? Node's HTTP/2 takes longer to load than all the rest of the listener: the first connection that wants it brings it in.
 */
export class Connections {
  readonly #open = new Set<Socket>()
  readonly #answer: (request: ApiRequest) => Promise<Answer>
  readonly #closing: AbortSignal
  #http2: Promise<Http2Connections> | undefined

  /** `patience`: how long a client may say nothing at first, in milliseconds. */
  constructor(
    server: Server,
    answer: (request: ApiRequest) => Promise<Answer>,
    closing: AbortSignal,
    patience: number,
  ) {
    this.#answer = answer
    this.#closing = closing
    const handshake = ownListener(server, 'connection')
    const http1 = ownListener(server, 'secureConnection')
    server.on('connection', (socket: Socket) => {
      this.#open.add(socket)
      socket.once('close', () => this.#open.delete(socket))
      refusePlainHttp(socket, handshake, patience)
    })
    server.on('secureConnection', (socket: TLSSocket) => {
      if (socket.alpnProtocol !== 'h2') http1(socket)
      else this.#acceptHttp2(socket).catch(() => socket.destroy())
    })
  }

  /** Tells those of HTTP/2 that nothing new may begin. */
  async sayGoodbye(): Promise<void> {
    const http2 = await this.#http2
    http2?.close()
  }

  /** Ends all, whatever goes on. */
  destroy(): void {
    for (const socket of this.#open) socket.destroy()
  }

  async #acceptHttp2(socket: TLSSocket): Promise<void> {
    this.#http2 ??= import('./serve-http2.ts').then((it) =>
      it.http2Connections(this.#answer, this.#closing),
    )
    const { accept } = await this.#http2
    accept(socket)
  }
}

/** Takes the one listener that a server has for its own event, to be called when we see fit. */
function ownListener(server: Server, event: 'connection' | 'secureConnection'): Take {
  const [own] = server.listeners(event)
  server.removeAllListeners(event)
  return (socket) => void (own as Take).call(server, socket)
}
