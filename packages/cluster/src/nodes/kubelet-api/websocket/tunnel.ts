import { Duplex } from 'node:stream'
import { WebSocketConnection } from './connection.ts'

/** The bytes of another protocol as binary messages of a WebSocket: the boundaries of messages mean nothing (client-go tools/portforward TunnelingConnection). */
export function webSocketTunnel(socket: Duplex): Duplex {
  const connection = new WebSocketConnection(socket, (payload) => {
    if (!tunnel.push(payload)) connection.pause()
  })
  const tunnel = new Duplex({
    read: () => connection.resume(),
    write: (bytes: Buffer, _encoding, sent) => connection.send(bytes, sent),
    final: (sent) => {
      connection.close()
      sent()
    },
    destroy: (error, done) => {
      connection.close()
      done(error)
    },
  })
  void connection.closed.then(() => tunnel.destroyed || tunnel.push(null))
  return tunnel
}
