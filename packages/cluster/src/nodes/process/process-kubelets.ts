import { join } from 'node:path'
import {
  controller,
  type ControllerDefinition,
  type KeyContext,
  type Requests,
  type SourceContext,
} from 'kubewright/controller'
import { ConfigMap, Pod, Secret, type Service } from 'kubewright/kinds/core/v1'
import type { ObjectKey } from 'kubewright/machinery'
import { Addresses } from '../node/addresses.ts'
import type { NodeSpec } from '../node/node-object.ts'
import type { PodPlace } from './environment/fields.ts'
import type { Ground } from './ground/ground.ts'
import { findImage, type ImageMap, unknownImage } from './image/image-map.ts'
import type { LogLimits } from './log/log-file.ts'
import type { ProcessDelays } from './pod/input.ts'
import type { ProcessPod } from './pod/state.ts'
import { stepProcessPod } from './pod/step.ts'
import { PodRunner } from './pod-runner.ts'
import { removePod, reportStatus } from './report.ts'
import { environmentSources, SOURCE_KINDS, volumeSources } from './sources.ts'
import { tokensOf } from './volume/tokens.ts'

/** One node at work. */
export interface ProcessMachine {
  readonly spec: NodeSpec
  readonly images: ImageMap
  /** Where its pods' folders lie. */
  readonly folder: string
  readonly hostRoot: string
  readonly claimsFolder: string
  readonly delays: ProcessDelays
  readonly limits: LogLimits
}

/** What the nodes of a cluster have in common. */
export interface ProcessCluster {
  readonly ground: Ground
  /** Where pods ask for names of services. */
  readonly nameserver: string
  /** How pods are told of a service: as it is, or where they can reach it. */
  readonly service: (it: Service) => Service
}

/** A pod on a node: what the machine remembers of it, and who does what it asks for. */
export interface Resident {
  readonly machine: ProcessMachine
  readonly podIP: string
  readonly runner: PodRunner
  state: ProcessPod | undefined
  /** The pod as it was last seen, with the status that it has now. */
  pod: Pod
}

/** The pods that live on a cluster's process nodes, by uid. */
export type Residents = Map<string, Resident>

/**
 * The kubelets of all process nodes: a controller of pods, whose every reconcile is one step of the machine in pod/step.ts; what happens
 * to processes sets it off as well. Pods on other nodes are left alone.
 */
export function processKubelets(
  machines: readonly ProcessMachine[],
  cluster: ProcessCluster,
  residents: Residents,
): ControllerDefinition {
  const kubelets = new Kubelets(machines, cluster, residents)
  return controller(Pod, { name: 'process-kubelet', maxConcurrent: 100, pace: false, resync: 0 })
    .where(({ object }) => kubelets.machineOf(object) !== undefined)
    .watches(ConfigMap, (it) => kubelets.readersOf('configMap', it.metadata))
    .watches(Secret, (it) => kubelets.readersOf('secret', it.metadata))
    .reads(...SOURCE_KINDS)
    .watchesSource((enqueue, source) => kubelets.begin(enqueue, source))
    .reconcileKey((key, context) => kubelets.reconcile(key, context))
}

class Kubelets {
  readonly #machines: ReadonlyMap<string, ProcessMachine>
  readonly #addresses: ReadonlyMap<string, Addresses>
  readonly #cluster: ProcessCluster
  readonly #residents: Residents
  readonly #uids = new Map<string, string>()
  #enqueue: (requests: Requests) => void = () => {}
  #source: SourceContext | undefined

  constructor(machines: readonly ProcessMachine[], cluster: ProcessCluster, residents: Residents) {
    this.#machines = new Map(machines.map((it) => [it.spec.name, it]))
    this.#addresses = new Map(machines.map(({ spec }) => [spec.name, new Addresses(spec.podCIDR)]))
    this.#cluster = cluster
    this.#residents = residents
  }

  machineOf(pod: Pod): ProcessMachine | undefined {
    return this.#machines.get(pod.spec?.nodeName ?? '')
  }

