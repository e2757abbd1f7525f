import { Pod } from 'kubewright/kinds/core/v1'
import { isConflict, isNotFound, keyOf, timeText } from 'kubewright/machinery'
import type { RunnableContext } from 'kubewright/manager'
import { type Preemption, PREEMPTED } from './preempt.ts'
import type { QueuedPod, SchedulingQueue } from './queue.ts'
import { AS_SCHEDULER_STATUS, observedGeneration } from './reporter.ts'

type Possible = Extract<Preemption, { readonly is: 'possible' }>

/**
 * Deletes victims while other pods are scheduled (scheduler/framework/preemption/executor.go). The pod they make room for is not tried
 * before all of them have been asked to go.
 */
export class Preemptor {
  readonly #context: RunnableContext
  readonly #queue: SchedulingQueue
  /** The pods whose victims are being deleted, and whether something happened meanwhile that may help them. */
  readonly #busy = new Map<string, boolean>()

  constructor(context: RunnableContext, queue: SchedulingQueue) {
    this.#context = context
    this.#queue = queue
  }

  /** Gives a pod that waits another chance, now or when its victims have been told. */
  retry(pod: QueuedPod): void {
    if (this.#busy.has(pod.info.uid)) this.#busy.set(pod.info.uid, true)
    else this.#queue.retry(pod)
  }

  /** Begins to delete the victims; `lesser` are the pods whose promise of the node is taken back. */
  start(pod: QueuedPod, preemption: Possible, lesser: readonly Pod[]): void {
    this.#busy.set(pod.info.uid, false)
    void this.#run(pod, preemption, lesser)
  }

  async #run(pod: QueuedPod, preemption: Possible, lesser: readonly Pod[]): Promise<void> {
    const { log, signal } = this.#context
    const { uid } = pod.info
    try {
      for (const it of lesser) await this.#withdraw(it)
      const [last, ...rest] = preemption.victims.map((it) => it.pod).toReversed()
      await Promise.all(rest.map((it) => this.#remove(it, pod.info.pod, preemption.node.name)))
      if (last) await this.#remove(last, pod.info.pod, preemption.node.name)
    } catch (error) {
      if (!signal.aborted) log.warn('a pod could not be preempted', { error })
      this.#busy.set(uid, true)
    } finally {
      const again = this.#busy.get(uid)
      this.#busy.delete(uid)
      if (again) this.#queue.retry(pod)
    }
  }

  async #withdraw(pod: Pod): Promise<void> {
    const body = { metadata: { uid: pod.metadata.uid }, status: { nominatedNodeName: null } }
    await this.#ifThere(pod, body)
  }

  async #remove(victim: Pod, pod: Pod, node: string): Promise<void> {
    if (victim.metadata.deletionTimestamp !== undefined) return
    const { client, clock, events } = this.#context
    const name = pod.spec.schedulerName ?? 'default-scheduler'
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: PREEMPTED,
      message: `${name}: preempting to accommodate a higher priority pod`,
      lastTransitionTime: timeText(clock.now()),
      ...observedGeneration(victim),
    }
    const { uid } = victim.metadata
    if (!(await this.#ifThere(victim, { metadata: { uid }, status: { conditions: [condition] } })))
      return
    try {
      await client.delete(Pod, keyOf(victim), uid ? { uid } : {})
    } catch (error) {
      if (isNotFound(error) || isConflict(error)) return
      throw error
    }
    const message = `Preempted by pod ${pod.metadata.uid} on node ${node}`
    events(name).record({ kind: Pod, object: victim }, 'Normal', 'Preempted', message, {
      action: 'Preempting',
      related: { kind: Pod, object: pod },
    })
  }

  /** Patches a pod's status; answers whether it was still there. */
  async #ifThere(pod: Pod, body: object): Promise<boolean> {
    try {
      const patch = { type: 'strategic', body } as const
      await this.#context.client.patch(Pod, keyOf(pod), patch, AS_SCHEDULER_STATUS)
      return true
    } catch (error) {
      if (isNotFound(error) || isConflict(error)) return false
      throw error
    }
  }
}
