import { Pod } from 'kubewright/kinds/core/v1'
import {
  findCondition,
  isConflict,
  isNotFound,
  keyOf,
  timeText,
  type WriteOptions,
} from 'kubewright/machinery'
import type { RunnableContext } from 'kubewright/manager'
import { messageOf } from '../workload/writes.ts'

/** As whom the scheduler writes. */
export const AS_SCHEDULER: WriteOptions = Object.freeze({ fieldOwner: 'kube-scheduler' })
export const AS_SCHEDULER_STATUS: WriteOptions = Object.freeze({
  ...AS_SCHEDULER,
  subresource: 'status',
})

type Recorder = ReturnType<RunnableContext['events']>

/** How many bytes an Event's note may have. */
const NOTE = 1024

/** Says of pods what came of them: in their PodScheduled condition, and in Events. */
export class Reporter {
  readonly #context: RunnableContext
  readonly #recorders = new Map<string, Recorder>()

  constructor(context: RunnableContext) {
    this.#context = context
  }

  placed(pod: Pod, node: string): void {
    const { namespace, name } = pod.metadata
    const message = `Successfully assigned ${namespace}/${name} to ${node}`
    this.#events(pod).record({ kind: Pod, object: pod }, 'Normal', 'Scheduled', message, {
      action: 'Binding',
    })
  }

  skipped(pod: Pod): void {
    const { namespace, name } = pod.metadata
    this.#warn(pod, `skip schedule deleting pod: ${namespace}/${name}`)
  }

  /** No node was found. `node` is promised from now on; none for the empty name; undefined leaves a promise as it is. */
  refused(pod: Pod, message: string, node: string | undefined): Promise<void> {
    this.#warn(pod, message)
    return this.#tell(pod, 'Unschedulable', message, node)
  }

  /** Something went wrong on the way. */
  failed(pod: Pod, error: unknown): Promise<void> {
    const message = messageOf(error)
    this.#warn(pod, message)
    return this.#tell(pod, 'SchedulerError', message, '')
  }

  #warn(pod: Pod, message: string): void {
    const note = message.length <= NOTE ? message : `${message.slice(0, NOTE - 4)} ...`
    this.#events(pod).record({ kind: Pod, object: pod }, 'Warning', 'FailedScheduling', note, {
      action: 'Scheduling',
    })
  }

  #events({ spec: { schedulerName: name = 'default-scheduler' } }: Pod): Recorder {
    const recorder = this.#recorders.get(name) ?? this.#context.events(name)
    this.#recorders.set(name, recorder)
    return recorder
  }

  /** Writes what differs from what the pod's status says already. */
  async #tell(
    pod: Pod,
    reason: string,
    message: string,
    nominated: string | undefined,
  ): Promise<void> {
    const { client, clock, log, signal } = this.#context
    const before = findCondition(pod.status?.conditions, 'PodScheduled')
    const said =
      before?.status === 'False' && before.reason === reason && before.message === message
    const promises = nominated !== undefined && nominated !== (pod.status?.nominatedNodeName ?? '')
    if (said && !promises) return
    const changed = before?.status === 'False' ? before.lastTransitionTime : timeText(clock.now())
    const condition = {
      type: 'PodScheduled',
      status: 'False',
      reason,
      message,
      lastTransitionTime: changed,
      ...observedGeneration(pod),
    }
    const status = {
      ...(said ? {} : { conditions: [condition] }),
      ...(promises ? { nominatedNodeName: nominated || null } : {}),
    }
    const body = { metadata: { uid: pod.metadata.uid }, status }
    try {
      await client.patch(Pod, keyOf(pod), { type: 'strategic', body }, AS_SCHEDULER_STATUS)
    } catch (error) {
      if (isNotFound(error) || isConflict(error) || signal.aborted) return
      log.warn('a pod could not be told why it has no node', { error })
    }
  }
}

/** Which generation of a pod a condition is about. */
export const observedGeneration = ({ metadata: { generation } }: Pod): object =>
  generation === undefined ? {} : { observedGeneration: generation }
