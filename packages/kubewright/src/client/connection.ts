import type { Duplex } from 'node:stream'
import type { Transport } from '../base/transport.ts'

/** Asks for an upgrade (RFC 9110 7.8): the raw connection after a 101, or any other answer. */
export type Upgrade = (
  request: Request,
  protocol: string,
) => Promise<
  | { readonly socket: Duplex; readonly headers: Headers }
  | { readonly socket: undefined; readonly response: Response }
>

/** A way to one API server. */
export interface Connection {
  /** The server's address, perhaps with a path: `https://10.0.0.1:6443`. */
  readonly server: string
  readonly transport: Transport
  /** The namespace of keys that name none. */
  readonly namespace: string
  /** Makes a call that becomes another protocol; absent where there are no sockets. */
  readonly upgrade?: Upgrade
  /** Closes idle sockets. */
  readonly close: () => Promise<void>
}

/** A connection over a transport that is already there: an in-process server's `fetch`. */
export function connectionOver(
  transport: Transport,
  options: { readonly server?: string; readonly namespace?: string } = {},
): Connection {
  const { server = 'http://kubewright.internal', namespace = 'default' } = options
  return { server, transport, namespace, close: async () => {} }
}
