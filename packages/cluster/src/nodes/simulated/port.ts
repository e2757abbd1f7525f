import { Duplex } from 'node:stream'
import type { Pod } from 'kubewright/kinds/core/v1'
import { containersOf } from '../kubelet-api/container-state.ts'

/**
 * Connects to a port of a simulated pod: one that its containers declare answers every request of HTTP with a sentence, at others nobody
 * listens.
 */
export function openPort(pod: Pod, port: number): Duplex {
  const declared = containersOf(pod).flatMap((it) => it.ports ?? [])
  if (!declared.some((it) => it.containerPort === port))
    throw new Error(
      `failed to connect to localhost:${port} inside namespace of pod ${pod.metadata.name}: dial tcp 127.0.0.1:${port}: connect: connection refused`,
    )
  const { namespace, name } = pod.metadata
  const body = `pod ${namespace}/${name} is simulated: nothing serves port ${port}, but this sentence\n`
  return answering(
    `HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}

/** A connection that answers as soon as the head of a request is there, and hangs up. */
function answering(answer: string): Duplex {
  let head = ''
  const connection = new Duplex({
    read: () => {},
    write: (bytes: Buffer, _encoding, done) => {
      const isAnswered = head.includes('\r\n\r\n')
      if (!isAnswered) head += bytes.toString('latin1')
      if (!isAnswered && head.includes('\r\n\r\n')) {
        connection.push(answer)
        connection.push(null)
      }
      done()
    },
    final: (done) => {
      if (!head.includes('\r\n\r\n')) connection.push(null)
      done()
    },
  })
  return connection
}
