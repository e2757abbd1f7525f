import type { ReadOptions } from '../../machinery/contracts.ts'
import { kindOf } from '../../machinery/kind.ts'
import type { ObjectKey } from '../../machinery/object-key.ts'
import type { Client } from '../client.ts'
import { objectPath } from '../path.ts'
import type { WebSocketConnection } from './websocket.ts'

/** A connection to a port of a pod. */
export interface Tunnel extends AsyncDisposable {
  /** What the pod sends. Rejects with a sentence when the pod has no one at the port. Read once. */
  readonly output: AsyncIterable<Buffer>
  write(data: Uint8Array | string): Promise<void>
  close(): void
}

const POD = kindOf('v1', 'Pod', 'pods', 'Namespaced')
/** The channel protocol of port forwarding (kubelet pkg/kubelet/server/portforward): data and errors of each port, two bytes of port first. */
const PROTOCOLS = ['v4.channel.k8s.io']
const DATA = 0

/** Opens a {@link Tunnel}. Rejects with the ApiError of a server that refuses. */
export async function openTunnel(
  client: Client,
  pod: ObjectKey,
  port: number,
  { signal }: ReadOptions,
): Promise<Tunnel> {
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error(`${port} is no port of a pod; a whole number from 1 to 65535 was expected`)
  const path = objectPath(POD, pod, client.namespace, 'portforward')
  const socket = await client.webSocket(
    { method: 'GET', path, query: { ports: port }, signal },
    PROTOCOLS,
  )
  return {
    output: readTunnel(socket, `${pod.name}:${port}`),
    write: (data) => socket.send(Buffer.concat([Buffer.from([DATA]), Buffer.from(data)])),
    close: () => socket.close(),
    [Symbol.asyncDispose]: async () => socket.close(),
  }
}

async function* readTunnel(
  socket: WebSocketConnection,
  where: string,
): AsyncGenerator<Buffer, void, undefined> {
  /** The channels that have said their port. */
  const named = new Set<number>()
  for await (const message of socket.messages) {
    const channel = message[0] ?? DATA
    // The two bytes of port may come alone, or with the first data behind them.
    const bytes = message.subarray(named.has(channel) ? 1 : 3)
    named.add(channel)
    if (bytes.length === 0) continue
    if (channel !== DATA)
      throw new Error(`port forwarding to ${where} failed: ${bytes.toString('utf8')}`)
    yield bytes
  }
}
