import { existsSync } from 'node:fs'
import { finished } from 'node:stream/promises'
import type { Duplex, Readable, Writable } from 'node:stream'
import type { Clock } from 'kubewright/base'
import type {
  ContainerRef,
  ContainerStreams,
  LogOptions,
  PodAccess,
  PodRef,
  PodUsage,
} from '../kubelet-api/pod-access.ts'
import type { ContainerRunner } from './container-runner.ts'
import type { Ground, RunningProcess } from './ground/ground.ts'
import { resizeTerminal } from './ground/tty.ts'
import { readLog } from './log/read-log.ts'
import type { Resident, Residents } from './process-kubelets.ts'

/** The ways into pods whose containers are processes. */
export class ProcessAccess implements PodAccess {
  readonly #residents: Residents
  readonly #ground: Ground
  readonly #clock: Clock

  constructor(residents: Residents, ground: Ground, clock: Clock) {
    this.#residents = residents
    this.#ground = ground
    this.#clock = clock
  }

  async logs(
    of: ContainerRef,
    { previous, ...options }: LogOptions,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    const { runner, state } = this.#residentOf(of)
    const starts = state?.containers.find((it) => it.name === of.container)?.starts ?? 0
    const run = previous ? starts - 1 : starts
    const path = runner.logFile(of.container, run)
    if (run < 1 || !existsSync(path))
      throw new Error(
        previous
          ? `previous terminated container ${JSON.stringify(of.container)} in pod ${JSON.stringify(of.name)} not found`
          : `container ${JSON.stringify(of.container)} in pod ${JSON.stringify(of.name)} is not available`,
      )
    const present = runner.container(of.container)
    const live = present?.run === run ? present.log : undefined
    return readLog(path, live, { ...options, signal })
  }

  async exec(
    of: ContainerRef,
    command: readonly string[],
    streams: ContainerStreams,
    signal: AbortSignal,
  ): Promise<number> {
    const { stdin, stdout, stderr, tty, resize } = streams
    const process = await this.#runnerOf(of).exec(command, { stdin: stdin !== undefined, tty })
    const kill = (): void => process.kill()
    signal.addEventListener('abort', kill, { once: true })
    if (signal.aborted) kill()
    if (stdin && process.stdin) stdin.pipe(process.stdin)
    if (tty) void followSize(process, resize)
    const written = Promise.all([drain(process.stdout, stdout), drain(process.stderr, stderr)])
    const { exitCode } = await process.ended
    await written
    signal.removeEventListener('abort', kill)
    return exitCode
  }

  async attach(of: ContainerRef, streams: ContainerStreams, signal: AbortSignal): Promise<void> {
    const runner = this.#runnerOf(of)
    const { process } = runner
    if (!process) throw notRunning(of)
    const { stdin, stdout, stderr, tty, resize } = streams
    const over = new AbortController()
    const stop = AbortSignal.any([signal, over.signal])
    forward(process.stdout, stdout, stop)
    forward(process.stderr, stderr ?? (tty ? stdout : undefined), stop)
    if (stdin && process.stdin) {
      stdin.pipe(process.stdin, { end: runner.container.stdinOnce ?? false })
      stop.addEventListener('abort', () => stdin.unpipe(process.stdin), { once: true })
    }
    if (tty) void followSize(process, resize)
    const gone = new Promise<void>((resolve) => {
      if (signal.aborted) resolve()
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
    await Promise.race([this.#last(runner, process), gone])
    over.abort()
  }

  /** A connection to the pod's own address: what listens on its loopback alone is not reached. */
  async dial(of: PodRef, port: number, signal: AbortSignal): Promise<Duplex> {
    const socket = await this.#ground.dial(this.#residentOf(of).podIP, port)
    if (signal.aborted) socket.destroy()
    else signal.addEventListener('abort', () => socket.destroy(), { once: true })
    return socket
  }

  usage(of: PodRef): PodUsage | undefined {
    const resident = this.#residents.get(of.uid)
    if (!resident) return undefined
    const now = this.#clock.now()
    return {
      containers: resident.runner.runners().flatMap((it) => {
        const usage = it.usage(now)
        return usage ? [{ name: it.container.name, startedAt: it.startedAt, ...usage }] : []
      }),
    }
  }

  /** The end of a process, with all that it said. */
  async #last({ log }: ContainerRunner, process: RunningProcess): Promise<void> {
    await process.ended
    await log?.ended
  }

  #residentOf({ uid, namespace, name }: PodRef): Resident {
    const found = this.#residents.get(uid)
    if (!found) throw new Error(`pod ${JSON.stringify(`${name}_${namespace}`)} not found`)
    return found
  }

  #runnerOf(of: ContainerRef): ContainerRunner {
    const found = this.#residentOf(of).runner.container(of.container)
    if (!found?.process) throw notRunning(of)
    return found
  }
}

const notRunning = ({ container }: ContainerRef): Error =>
  new Error(`container not found (${JSON.stringify(container)})`)

/** Writes all that a process says; what nobody asked for is dropped. */
async function drain(from: Readable, to: Writable | undefined): Promise<void> {
  if (to) from.pipe(to, { end: false })
  else from.resume()
  await finished(from).catch(() => {})
}

/** Writes what is said from now on, beside whoever else listens. */
function forward(from: Readable, to: Writable | undefined, stop: AbortSignal): void {
  if (!to) return
  const write = (chunk: Buffer): void => void to.write(chunk)
  from.on('data', write)
  stop.addEventListener('abort', () => from.off('data', write), { once: true })
}

async function followSize(
  process: RunningProcess,
  resize: ContainerStreams['resize'],
): Promise<void> {
  for await (const size of resize) await resizeTerminal(process.terminal, size).catch(() => {})
}
