import { mkdirSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { Clock } from 'kubewright/base'
import type { Container, Pod } from 'kubewright/kinds/core/v1'
import type { Usage } from '../kubelet-api/pod-access.ts'
import { type ContainerNeeds, execSpec, planContainer, terminationFile } from './container-plan.ts'
import { ContainerConfigError } from './environment/environment.ts'
import {
  LaunchError,
  type LaunchSpec,
  type ProcessEnd,
  type RunningContainer,
  type RunningProcess,
  type Sandbox,
} from './ground/ground.ts'
import { LogFile, type LogLimits } from './log/log-file.ts'
import type { Ending, Fact } from './pod/state.ts'
import { probeContainer } from './probe/prober.ts'
import { type Handler, type ProbeReach, runProbe } from './probe/run-probe.ts'
import { ProcessUsage } from './process-usage.ts'
import { terminationMessage } from './termination-message.ts'

/** What a run of a container has around it. */
export interface RunnerSurroundings {
  readonly clock: Clock
  readonly sandbox: Sandbox
  readonly limits: LogLimits
  readonly podIP: string
  readonly dial: ProbeReach['dial']
  readonly logFile: string
  readonly tell: (fact: Fact) => void
  readonly say: (type: 'Normal' | 'Warning', reason: string, message: string) => void
}

/** The least time that a container has to end in, in milliseconds (kuberuntime minimumGracePeriodInSeconds). */
const LEAST_GRACE = 2000
/** How long a container's output may be on its way after its end, ms. */
const LAST_WORDS = 500

/** One run of one container: from finding out what to start until its process has ended. */
export class ContainerRunner {
  readonly container: Container
  readonly run: number
  readonly #around: RunnerSurroundings
  readonly #over = new AbortController()
  #plan: LaunchSpec | undefined
  #process: RunningContainer | undefined
  #log: LogFile | undefined
  #startedAt = 0
  #usage: ProcessUsage | undefined

  constructor(container: Container, run: number, around: RunnerSurroundings) {
    this.container = container
    this.run = run
    this.#around = around
  }

  /** The process, while it runs. */
  get process(): RunningContainer | undefined {
    return this.#over.signal.aborted ? undefined : this.#process
  }

  /** When its process began, milliseconds since the epoch; 0 before. */
  get startedAt(): number {
    return this.#startedAt
  }

  /** What its processes use; undefined when there are none. */
  usage(now: number): Usage | undefined {
    const pid = this.process?.pid
    if (pid === undefined) return undefined
    this.#usage ??= new ProcessUsage(pid, this.#startedAt)
    return this.#usage.measure(now)
  }

  get log(): LogFile | undefined {
    return this.#log
  }

  /** Starts it. What comes of it is told as facts; never rejects. */
  async start(pod: Pod, needs: ContainerNeeds): Promise<void> {
    try {
      mkdirSync(needs.folder, { recursive: true })
      writeFileSync(terminationFile(needs.folder), '')
      this.#plan = await planContainer(pod, this.container, needs)
      mkdirSync(this.#plan.folder, { recursive: true })
      this.#process = await this.#around.sandbox.launch(this.#plan)
    } catch (error) {
      return this.#notStarted(error as Error)
    }
    this.#attend(this.#process, needs.folder)
    await this.#begin(this.#process)
  }

  /** Starts another process beside the container's own. Rejects when there is none, or with a LaunchError. */
  exec(
    command: readonly string[],
    options?: { readonly stdin?: boolean; readonly tty?: boolean },
  ): Promise<RunningProcess> {
    const { process } = this
    if (!process || !this.#plan) throw new Error(`container not running (${this.container.name})`)
    return process.exec(execSpec(this.#plan, command, options))
  }

  /** Lets the container's hook run, asks it to end, and ends it when the time is over. */
  async stop(grace: number): Promise<void> {
    const { clock } = this.#around
    const deadline = clock.now() + grace
    const hook = this.container.lifecycle?.preStop
    if (hook && grace > 0) await this.#hook('PreStop', hook, grace / 1000)
    this.process?.signal(stopSignal(this.container))
    await clock
      .sleep(Math.max(LEAST_GRACE, deadline - clock.now()), this.#over.signal)
      .catch(() => {})
    this.process?.kill()
  }

  /** Ends it at once. */
  kill(): void {
    this.process?.kill()
  }

  /** Writes its output down, and tells of its end. */
  #attend(process: RunningContainer, folder: string): void {
    const { clock, limits, logFile } = this.#around
    const log = new LogFile(logFile, clock, limits)
    this.#log = log
    log.take(process.stdout, 'stdout')
    log.take(process.stderr, 'stderr')
    void process.ended.then((end) => this.#ended(end, log, folder))
  }

  async #ended(end: ProcessEnd, log: LogFile, folder: string): Promise<void> {
    const { clock } = this.#around
    const at = clock.now()
    this.#over.abort()
    await Promise.race([log.ended, clock.sleep(LAST_WORDS)])
    const file = terminationFile(folder)
    const message = await terminationMessage(this.container, file, log.path, end.exitCode)
    await rm(folder, { recursive: true, force: true }).catch(() => {})
    this.#tellEnd({ at, exitCode: end.exitCode, ...(message !== '' && { message }) })
  }

  #tellEnd(how: Ending): void {
    this.#around.tell({ is: 'ended', container: this.container.name, run: this.run, how })
  }

  #notStarted(error: Error): void {
    const { clock, tell, say } = this.#around
    this.#over.abort()
    if (error instanceof LaunchError && error.reason === 'StartError') {
      say('Warning', 'Failed', `Error: ${error.message}`)
      return this.#tellEnd({
        at: clock.now(),
        exitCode: 128,
        reason: error.reason,
        message: error.message,
      })
    }
    const reason =
      error instanceof ContainerConfigError ? 'CreateContainerConfigError' : 'CreateContainerError'
    tell({
      is: 'refused',
      container: this.container.name,
      run: this.run,
      reason,
      message: error.message,
    })
  }

  /** A container counts as started when its hook has run; one whose hook fails is ended. */
  async #begin(process: RunningContainer): Promise<void> {
    const { clock, tell } = this.#around
    const about = { container: this.container.name, run: this.run }
    const since = clock.now()
    this.#startedAt = since
    const hook = this.container.lifecycle?.postStart
    if (hook && !(await this.#hook('PostStart', hook, HOOK_SECONDS))) process.kill()
    tell({ is: 'started', ...about, at: since })
    const listener = {
      verdict: (probe: 'startup' | 'liveness' | 'readiness', healthy: boolean): void =>
        tell({ is: 'probed', ...about, probe, healthy }),
      problem: (probe: string, problem: string): void =>
        this.#around.say('Warning', 'Unhealthy', `${upperFirst(probe)} probe failed: ${problem}`),
    }
    await probeContainer(this.container, this.#reach(), listener, this.#over.signal)
  }

  async #hook(
    name: 'PostStart' | 'PreStop',
    handler: LifecycleHandler,
    seconds: number,
  ): Promise<boolean> {
    const { clock, say } = this.#around
    if (handler.sleep) {
      await clock.sleep(handler.sleep.seconds * 1000, this.#over.signal).catch(() => {})
      return true
    }
    const { problem } = await runProbe(handler as Handler, seconds, this.container, this.#reach())
    if (problem === undefined) return true
    say('Warning', `Failed${name}Hook`, `${name}Hook failed: ${problem}`)
    return false
  }

  #reach(): ProbeReach {
    const { podIP, dial, clock } = this.#around
    return { podIP, dial, clock, exec: (command, signal) => this.#output(command, signal) }
  }

  /** What a command in the container says, the first 10 KiB of it. */
  async #output(
    command: readonly string[],
    signal: AbortSignal,
  ): Promise<{ readonly end: ProcessEnd; readonly output: string }> {
    const process = await this.exec(command)
    const chunks: Buffer[] = []
    let length = 0
    for (const stream of [process.stdout, process.stderr])
      stream.on('data', (chunk: Buffer) => {
        if (length < MOST_OUTPUT) chunks.push(chunk)
        length += chunk.length
      })
    const kill = (): void => process.kill()
    signal.addEventListener('abort', kill, { once: true })
    if (signal.aborted) kill()
    const end = await process.ended
    signal.removeEventListener('abort', kill)
    return { end, output: Buffer.concat(chunks).subarray(0, MOST_OUTPUT).toString('utf8') }
  }
}

type LifecycleHandler = NonNullable<NonNullable<Container['lifecycle']>['preStop']>

const MOST_OUTPUT = 10 * 1024
/** How long a postStart hook may take, s: nothing else ends it. */
const HOOK_SECONDS = 600

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** By what a container is asked to end: SIGTERM, or what it names itself. */
const stopSignal = ({ lifecycle }: Container): string => lifecycle?.stopSignal ?? 'SIGTERM'
