import { controller, type ControllerDefinition, type KeyContext } from 'kubewright/controller'
import { Pod, type PodStatus } from 'kubewright/kinds/core/v1'
import { isConflict, isNotFound, keyOf } from 'kubewright/machinery'
import { Addresses } from './node/addresses.ts'
import type { NodeSpec } from './node/node-object.ts'
import { sameStatus } from './pod/same-status.ts'
import { type PodStep, stepPod } from './pod/stage.ts'
import type { PodState } from './pod/state.ts'
import type { NodeDelays } from './settings.ts'

/** One simulated node at work: what it remembers of its pods, its images and its addresses. */
interface Machine {
  readonly spec: NodeSpec
  readonly pods: Map<string, PodState>
  readonly images: Set<string>
  readonly addresses: Addresses
}

const AS_KUBELET = { fieldOwner: 'kubelet' } as const

/**
 * The kubelets of all simulated nodes: an ordinary controller of pods, whose every reconcile is one step of the pure machine in
 * pod/stage.ts. Pods on other nodes are left alone.
 */
export function kubelets(nodes: readonly NodeSpec[], delays: NodeDelays): ControllerDefinition {
  const machines = new Map(nodes.map((spec) => [spec.name, machineOf(spec)]))
  const machineFor = (pod: Pod): Machine | undefined => machines.get(pod.spec.nodeName ?? '')
  const uids = new Map<string, string>()
  return controller(Pod, { name: 'kubelet', maxConcurrent: 100, pace: false, resync: 0 })
    .where(({ object }) => machineFor(object) !== undefined)
    .reconcileKey(async (key, context) => {
      const pod = context.lister(Pod).get(key)
      const text = `${key.namespace}/${key.name}`
      const before = uids.get(text)
      if (before !== undefined && before !== pod?.metadata.uid) forget(machines, before)
      if (!pod) return void uids.delete(text)
      const machine = machineFor(pod)
      if (!machine) return
      uids.set(text, pod.metadata.uid!)
      return run(machine, pod, delays, context)
    })
}

const machineOf = (spec: NodeSpec): Machine => ({
  spec,
  pods: new Map(),
  images: new Set(),
  addresses: new Addresses(spec.podCIDR),
})

function forget(machines: ReadonlyMap<string, Machine>, uid: string): void {
  for (const it of machines.values()) {
    it.pods.delete(uid)
    it.addresses.release(uid)
  }
}

async function run(
  machine: Machine,
  pod: Pod,
  delays: NodeDelays,
  context: KeyContext,
): Promise<{ readonly requeueAfter?: number } | undefined> {
  const uid = pod.metadata.uid!
  const [state, step] = stepPod(machine.pods.get(uid), {
    pod,
    now: context.clock.now(),
    delays,
    hostIP: machine.spec.address,
    podIP: machine.addresses.of(uid, pod.status?.podIP),
    hasImage: (image) => machine.images.has(image),
  })
  machine.pods.set(uid, state)
  say(machine, pod, step, context)
  await tell(pod, step.status, context)
  if (step.remove) await remove(pod, context)
  return step.after === undefined ? undefined : { requeueAfter: Math.max(1, step.after) }
}

function say(machine: Machine, pod: Pod, step: PodStep, { events }: KeyContext): void {
  for (const { type, reason, message, container } of step.events) {
    events.record({ kind: Pod, object: pod }, type, reason, message)
    if (reason === 'Pulled' && container) machine.images.add(container.image)
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
