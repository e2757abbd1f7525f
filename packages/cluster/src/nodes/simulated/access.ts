import type { Duplex } from 'node:stream'
import { once } from 'node:events'
import type { Clock } from 'kubewright/base'
import type { Container } from 'kubewright/kinds/core/v1'
import type { Behaviours } from '../behaviour/behaviour.ts'
import { selectLog } from '../kubelet-api/log.ts'
import type {
  ContainerRef,
  ContainerStreams,
  PodAccess,
  PodRef,
  PodUsage,
} from '../kubelet-api/pod-access.ts'
import { specOf } from '../pod/container.ts'
import type { ContainerRun } from '../pod/state.ts'
import { isProgram, runProgram } from '../shell/shell.ts'
import { previousSpan, spanOf, split, timed, writings } from './log.ts'
import type { Machine, Resident } from './machine.ts'
import { openPort } from './port.ts'
import { drive, linesOf, shellContext } from './program.ts'
import { containerUsage } from './usage.ts'

/** What a simulated node's pods are reached with. */
export interface AccessParts {
  readonly machine: Machine
  readonly behaviours: Behaviours
  readonly clock: Clock
  /** Has the kubelet look at a pod again. */
  readonly wake: (of: PodRef) => void
}

/** The way into the pods of a simulated node: they write and do what can be told of them by their commands, or what they are told to. */
export class SimulatedAccess implements PodAccess {
  readonly #parts: AccessParts

  constructor(parts: AccessParts) {
    this.#parts = parts
  }

  async logs(
    ...[of, options, signal]: Parameters<PodAccess['logs']>
  ): ReturnType<PodAccess['logs']> {
    const { machine, behaviours, clock } = this.#parts
    const { pod, run } = this.#find(of)
    const span = options.previous ? previousSpan(run) : spanOf(run)
    if (!span) throw new Error(`container "${of.container}" has written nothing yet`)
    const all = writings(pod, of.container, machine.spec, behaviours, span.since)
    const { there, coming } = split(all, span, clock.now())
    const isLive = options.follow && span.until === undefined
    if (!isLive) return selectLog(there, undefined, options)
    const ended = this.#over(of, run.starts, signal)
    return selectLog(there, timed(coming, clock, ended, signal), options)
  }

  async exec(...[of, command, streams, signal]: Parameters<PodAccess['exec']>): Promise<number> {
    const { pod, run } = this.#find(of)
    const told = this.#parts.behaviours.of(pod, of.container).exec
    if (!told) return this.#run(of, specOf(pod, run), command, streams, signal)
    const { stdout = '', stderr = '', code = 0 } = told(command, await whole(streams.stdin))
    await write(streams.stdout, stdout)
    await write(streams.stderr ?? streams.stdout, stderr)
    return code
  }

  /** Who is attached to a container that waits for him is its process; it ends with him. Others see what it writes. */
  async attach(...[of, streams, signal]: Parameters<PodAccess['attach']>): Promise<void> {
    const { pod, run } = this.#find(of)
    const spec = specOf(pod, run)
    if (spec.stdin && streams.stdin) {
      const words = [...(spec.command ?? ['sh']), ...(spec.args ?? [])]
      const code = await this.#run(of, spec, words, { ...streams, tty: spec.tty ?? false }, signal)
      if (signal.aborted && !spec.stdinOnce) return
      this.#parts.machine.end(of.uid, of.container, run.starts, code)
      this.#parts.wake(of)
      return
    }
    const options = { follow: true, previous: false, timestamps: false, tailLines: 0 }
    for await (const bytes of await this.logs(of, options, signal))
      await write(streams.stdout, bytes)
  }

  async dial(of: PodRef, port: number): Promise<Duplex> {
    const { pod } = this.#resident(of)
    return openPort(pod, port)
  }

  usage(of: PodRef): PodUsage | undefined {
    const { machine, behaviours, clock } = this.#parts
    const resident = machine.find(of.uid)
    if (!resident) return undefined
    const { pod, state } = resident
    return {
      containers: state.containers.flatMap((it) =>
        it.phase.is === 'running'
          ? [containerUsage(pod, it.name, it.phase.since, behaviours, clock.now())]
          : [],
      ),
    }
  }

  async #run(
    of: ContainerRef,
    spec: Container,
    command: readonly string[],
    { stdin, stdout, stderr, tty }: ContainerStreams,
    signal: AbortSignal,
  ): Promise<number> {
    const [program = ''] = command
    if (!isProgram(program)) throw notFound(program)
    const { clock, machine } = this.#parts
    const { pod } = this.#resident(of)
    const now = (): number => clock.now()
    const context = shellContext(pod, spec, machine.spec, { now, tty, isLenient: false })
    const lines = stdin && linesOf(stdin)
    const newlines = (text: string): string => (tty ? text.replaceAll('\n', '\r\n') : text)
    try {
      return await drive(runProgram(command, context), {
        write: (stream, text) =>
          write(stream === 'stderr' && !tty ? stderr : stdout, newlines(text)),
        sleep: (ms) => clock.sleep(ms, signal),
        read: async () => {
          const next = await lines?.next()
          return next?.done ? undefined : next?.value
        },
      })
    } catch (error) {
      // Killed with its client.
      if (signal.aborted) return 137
      throw error
    }
  }

  /** Resolves when a run of a container is over, or nobody waits any more. */
  async #over(of: ContainerRef, starts: number, signal: AbortSignal): Promise<void> {
    const { clock, machine } = this.#parts
    while (!signal.aborted) {
      const state = machine.find(of.uid)?.state
      const run = state?.containers.find((it) => it.name === of.container)
      if (run?.phase.is !== 'running' || run.starts !== starts) return
      await clock.sleep(LOOK, signal).catch(() => {})
    }
  }

  #find(of: ContainerRef): Resident & { readonly run: ContainerRun } {
    const resident = this.#resident(of)
    const run = resident.state.containers.find((it) => it.name === of.container)
    if (!run) throw new Error(`container "${of.container}" has not been started yet`)
    return { ...resident, run }
  }

  #resident({ uid, name }: PodRef): Resident {
    const resident = this.#parts.machine.find(uid)
    if (!resident) throw new Error(`pod "${name}" is not on this node`)
    return resident
  }
}

/** How often who follows a log looks whether its container still runs, in milliseconds. */
const LOOK = 250

/** What containerd says of a program that is not there. */
const notFound = (program: string): Error =>
  new Error(
    `failed to exec in container: failed to start exec: OCI runtime exec failed: exec failed: unable to start container process: exec: ${JSON.stringify(program)}: executable file not found in $PATH`,
  )

async function write(
  stream: ContainerStreams['stdout'],
  bytes: string | Uint8Array,
): Promise<void> {
  if (!stream || stream.destroyed || bytes.length === 0) return
  if (!stream.write(bytes)) await Promise.race([once(stream, 'drain'), once(stream, 'close')])
}

async function whole(stream: ContainerStreams['stdin']): Promise<string> {
  let text = ''
  for await (const chunk of stream ?? []) text += String(chunk)
  return text
}
