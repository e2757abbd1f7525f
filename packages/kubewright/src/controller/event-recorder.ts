import type { Kind } from '../machinery/kind.ts'
import type { KubeObject } from '../machinery/object.ts'

/** Whether people should worry. */
export type EventType = 'Normal' | 'Warning'

/** What else an Event says. */
export interface EventOptions {
  /** What was being done, in UpperCamelCase. Default: the reason. */
  readonly action?: string
  /** A second object that it is about. */
  readonly related?: { readonly kind: Kind; readonly object: KubeObject }
}

/** Writes Events (events.k8s.io/v1) in the background; equal ones within six minutes become one with a count. */
export interface EventRecorder {
  record(
    regarding: { readonly kind: Kind; readonly object: KubeObject },
    type: EventType,
    reason: string,
    message: string,
    options?: EventOptions,
  ): void
}
