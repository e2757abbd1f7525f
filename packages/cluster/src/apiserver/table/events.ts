import type { Event } from 'kubewright/kinds/core/v1'
import type { Event as NewEvent } from 'kubewright/kinds/events.k8s.io/v1'
import { age } from './age.ts'
import { printer, type Printer } from './printer.ts'

function eventCells(it: Event, now: number): readonly unknown[] {
  const first = age(it.firstTimestamp || it.eventTime, now)
  const last = it.lastTimestamp ? age(it.lastTimestamp, now) : first
  const { kind = '', name } = it.involvedObject
  return [
    it.series ? age(it.series.lastObservedTime, now) : last,
    it.type ?? '',
    it.reason ?? '',
    name ? `${kind.toLowerCase()}/${name}` : kind.toLowerCase(),
    it.involvedObject.fieldPath ?? '',
    sourceText(it),
    (it.message ?? '').trim(),
    first,
    // An event of the newer kind that came once has no count.
    it.series ? (it.series.count ?? 0) : it.count || 1,
    it.metadata.name,
  ]
}

function sourceText({ source, reportingComponent, reportingInstance }: Event): string {
  const component = source?.component || reportingComponent || ''
  const host = source?.host || reportingInstance || ''
  return host === '' ? component : `${component}, ${host}`
}

/** An event of events.k8s.io under the names of the core group. */
function asOld(it: NewEvent): Event {
  return {
    metadata: it.metadata,
    involvedObject: it.regarding ?? {},
    message: it.note ?? '',
    type: it.type ?? '',
    reason: it.reason ?? '',
    eventTime: it.eventTime,
    firstTimestamp: it.deprecatedFirstTimestamp ?? '',
    lastTimestamp: it.deprecatedLastTimestamp ?? '',
    count: it.deprecatedCount ?? 0,
    source: it.deprecatedSource ?? {},
    reportingComponent: it.reportingController ?? '',
    reportingInstance: it.reportingInstance ?? '',
    ...(it.series ? { series: it.series } : {}),
  }
}

/** Printers of events, in both of their groups. */
export const EVENTS: Readonly<Record<string, Printer>> = {
  '/events': printer<Event>(eventCells),
  'events.k8s.io/events': printer<NewEvent>((it, now) => eventCells(asOld(it), now)),
}
