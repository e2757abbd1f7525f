import type { ClientRequestArgs } from 'node:http'
import type { Duplex } from 'node:stream'
import { connect, type ConnectionOptions } from 'node:tls'

/** Connects to an address that this process's own network does not lead to; undefined for all others. Rejects as Node's own sockets fail. */
export type Dial = (host: string, port: number) => Promise<Duplex> | undefined

/** How a request to `url` gets its connection: by `dial` where that knows the address, else by Node alone. */
export function connectionOf(
  dial: Dial | undefined,
  url: URL,
  tls: ConnectionOptions,
): Pick<ClientRequestArgs, 'agent' | 'createConnection'> {
  const isTls = url.protocol === 'https:'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const coming = dial?.(host, Number(url.port || (isTls ? 443 : 80)))
  if (!coming) return { agent: false }
  // A request that ends before it has a connection leaves none behind.
  coming.catch(() => {})
  return {
    createConnection: (_, done) => {
      void hand(coming, isTls ? tls : undefined, done)
      return undefined
    },
  }
}

async function hand(
  coming: Promise<Duplex>,
  tls: ConnectionOptions | undefined,
  done: (error: Error | null, socket: Duplex) => void,
): Promise<void> {
  try {
    const socket = await coming
    done(null, tls ? connect({ ...tls, socket }) : socket)
  } catch (error) {
    done(error as Error, undefined as unknown as Duplex)
  }
}
