// The kinds of events.k8s.io/v1, extracted from kube-apiserver v1.36 by tools/extract-kinds.ts. Do not edit.
import { kindOf, type Kind } from '../../machinery/kind.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { EventSource, ObjectReference } from '../core/v1.ts'

/** events.k8s.io/v1 Event. */
export interface Event extends KubeObject {
  readonly eventTime: string
  readonly series?: EventSeries
  readonly reportingController?: string
  readonly reportingInstance?: string
  readonly action?: string
  readonly reason?: string
  readonly regarding?: ObjectReference
  readonly related?: ObjectReference
  readonly note?: string
  readonly type?: string
  readonly deprecatedSource?: EventSource
  readonly deprecatedFirstTimestamp?: string
  readonly deprecatedLastTimestamp?: string
  readonly deprecatedCount?: number
}

/** The kind of events. */
export const Event: Kind<Event> = kindOf('events.k8s.io/v1', 'Event', 'events', 'Namespaced')

/** events.k8s.io/v1 EventSeries. */
export interface EventSeries {
  readonly count: number
  readonly lastObservedTime: string
}