  /** What lasts as long as the controller: it begins with this, before any pod is looked at. */
  begin(enqueue: (requests: Requests) => void, source: SourceContext): void {
    this.#source = source
    this.#enqueue = enqueue
    source.signal.addEventListener('abort', () => (this.#enqueue = () => {}), { once: true })
  }

  /** The pods whose volumes show an object. */
  readersOf(
    kind: 'configMap' | 'secret',
    { namespace, name = '' }: ObjectKey | Pod['metadata'],
  ): ObjectKey[] {
    return [...this.#residents.values()]
      .map((it) => it.pod)
      .filter((it) => it.metadata.namespace === namespace && shows(it, kind, name))
      .map(({ metadata }) => ({ namespace: metadata.namespace!, name: metadata.name! }))
  }

  async reconcile(
    key: ObjectKey,
    context: KeyContext,
  ): Promise<{ readonly requeueAfter?: number } | undefined> {
    const pod = context.lister(Pod).get(key)
    const text = `${key.namespace}/${key.name}`
    const before = this.#uids.get(text)
    if (before !== undefined && before !== pod?.metadata.uid) await this.#forget(before)
    if (!pod) return void this.#uids.delete(text)
    const machine = this.machineOf(pod)
    if (!machine) return undefined
    this.#uids.set(text, pod.metadata.uid!)
    return this.#step(this.#resident(machine, pod, context), pod, context)
  }

  async #forget(uid: string): Promise<void> {
    const resident = this.#residents.get(uid)
    this.#residents.delete(uid)
    if (!resident) return
    await resident.runner.close()
    this.#addresses.get(resident.machine.spec.name)?.release(uid)
  }

  #resident(machine: ProcessMachine, pod: Pod, context: KeyContext): Resident {
    const uid = pod.metadata.uid!
    const known = this.#residents.get(uid)
    if (known) return known
    const own = this.#addresses.get(machine.spec.name)!
    const podIP = pod.spec?.hostNetwork ? machine.spec.address : own.of(uid, pod.status?.podIP)
    const runner = new PodRunner(pod, this.#surroundings(machine, pod, podIP, context))
    const resident: Resident = { machine, podIP, runner, state: undefined, pod }
    this.#residents.set(uid, resident)
    return resident
  }

  #surroundings(
    machine: ProcessMachine,
    pod: Pod,
    podIP: string,
    { events }: KeyContext,
  ): ConstructorParameters<typeof PodRunner>[1] {
    const { ground, service, nameserver } = this.#cluster
    const { namespace = '', name = '', uid = '' } = pod.metadata
    const place: PodPlace = {
      podIP,
      hostIP: machine.spec.address,
      allocatable: machine.spec.capacity,
    }
    const folder = join(machine.folder, 'pods', uid)
    const source = this.#source!
    const { clock } = source
    const token = tokensOf(source.client, clock, pod)
    const { hostRoot, claimsFolder, limits, images } = machine
    return {
      ground,
      clock,
      limits,
      podIP,
      folder,
      nameserver,
      hostname: pod.spec?.hostname || name,
      findImage: (image) => findImage(images, image),
      environment: () => environmentSources(source, namespace, place, service),
      volumes: () => ({
        ...place,
        ...volumeSources(source, namespace),
        podFolder: folder,
        hostRoot,
        claimsFolder,
        token,
      }),
      wake: () => this.#enqueue([{ namespace, name }]),
      say: (type, reason, message) =>
        events.record({ kind: Pod, object: pod }, type, reason, message),
    }
  }

  async #step(
    resident: Resident,
    pod: Pod,
    { clock, client, events }: KeyContext,
  ): Promise<{ readonly requeueAfter?: number } | undefined> {
    const { machine, runner, podIP } = resident
    if (resident.state) runner.update(pod)
    const [state, step] = stepProcessPod(resident.state, {
      pod,
      now: clock.now(),
      delays: machine.delays,
      hostIP: machine.spec.address,
      podIP,
      facts: runner.takeFacts(),
      imageProblem: (image) => (findImage(machine.images, image) ? undefined : unknownImage(image)),
    })
    resident.state = state
    resident.pod = { ...pod, status: step.status }
    for (const it of step.events)
      events.record({ kind: Pod, object: pod }, it.type, it.reason, it.message)
    for (const it of step.actions) runner.perform(it)
    await reportStatus(client, pod, step.status)
    if (step.remove) {
      await runner.close()
      await removePod(client, pod)
    }
    return step.after === undefined ? undefined : { requeueAfter: Math.max(1, step.after) }
  }
}

/** Whether a volume of a pod is made of an object. */
function shows({ spec }: Pod, kind: 'configMap' | 'secret', name: string): boolean {
  return (spec?.volumes ?? []).some(({ configMap, secret, projected }) => {
    if (kind === 'configMap' && configMap?.name === name) return true
    if (kind === 'secret' && secret?.secretName === name) return true
    return projected?.sources?.some((it) => it[kind]?.name === name) ?? false
  })
}
