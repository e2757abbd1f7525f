import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from 'kubewright/base'
import type { Pod } from 'kubewright/kinds/core/v1'
import { ContainerRunner } from './container-runner.ts'
import type { EnvironmentSources } from './environment/environment.ts'
import type { Ground, Mount, RunningContainer, Sandbox } from './ground/ground.ts'
import type { ImageProgram } from './image/image-map.ts'
import type { LogLimits } from './log/log-file.ts'
import type { Action, Fact } from './pod/state.ts'
import { containerSpec } from './pod/state.ts'
import { writePodFiles } from './pod-files.ts'
import { makeVolume, type VolumePlaces } from './volume/make-volume.ts'

/** What a pod's runner has around it. */
export interface PodSurroundings {
  readonly ground: Ground
  readonly clock: Clock
  readonly limits: LogLimits
  readonly podIP: string
  readonly hostname: string
  /** Where names of services are asked for. */
  readonly nameserver: string
  /** The pod's own folder. */
  readonly folder: string
  readonly findImage: (image: string) => ImageProgram | undefined
  readonly environment: () => EnvironmentSources
  readonly volumes: () => VolumePlaces
  /** Is called when there is a new fact. */
  readonly wake: () => void
  readonly say: (
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
    container?: string,
  ) => void
}

/** The first wait after a pod's network or a volume could not be made, and the longest, ms. */
const RETRY = 500
const LONGEST_RETRY = 60_000

/** Does for one pod what its machine asks for, and collects what comes of it. */
export class PodRunner {
  readonly #around: PodSurroundings
  readonly #containers = new Map<string, ContainerRunner>()
  readonly #over = new AbortController()
  #podMounts: readonly Mount[] = []
  #facts: Fact[] = []
  #pod: Pod
  #sandbox: Sandbox | undefined
  #volumes: ReadonlyMap<string, string> = new Map()
  #refreshing: Promise<void> = Promise.resolve()
  #preparing: Promise<void> = Promise.resolve()
  #closing: Promise<void> | undefined

  constructor(pod: Pod, around: PodSurroundings) {
    this.#pod = pod
    this.#around = around
  }

  /** What has happened since it was last asked. */
  takeFacts(): readonly Fact[] {
    const facts = this.#facts
    this.#facts = []
    return facts
  }

  /** The present run of a container, or its last. */
  container(name: string): ContainerRunner | undefined {
    return this.#containers.get(name)
  }

  /** The present or last run of every container. */
  runners(): readonly ContainerRunner[] {
    return [...this.#containers.values()]
  }

  /** The processes of its containers. */
  running(): readonly RunningContainer[] {
    return [...this.#containers.values()].flatMap((it) => it.process ?? [])
  }

  /** The file that a run's log is in. */
  logFile(container: string, run: number): string {
    return join(this.#around.folder, 'logs', container, `${run - 1}.log`)
  }

  perform(action: Action): void {
    switch (action.is) {
      case 'prepare':
        this.#preparing = this.#prepare()
        return
      case 'start':
        return void this.#start(action.container, action.run)
      case 'stop': {
        const found = this.#containers.get(action.container)
        if (found?.run === action.run) void found.stop(action.grace)
      }
    }
  }

  /** Takes the pod as it is now, and writes anew what its volumes show of it and of the API. */
  update(pod: Pod): void {
    this.#pod = pod
    if (this.#volumes.size === 0) return
    // What cannot be had now is had with the next change; the volume stays as it was.
    this.#refreshing = this.#refreshing.then(() => this.#makeVolumes()).catch(() => {})
  }

  /** Ends everything, and removes the pod's folder unless the node goes on later. */
  close({ keepFolder = false }: { readonly keepFolder?: boolean } = {}): Promise<void> {
    return (this.#closing ??= this.#end(keepFolder))
  }

  async #end(keepFolder: boolean): Promise<void> {
    this.#over.abort()
    for (const it of this.#containers.values()) it.kill()
    // Volumes that are still being made would be written into the folder that goes.
    await this.#preparing
    await this.#sandbox?.close()
    await this.#refreshing
    if (!keepFolder) await rm(this.#around.folder, { recursive: true, force: true })
  }

  #tell(fact: Fact): void {
    if (this.#over.signal.aborted) return
    this.#facts.push(fact)
    this.#around.wake()
  }

  async #prepare(): Promise<void> {
    const { clock } = this.#around
    for (let wait = RETRY; !this.#over.signal.aborted; wait = Math.min(wait * 2, LONGEST_RETRY)) {
      const isReady = (await this.#attemptSandbox()) && (await this.#attemptVolumes())
      if (isReady) return this.#tell({ is: 'sandboxReady' })
      await clock.sleep(wait, this.#over.signal).catch(() => {})
    }
  }

  async #attemptSandbox(): Promise<boolean> {
    if (this.#sandbox) return true
    const { ground, podIP, hostname, folder, say } = this.#around
    try {
      await mkdir(folder, { recursive: true })
      this.#sandbox = await ground.makeSandbox({
        uid: this.#pod.metadata.uid!,
        hostname,
        address: podIP,
        hostNetwork: this.#pod.spec?.hostNetwork ?? false,
      })
      if (this.#over.signal.aborted) await this.#sandbox.close()
      return true
    } catch (error) {
      const message = `Failed to create pod sandbox: ${(error as Error).message}`
      say('Warning', 'FailedCreatePodSandBox', message)
      return false
    }
  }

  async #attemptVolumes(): Promise<boolean> {
    try {
      await this.#writeFiles()
      await this.#makeVolumes()
      return true
    } catch (error) {
      this.#around.say('Warning', 'FailedMount', (error as Error).message)
      return false
    }
  }

  /** Without file systems of their own, containers see the machine's files. */
  async #writeFiles(): Promise<void> {
    const { ground, folder } = this.#around
    if (ground.kind === 'namespaces')
      this.#podMounts = await writePodFiles(folder, this.#pod, this.#around)
  }

  async #makeVolumes(): Promise<void> {
    const made = new Map<string, string>()
    for (const volume of this.#pod.spec?.volumes ?? []) {
      if (this.#over.signal.aborted) return
      try {
        made.set(volume.name, await makeVolume(volume, this.#pod, this.#around.volumes()))
      } catch (error) {
        const why = (error as Error).message
        throw new Error(
          `MountVolume.SetUp failed for volume ${JSON.stringify(volume.name)} : ${why}`,
          { cause: error },
        )
      }
    }
    this.#volumes = made
  }

  async #start(name: string, run: number): Promise<void> {
    const { clock, limits, podIP, ground, hostname, folder, findImage, environment } = this.#around
    const container = containerSpec(this.#pod, { name })
    const image = findImage(container.image ?? '')
    const sandbox = this.#sandbox
    if (!sandbox || !image || this.#over.signal.aborted) return
    const runner = new ContainerRunner(container, run, {
      clock,
      sandbox,
      limits,
      podIP,
      dial: ground.dial,
      logFile: this.logFile(name, run),
      tell: (fact) => this.#tell(fact),
      say: (type, reason, message) => this.#around.say(type, reason, message, name),
    })
    this.#containers.set(name, runner)
    await runner.start(this.#pod, {
      image,
      hostname,
      sources: environment(),
      volumes: this.#volumes,
      podMounts: this.#podMounts,
      folder: join(folder, 'containers', `${name}-${run}`),
      // In namespaces of its own the cluster is root, whoever started it.
      self: ground.kind === 'namespaces' ? 0 : (process.getuid?.() ?? 0),
    })
  }
}
