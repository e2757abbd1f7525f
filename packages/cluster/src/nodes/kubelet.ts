import type { Clock } from 'kubewright/base'
import { controller, type ControllerDefinition, type KeyContext } from 'kubewright/controller'
import { Node, Pod, type PodStatus } from 'kubewright/kinds/core/v1'
import { isConflict, isNotFound, keyOf, type ObjectKey } from 'kubewright/machinery'
import type { Rules } from './behaviour/rules.ts'
import type { KubeletHost, PodRef } from './kubelet-api/pod-access.ts'
import type { NodeSpec } from './node/node-object.ts'
import type { PodStep } from './pod/input.ts'
import { sameStatus } from './pod/same-status.ts'
import { stepPod } from './pod/stage.ts'
import type { NodeDelays } from './settings.ts'
import { SimulatedAccess } from './simulated/access.ts'
import { Machine } from './simulated/machine.ts'
import { overhead } from './simulated/usage.ts'

/** `stopped` on a node silences its kubelet: its pods stand still, and nothing is heard of it any more. */
export const KUBELET = 'kubewright.dev/kubelet'

/** Whether a node's kubelet is silent. */
export const isStopped = (node: Node | undefined): boolean =>
  node?.metadata.annotations?.[KUBELET] === 'stopped'

const AS_KUBELET = { fieldOwner: 'kubelet' } as const

/** What kubelets are made of. */
export interface KubeletParts {
  readonly specs: readonly NodeSpec[]
  readonly delays: NodeDelays
  readonly rules: Rules
  readonly clock: Clock
}

/**
 * The kubelets of all simulated nodes: an ordinary controller of pods, whose every reconcile is one step of the pure machine in
 * pod/stage.ts. Pods on other nodes are left alone.
 */
export class Kubelets {
  /** By the name of the node. */
  readonly hosts: ReadonlyMap<string, KubeletHost>
  readonly #parts: KubeletParts
  readonly #machines: ReadonlyMap<string, Machine>
  readonly #uids = new Map<string, string>()
  #wake: (of: PodRef) => void = () => {}

  constructor(parts: KubeletParts) {
    this.#parts = parts
    this.#machines = new Map(parts.specs.map((it) => [it.name, new Machine(it)]))
    const startedAt = parts.clock.now()
    this.hosts = new Map(
      [...this.#machines].map(([name, it]) => [name, hostOf(it, startedAt, parts, this.wake)]),
    )
  }

  /** Has the kubelet of a pod look at it. */
  readonly wake = (of: PodRef): void => this.#wake(of)

  /** The controller that is the kubelets. */
  get controller(): ControllerDefinition {
    return controller(Pod, { name: 'kubelet', maxConcurrent: 100, pace: false, resync: 0 })
      .where(({ object }) => this.#machineOf(object) !== undefined)
      .watches(Node, ({ metadata }) => this.#refsOn(metadata.name!), {
        where: (event) =>
          event.type === 'update' && isStopped(event.old) !== isStopped(event.object),
      })
      .watchesSource((enqueue, { signal }) => {
        this.#wake = ({ namespace, name }) => enqueue([{ namespace, name }])
        const all = (): void => enqueue(this.#all())
        this.#parts.rules.onChange(all, signal)
      })
      .reconcileKey((key, context) => this.#look(key, context))
  }

  #refsOn(node: string): readonly PodRef[] {
    const machine = this.#machines.get(node)
    return machine ? refsOf(machine) : []
  }

  #all(): readonly PodRef[] {
    return [...this.#machines.values()].flatMap(refsOf)
  }

  #machineOf(pod: Pod): Machine | undefined {
    return this.#machines.get(pod.spec?.nodeName ?? '')
  }

  async #look(
    key: ObjectKey,
    context: KeyContext,
  ): Promise<{ readonly requeueAfter?: number } | undefined> {
    const pod = context.lister(Pod).get(key)
    const text = `${key.namespace}/${key.name}`
    const before = this.#uids.get(text)
    if (before !== undefined && before !== pod?.metadata.uid)
      for (const it of this.#machines.values()) it.forget(before)
    if (!pod) return void this.#uids.delete(text)
    const machine = this.#machineOf(pod)
    if (!machine || isStopped(context.lister(Node).get(machine.spec.name))) return undefined
    this.#uids.set(text, pod.metadata.uid!)
    return this.#step(machine, pod, context)
  }

  async #step(
    machine: Machine,
    pod: Pod,
    context: KeyContext,
  ): Promise<{ readonly requeueAfter?: number } | undefined> {
    const uid = pod.metadata.uid!
    const { delays, rules } = this.#parts
    const [state, step] = stepPod(machine.find(uid)?.state, {
      pod,
      now: context.clock.now(),
      delays,
      hostIP: machine.spec.address,
      podIP: machine.addresses.of(uid, pod.status?.podIP),
      hasImage: (image) => machine.hasImage(image),
      behaviours: rules,
      ended: (container, starts) => machine.endOf(uid, container, starts),
    })
    machine.keep(uid, { pod: { ...pod, status: step.status }, state })
    say(machine, pod, step, context)
    await tell(pod, step.status, context)
    if (step.remove) await remove(pod, context)
    return step.after === undefined ? undefined : { requeueAfter: Math.max(1, step.after) }
  }
}

function hostOf(
  machine: Machine,
  startedAt: number,
  { rules, clock }: KubeletParts,
  wake: (of: PodRef) => void,
): KubeletHost {
  return {
    node: machine.spec.name,
    startedAt,
    pods: () => [...machine.residents].map((it) => it.pod),
    access: new SimulatedAccess({ machine, behaviours: rules, clock, wake }),
    overhead: () => overhead(startedAt, clock.now()),
    now: () => clock.now(),
  }
}

const refsOf = (machine: Machine): readonly PodRef[] =>
  [...machine.residents].map(({ pod: { metadata } }) => ({
    namespace: metadata.namespace!,
    name: metadata.name!,
    uid: metadata.uid!,
  }))

function say(machine: Machine, pod: Pod, step: PodStep, { events }: KeyContext): void {
  for (const { type, reason, message, container } of step.events) {
    events.record({ kind: Pod, object: pod }, type, reason, message)
    if (reason === 'Pulled' && container) machine.pulled(container.image)
  }
}

/** Writes the status where it differs. A pod that is gone has none. */
async function tell(pod: Pod, status: PodStatus, { client }: KeyContext): Promise<void> {
  if (sameStatus(pod.status, status)) return
  const body = { metadata: { uid: pod.metadata.uid }, status }
  try {
    await client.patch(
      Pod,
      keyOf(pod),
      { type: 'merge', body },
      { ...AS_KUBELET, subresource: 'status' },
    )
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error
  }
}

/** Takes the pod off the node, at last. */
async function remove(pod: Pod, { client }: KeyContext): Promise<void> {
  const { uid, deletionGracePeriodSeconds: grace, finalizers } = pod.metadata
  // Others hold it back: once is enough.
  if (grace === 0 && finalizers?.length) return
  try {
    await client.delete(Pod, keyOf(pod), { gracePeriodSeconds: 0, ...(uid ? { uid } : {}) })
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error
  }
}
