import { kindOf } from '../../machinery/kind.ts'
import type { ObjectKey } from '../../machinery/object-key.ts'
import { ApiError, failure, type Status } from '../../machinery/status.ts'
import type { Client } from '../client.ts'
import { objectPath } from '../path.ts'
import type { WebSocketConnection } from './websocket.ts'

/** Which container, and what of it (core/v1 PodExecOptions, PodAttachOptions). */
export interface ExecOptions {
  /** Needed when the pod has several and none is the default one. */
  readonly container?: string
  /** Opens standard input. Default false. */
  readonly stdin?: boolean
  /** Gives it a terminal; standard error then comes with standard output. Default false. */
  readonly tty?: boolean
  /** Ends the session. */
  readonly signal?: AbortSignal
}

/** Bytes of a process, and where it wrote them. */
export interface Output {
  readonly from: 'stdout' | 'stderr'
  readonly bytes: Buffer
}

/**
 * A running process of a container. Its output comes in the order in which the server sent it, as fast as it is read. Leaving
 * `await using` ends the session; the process itself only ends as its input, its terminal or its own will has it.
 */
export interface Session extends AsyncDisposable {
  /** Reads once. */
  readonly output: AsyncIterable<Output>
  /** Writes to standard input. */
  write(data: Uint8Array | string): Promise<void>
  /** Ends standard input. Throws a sentence where the server only speaks v4.channel.k8s.io, which has no way to say so. */
  endInput(): Promise<void>
  /** Tells a terminal its size, in characters. */
  resize(size: { readonly width: number; readonly height: number }): Promise<void>
  /** Reads what is left of the output, and answers with the exit code. Rejects with an ApiError when the process could not be run. */
  exit(): Promise<number>
  close(): void
}

const POD = kindOf('v1', 'Pod', 'pods', 'Namespaced')
/** Channel protocols of remote commands (KEP-4006): 5 can end an input, 4 is the one that every server speaks. */
const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io']
/** What the first byte of a message says it belongs to (k8s.io/apimachinery/pkg/util/remotecommand). */
const CHANNEL = Object.freeze({ stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 })

/** Runs a command in a container of a pod. */
export const execIn = (
  client: Client,
  pod: ObjectKey,
  command: readonly string[],
  options: ExecOptions,
): Promise<Session> => openSession(client, pod, 'exec', command, options)

/** Joins the main process of a container of a pod. */
export const attachTo = (client: Client, pod: ObjectKey, options: ExecOptions): Promise<Session> =>
  openSession(client, pod, 'attach', [], options)

async function openSession(
  client: Client,
  pod: ObjectKey,
  what: 'exec' | 'attach',
  command: readonly string[],
  options: ExecOptions,
): Promise<Session> {
  const { container, stdin = false, tty = false, signal } = options
  const query = new URLSearchParams(command.map((it) => ['command', it]))
  if (container) query.set('container', container)
  for (const [name, wanted] of Object.entries({ stdin, stdout: true, stderr: !tty, tty }))
    if (wanted) query.set(name, 'true')
  const path = `${objectPath(POD, pod, client.namespace, what)}?${query}`
  const socket = await client.webSocket({ method: 'GET', path, signal }, PROTOCOLS)
  return sessionOver(socket)
}

/** The {@link Session} over a WebSocket that speaks one of the channel protocols. */
export function sessionOver(socket: WebSocketConnection): Session {
  let status: Status | undefined
  const output = readOutput(socket, (it) => (status = it))
  const send = (channel: number, data: Uint8Array | string): Promise<void> =>
    socket.send(Buffer.concat([Buffer.from([channel]), Buffer.from(data)]))
  return {
    output,
    write: (data) => send(CHANNEL.stdin, data),
    async endInput() {
      if (socket.protocol !== PROTOCOLS[0])
        throw new Error(
          `the server speaks ${socket.protocol || 'no protocol that it names'}, which cannot end an input; send what ends it to the process, or update the server to Kubernetes 1.30`,
        )
      await send(CHANNEL.close, Uint8Array.of(CHANNEL.stdin))
    },
    resize: ({ width, height }) =>
      send(CHANNEL.resize, JSON.stringify({ Width: width, Height: height })),
    async exit() {
      // Whatever nobody read.
      for (let next = await output.next(); !next.done; next = await output.next()) continue
      return exitCodeOf(status)
    },
    close: () => socket.close(),
    [Symbol.asyncDispose]: async () => socket.close(),
  }
}

async function* readOutput(
  socket: WebSocketConnection,
  onStatus: (status: Status) => void,
): AsyncGenerator<Output, void, undefined> {
  for await (const message of socket.messages) {
    const bytes = message.subarray(1)
    switch (message[0]) {
      case CHANNEL.stdout:
      case CHANNEL.stderr:
        if (bytes.length > 0)
          yield { from: message[0] === CHANNEL.stdout ? 'stdout' : 'stderr', bytes }
        break
      case CHANNEL.error:
        if (bytes.length > 0) onStatus(statusIn(bytes.toString('utf8')))
        break
    }
  }
}

/** What the error channel says: a Status, or from old runtimes a plain sentence. */
function statusIn(text: string): Status {
  try {
    const parsed = JSON.parse(text) as Partial<Status>
    // Container runtimes leave out of which kind it is.
    if (parsed.status === 'Success' || parsed.status === 'Failure')
      return { ...parsed, kind: 'Status', apiVersion: 'v1' } as Status
  } catch {
    // Not JSON: a sentence.
  }
  return failure(500, 'InternalError', text)
}

/** Success is 0; a code that is not says so in a cause (client-go tools/remotecommand/v4.go); everything else is an error. */
function exitCodeOf(status: Status | undefined): number {
  if (!status)
    throw new Error(
      'the connection ended before the server said how the process did; it may still be running',
    )
  if (status.status === 'Success') return 0
  const cause = status.details?.causes?.find((it) => it.reason === 'ExitCode')
  const code = Number(cause?.message)
  if ((status.reason as string) === 'NonZeroExitCode' && Number.isInteger(code)) return code
  throw new ApiError({ ...status, code: status.code ?? 500 })
}

/** What a command did, all at once. */
export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command to its end: `await runIn(client, 'web-0', ['cat'], { input: 'hello' })`. For output that fits into memory. */
export async function runIn(
  client: Client,
  pod: ObjectKey | string,
  command: readonly string[],
  options: Omit<ExecOptions, 'stdin' | 'tty'> & { readonly input?: Uint8Array | string } = {},
): Promise<Ran> {
  const { input, ...rest } = options
  await using session = await client.exec(pod, command, { ...rest, stdin: input !== undefined })
  const feeding = input === undefined ? undefined : feed(session, input)
  // Told when the process has ended: it may well end before it has read all.
  feeding?.catch(() => {})
  const parts: Record<Output['from'], Buffer[]> = { stdout: [], stderr: [] }
  for await (const { from, bytes } of session.output) parts[from].push(bytes)
  const code = await session.exit()
  const text = (from: Output['from']): string => Buffer.concat(parts[from]).toString('utf8')
  return { code, stdout: text('stdout'), stderr: text('stderr') }
}

async function feed(session: Session, input: Uint8Array | string): Promise<void> {
  const bytes = Buffer.from(input)
  for (let at = 0; at < bytes.length; at += CHUNK)
    await session.write(bytes.subarray(at, at + CHUNK))
  await session.endInput()
}

/** What one message carries at most, bytes: servers read them whole. */
export const CHUNK: number = 32 << 10
