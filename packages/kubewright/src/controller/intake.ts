import type { Workqueue } from '../workqueue/workqueue.ts'
import type { RuntimeObserver } from './observer.ts'

/** The priority of what comes with a first list: behind what happens now (handler.LowPriority). */
export const LOW_PRIORITY = -100

/** Why and how a key goes into the queue. */
export interface IntakeOptions {
  readonly reason: string
  readonly priority?: number
  readonly after?: number
}

/** Takes requests into a controller's queue: the only place that knows both. */
export type Intake = (key: string, options: IntakeOptions) => void

/** Makes the {@link Intake} of a queue. */
export function createIntake(
  queue: Workqueue,
  controller: string,
  observer: RuntimeObserver | undefined,
): Intake {
  return (key, options) => {
    queue.add(key, options)
    observer?.({ type: 'queued', controller, key, ...options })
  }
}
