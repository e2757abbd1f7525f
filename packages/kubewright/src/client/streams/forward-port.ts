import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { toKey } from '../path.ts'
import type { ObjectKey } from '../../machinery/object-key.ts'
import type { Client } from '../client.ts'
import type { Tunnel } from './port-forward.ts'
import { CHUNK } from './exec.ts'

/** A port of this machine that leads to a port of a pod. */
export interface ForwardedPort extends AsyncDisposable {
  readonly port: number
  close(): Promise<void>
}

/** Where to listen. */
export interface ForwardOptions {
  /** Default 0: any free one. */
  readonly localPort?: number
  /** Default 127.0.0.1. */
  readonly address?: string
  /** Told what went wrong with a single connection; the port stays. Default: nobody is. */
  readonly onError?: (error: unknown) => void
  readonly signal?: AbortSignal
}

/** Listens on a local port, and connects whoever comes with a port of a pod: each connection has a tunnel of its own. */
export async function forwardPort(
  client: Client,
  pod: ObjectKey | string,
  port: number,
  options: ForwardOptions = {},
): Promise<ForwardedPort> {
  const { localPort = 0, address = '127.0.0.1', onError, signal } = options
  const open = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    socket.on('error', () => {})
    serve(client, toKey(pod), port, socket).catch((error: unknown) => {
      socket.destroy()
      onError?.(error)
    })
  })
  server.listen(localPort, address)
  await once(server, 'listening').catch((cause: unknown) => {
    throw new Error(
      `cannot listen on ${address}:${localPort}: ${cause instanceof Error ? cause.message : String(cause)}; choose another local port, or 0 for any`,
      { cause },
    )
  })
  const close = async (): Promise<void> => {
    signal?.removeEventListener('abort', stop)
    for (const socket of open) socket.destroy()
    if (!server.listening) return
    server.close()
    await once(server, 'close')
  }
  const stop = (): void => void close()
  if (signal?.aborted) await close()
  signal?.addEventListener('abort', stop, { once: true })
  return {
    port: (server.address() as AddressInfo | null)?.port ?? localPort,
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function serve(client: Client, pod: ObjectKey, port: number, socket: Socket): Promise<void> {
  await using tunnel = await client.portForward(pod, port)
  socket.once('close', () => tunnel.close())
  const sending = send(socket, tunnel)
  sending.catch(() => {})
  for await (const bytes of tunnel.output)
    if (!socket.write(bytes)) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
  socket.end()
}

async function send(socket: Socket, tunnel: Tunnel): Promise<void> {
  for await (const bytes of socket as AsyncIterable<Buffer>)
    for (let at = 0; at < bytes.length; at += CHUNK)
      await tunnel.write(bytes.subarray(at, at + CHUNK))
}
