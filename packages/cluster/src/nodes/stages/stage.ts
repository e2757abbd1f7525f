import type { Kind, KubeObject } from 'kubewright/machinery'
import type { Delay } from '../behaviour/rule.ts'

/**
 * A stage of an object's life as data: when it is its turn, how long that lasts, and what comes next (the idea of kwok's Stage). For kinds that
 * nothing else simulates: custom resources, and pods or nodes where there are no simulated ones.
 */
export interface Stage<T extends KubeObject = KubeObject> {
  /** Names it in logs, and among others for the same object. */
  readonly name: string
  readonly kind: Kind<T>
  /** Whether an object is in this stage. Where it is in several, one is drawn. */
  readonly when: (object: T) => boolean
  /** How long it stays, at least. Default 0. */
  readonly after?: Delay
  /** Up to how much longer. Default 0. */
  readonly jitter?: Delay
  /** How likely it is to be drawn among others. Default 1. */
  readonly weight?: number
  /** What comes of an object at `now` (milliseconds since the epoch); what it answers with is merged into the object. */
  readonly next: (object: T, now: number) => StageNext
}

/** What becomes of an object; what is absent stays. */
export interface StageNext {
  /** Merged into the status, as a merge patch is. */
  readonly status?: object
  /** Merged into labels, annotations or finalizers. */
  readonly metadata?: object
  readonly event?: {
    readonly type: 'Normal' | 'Warning'
    readonly reason: string
    readonly message: string
  }
  /** Whether it is deleted, at once. */
  readonly delete?: boolean
}

/** Says what a stage is, with the types of its kind. */
export const stage = <T extends KubeObject>(it: Stage<T>): Stage => it as unknown as Stage
