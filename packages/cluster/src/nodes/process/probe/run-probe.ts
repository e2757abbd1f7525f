import { request } from 'node:http'
import type { Socket } from 'node:net'
import { connect as tlsConnect } from 'node:tls'
import type { Container, HTTPGetAction, Probe } from 'kubewright/kinds/core/v1'
import type { Clock } from 'kubewright/base'
import type { ProcessEnd } from '../ground/ground.ts'
import { dialError } from './dial-error.ts'
import { askGrpcHealth } from './grpc-health.ts'

/** What a probe said of a container. `problem` is undefined when it is healthy. */
export interface ProbeAnswer {
  readonly problem: string | undefined
}

/** How a probe reaches what it is for. */
export interface ProbeReach {
  readonly podIP: string
  readonly dial: (host: string, port: number) => Promise<Socket>
  /** Runs a command in the container: how it ended, and the first 10 KiB of what it said. */
  readonly exec: (
    command: readonly string[],
    signal: AbortSignal,
  ) => Promise<{ readonly end: ProcessEnd; readonly output: string }>
  readonly clock: Clock
}

/** Anything that is done to a container: a probe or a hook. */
export type Handler = Pick<Probe, 'exec' | 'httpGet' | 'tcpSocket' | 'grpc'>

/** Asks once. Never rejects: what goes wrong is what the probe says, in the kubelet's words (kubernetes/pkg/probe). */
export async function runProbe(
  handler: Handler,
  timeoutSeconds: number,
  container: Container,
  reach: ProbeReach,
): Promise<ProbeAnswer> {
  const timeout = new AbortController()
  const timer = reach.clock.after(timeoutSeconds * 1000, () => timeout.abort())
  try {
    return { problem: await ask(handler, timeoutSeconds, container, reach, timeout.signal) }
  } catch (error) {
    return { problem: (error as Error).message }
  } finally {
    timer.cancel()
    timeout.abort()
  }
}

function ask(
  { exec, httpGet, tcpSocket, grpc }: Handler,
  timeoutSeconds: number,
  container: Container,
  reach: ProbeReach,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (exec) return askExec(exec.command ?? [], timeoutSeconds, reach, signal)
  if (httpGet) return askHttp(httpGet, container, reach, signal)
  if (tcpSocket)
    return askTcp(tcpSocket.host || reach.podIP, portOf(tcpSocket.port, container), reach, signal)
  if (grpc) {
    const { port } = grpc
    const service = grpc.service ?? ''
    const dialled = { host: reach.podIP, port, service, timeoutSeconds }
    return askGrpcHealth(dialled, () => reach.dial(reach.podIP, port), signal)
  }
  return Promise.resolve('missing probe handler')
}

async function askExec(
  command: readonly string[],
  timeoutSeconds: number,
  { exec }: ProbeReach,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { end, output } = await exec(command, signal)
  if (signal.aborted) {
    const shown = JSON.stringify(command.join(' '))
    return `command timed out: ${shown} timed out after ${timeoutSeconds}s`
  }
  return end.exitCode === 0 ? undefined : output
}

async function askTcp(
  host: string,
  port: number,
  { dial }: ProbeReach,
  signal: AbortSignal,
): Promise<string | undefined> {
  const socket = await dialled(host, port, dial, signal)
  socket.destroy()
  return undefined
}

/** A connection, or Go's words for why there is none. */
async function dialled(
  host: string,
  port: number,
  dial: ProbeReach['dial'],
  signal: AbortSignal,
): Promise<Socket> {
  const late = new Promise<never>((_, reject) => {
    const abort = (): void => reject(new Error(`dial tcp ${host}:${port}: i/o timeout`))
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
  const coming = dial(host, port)
  late.catch(() => void coming.then((it) => it.destroy()).catch(() => {}))
  return Promise.race([coming, late]).catch((error: Error) => {
    throw new Error(dialError(error, host, port), { cause: error })
  })
}

async function askHttp(
  action: HTTPGetAction,
  container: Container,
  { podIP, dial }: ProbeReach,
  signal: AbortSignal,
): Promise<string | undefined> {
  const host = action.host || podIP
  const port = portOf(action.port, container)
  const scheme = (action.scheme ?? 'HTTP').toLowerCase()
  const path = (action.path ?? '/').replace(/^(?!\/)/, '/')
  const url = `${scheme}://${host}:${port}${path}`
  try {
    const socket = await dialled(host, port, dial, signal)
    const status = await statusOf(scheme === 'https', socket, path, action, signal)
    return status >= 200 && status < 400
      ? undefined
      : `HTTP probe failed with statuscode: ${status}`
  } catch (error) {
    const why = signal.aborted
      ? 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)'
      : (error as Error).message
    return `Get ${JSON.stringify(url)}: ${why}`
  }
}

function statusOf(
  isTls: boolean,
  socket: Socket,
  path: string,
  { httpHeaders = [] }: HTTPGetAction,
  signal: AbortSignal,
): Promise<number> {
  const given = Object.fromEntries(httpHeaders.map((it) => [it.name.toLowerCase(), it.value ?? '']))
  const host = `${socket.remoteAddress ?? ''}:${socket.remotePort ?? ''}`
  const headers = {
    host,
    'user-agent': 'kube-probe/1.36',
    accept: '*/*',
    connection: 'close',
    ...given,
  }
  return new Promise((resolve, reject) => {
    const createConnection = (): Socket =>
      isTls ? tlsConnect({ socket, rejectUnauthorized: false }) : socket
    const sent = request({ method: 'GET', path, headers, signal, createConnection }, (message) => {
      resolve(message.statusCode ?? 0)
      message.resume()
      socket.destroy()
    })
    sent.once('error', reject)
    sent.end()
  })
}

/** A port by its number, or by the name that the container gives one of its own. */
function portOf(port: number | string, { ports = [], name }: Container): number {
  if (typeof port === 'number') return port
  const found = ports.find((it) => it.name === port)?.containerPort ?? Number(port)
  if (Number.isInteger(found)) return found
  throw new Error(`couldn't find port: ${port} in container ${name}`)
}
