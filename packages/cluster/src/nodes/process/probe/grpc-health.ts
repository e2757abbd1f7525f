import { connect } from 'node:http2'
import type { Socket } from 'node:net'
import { dialError } from './dial-error.ts'

/** Whose health is asked for. */
export interface GrpcTarget {
  readonly host: string
  readonly port: number
  readonly service: string
  readonly timeoutSeconds: number
}

/** HealthCheckResponse.ServingStatus (grpc.health.v1). */
const STATUSES = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'] as const
const UNIMPLEMENTED = 12

/** Asks grpc.health.v1.Health/Check. Answers with what is wrong, in the kubelet's words, or undefined. */
export async function askGrpcHealth(
  target: GrpcTarget,
  dial: () => Promise<Socket>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const address = JSON.stringify(`${target.host}:${target.port}`)
  let socket: Socket
  try {
    socket = await dial()
  } catch (error) {
    return `error: failed to connect service at ${address}: ${dialError(error as Error, target.host, target.port)}`
  }
  try {
    const { code, message, status } = await check(socket, target, signal)
    if (code === UNIMPLEMENTED)
      return `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${message}`
    if (code !== 0)
      return `error: health rpc probe failed: rpc error: code = ${code} desc = ${message}`
    return status === 'SERVING'
      ? undefined
      : `service unhealthy (responded with ${JSON.stringify(status)})`
  } catch (error) {
    if (signal.aborted)
      return `timeout: health rpc did not complete within ${target.timeoutSeconds}s`
    return `error: health rpc probe failed: ${(error as Error).message}`
  } finally {
    socket.destroy()
  }
}

interface Checked {
  readonly code: number
  readonly message: string
  readonly status: string
}

function check(
  socket: Socket,
  { host, port, service }: GrpcTarget,
  signal: AbortSignal,
): Promise<Checked> {
  return new Promise((resolve, reject) => {
    const session = connect(`http://${host}:${port}`, { createConnection: () => socket })
    session.once('error', reject)
    signal.addEventListener('abort', () => reject(new Error('timeout')), { once: true })
    const stream = session.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      'user-agent': 'kube-probe/1.36',
      te: 'trailers',
    })
    const chunks: Buffer[] = []
    let ending: Readonly<Record<string, unknown>> = {}
    stream.once('response', (headers) => (ending = headers))
    stream.once('trailers', (trailers) => (ending = { ...ending, ...trailers }))
    stream.on('data', (chunk: Buffer) => void chunks.push(chunk))
    stream.once('error', reject)
    stream.once('end', () => {
      const code = Number(ending['grpc-status'] ?? (ending[':status'] === 200 ? 0 : 2))
      resolve({
        code,
        message: String(ending['grpc-message'] ?? ''),
        status: servingStatus(Buffer.concat(chunks)),
      })
      session.close()
    })
    stream.end(framed(service))
  })
}

/** HealthCheckRequest { string service = 1 } behind gRPC's five bytes. */
function framed(service: string): Buffer {
  const name = Buffer.from(service)
  const message =
    name.length > 0 ? Buffer.concat([Buffer.of(0x0a, name.length), name]) : Buffer.alloc(0)
  const head = Buffer.alloc(5)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}

/** HealthCheckResponse { ServingStatus status = 1 }. */
function servingStatus(frame: Buffer): string {
  const message = frame.subarray(5)
  return STATUSES[message[0] === 0x08 ? (message[1] ?? 0) : 0] ?? 'UNKNOWN'
}
