import type { KubeObject } from '../machinery/object.ts'
import type { Reason } from '../workqueue/queue-machine.ts'
import type { Workqueue } from '../workqueue/workqueue.ts'
import type { RuntimeObserver } from './observer.ts'

/** The priority of what comes with a first list: behind what happens now (handler.LowPriority). */
export const LOW_PRIORITY = -100

/** Why and how a key goes into the queue. */
export interface IntakeOptions {
  readonly reason: Reason
  readonly priority?: number
  readonly after?: number
  /** The object of the key, where the event is its own. */
  readonly object?: KubeObject
  /** Whether a source of the author's asks. */
  readonly source?: boolean
}

/** Takes requests into a controller's queue: the only place that knows both. */
export type Intake = (key: string, options: IntakeOptions) => void

/** Makes the {@link Intake} of a queue. `admit` says whether a key is this process's at all; default: all are. */
export function createIntake(
  queue: Workqueue,
  controller: string,
  observer: RuntimeObserver | undefined,
  admit?: (key: string, options: IntakeOptions) => boolean,
): Intake {
  return (key, options) => {
    if (admit && !admit(key, options)) return
    const { reason, priority, after } = options
    queue.add(key, options)
    observer?.({
      type: 'queued',
      controller,
      key,
      reason: reason.text,
      ...(priority === undefined ? {} : { priority }),
      ...(after === undefined ? {} : { after }),
    })
  }
}
