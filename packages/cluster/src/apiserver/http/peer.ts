import type { X509Certificate } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import type { Peer } from './message.ts'

const DEEPEST = 8
/** Under which a connection keeps who is at its other end. */
const PEER: unique symbol = Symbol('peer')

/** Who is at the other end of a connection: the certificate that came with it, read once for all its requests. */
export function peerOf(socket: TLSSocket & { [PEER]?: Peer }): Peer {
  return (socket[PEER] ??= read(socket))
}

function read(socket: TLSSocket): Peer {
  const leaf = socket.getPeerX509Certificate()
  const { remoteAddress } = socket
  return {
    kind: 'socket',
    ...(leaf ? { certificate: { leaf, intermediates: issuersOf(leaf) } } : {}),
    ...(remoteAddress === undefined ? {} : { address: remoteAddress }),
  }
}

function issuersOf(leaf: X509Certificate): readonly X509Certificate[] {
  const found: X509Certificate[] = []
  let { issuerCertificate: next } = leaf
  while (next && found.length < DEEPEST && !found.includes(next)) {
    found.push(next)
    next = next.issuerCertificate
  }
  return found
}
