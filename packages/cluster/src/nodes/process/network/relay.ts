import type { Socket as UdpSocket } from 'node:dgram'
import type { Socket } from 'node:net'
import type { Clock } from 'kubewright/base'
import type { Backend } from './endpoints.ts'

/** Joins a client with a backend: each hears what the other says, and that it has ended. Resolves when they are joined, or cannot be. */
export async function relay(client: Socket, connect: () => Promise<Socket>): Promise<void> {
  // One side may have said all and still listen.
  client.allowHalfOpen = true
  const drop = (): void => void client.destroy()
  client.once('error', drop)
  const backend = await connect().catch(drop)
  if (!backend) return
  backend.allowHalfOpen = true
  backend.once('error', drop)
  backend.once('close', drop)
  if (client.destroyed) return void backend.destroy()
  client.once('close', () => backend.destroy())
  client.pipe(backend)
  backend.pipe(client)
}

/** How long a client of datagrams may say nothing before it is forgotten, ms (conntrack's timeout for UDP streams). */
const SILENCE = 120_000

/** What datagram clients are joined by. */
export interface DatagramRelay {
  readonly clock: Clock
  readonly pick: (client: string) => Backend | undefined
  readonly open: () => Promise<UdpSocket>
}

/** Hands datagrams of each client on to a backend of its own, and what that answers back, until the server's socket closes. */
export function relayDatagrams(server: UdpSocket, { clock, pick, open }: DatagramRelay): void {
  const flows = new Map<string, Flow>()
  server.on('message', (message, { address, port }) => {
    const key = `${address}:${port}`
    const flow = flows.get(key) ?? begin(key, address, port)
    flow?.send(message)
  })
  server.once('close', () => {
    for (const it of flows.values()) it.close()
  })

  function begin(key: string, address: string, port: number): Flow | undefined {
    const backend = pick(address)
    if (!backend) return undefined
    const flow = new Flow(backend, open(), clock, (answer) => {
      if (answer) server.send(answer, port, address, () => {})
      else flows.delete(key)
    })
    flows.set(key, flow)
    return flow
  }
}

/** One client's datagrams to one backend. */
class Flow {
  readonly #backend: Backend
  readonly #socket: Promise<UdpSocket>
  readonly #clock: Clock
  readonly #tell: (answer: Buffer | undefined) => void
  #timer: ReturnType<Clock['after']> | undefined

  constructor(
    backend: Backend,
    socket: Promise<UdpSocket>,
    clock: Clock,
    tell: (answer: Buffer | undefined) => void,
  ) {
    this.#backend = backend
    this.#socket = socket
    this.#clock = clock
    this.#tell = tell
    void this.#listen()
  }

  async #listen(): Promise<void> {
    const socket = await this.#socket.catch(() => this.close())
    socket?.on('message', (message) => this.#tell(message))
    socket?.on('error', () => this.close())
  }

  send(message: Buffer): void {
    this.#timer?.cancel()
    this.#timer = this.#clock.after(SILENCE, () => this.close())
    const { host, port } = this.#backend
    void this.#socket.then((it) => it.send(message, port, host, () => {})).catch(() => {})
  }

  close(): void {
    this.#timer?.cancel()
    this.#tell(undefined)
    void this.#socket.then((it) => it.close()).catch(() => {})
  }
}
