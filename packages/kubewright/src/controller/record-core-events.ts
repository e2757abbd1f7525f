import type { Kind } from '../machinery/kind.ts'
import { kindOf } from '../machinery/kind.ts'
import type { KubeObject } from '../machinery/object.ts'
import { isNotFound } from '../machinery/status.ts'
import { timeText } from '../machinery/time.ts'
import type { EventRecorder, EventType } from './event-recorder.ts'
import { eventName, type RecorderParts, referenceTo, writeEvent } from './record-events.ts'

/** An Event as client-go's older recorder writes it (core/v1), as the controllers of kube-controller-manager and kubelets still do. */
interface CoreEvent extends KubeObject {
  readonly involvedObject: object
  readonly reason: string
  readonly message: string
  readonly type: EventType
  readonly count: number
  readonly firstTimestamp: string
  readonly lastTimestamp: string
  readonly source: { readonly component: string }
  readonly reportingComponent: string
  readonly reportingInstance: string
}

const EVENT: Kind<CoreEvent> = kindOf('v1', 'Event', 'events', 'Namespaced')

/** Events of one kind about one object are told one by one up to so many within {@link AGGREGATE_WINDOW}. */
const MOST_ALIKE = 10
const AGGREGATE_WINDOW = 600_000
/** How many events about one object may come at once, and after what time one more may, ms (client-go EventSourceObjectSpamFilter). */
const SPAM_BURST = 25
const SPAM_EVERY = 300_000
/** How many objects, and events, are remembered. */
const LIMIT = 4096

interface Alike {
  readonly messages: ReadonlySet<string>
  readonly last: number
}

interface Told {
  readonly event: CoreEvent
  /** What is being written of it; the next write waits. */
  readonly writing: Promise<void>
}

interface Bucket {
  readonly tokens: number
  readonly at: number
}

/**
 * Makes a recorder of core/v1 Events that correlates as client-go's does (tools/record/events_cache.go): equal ones become one with a
 * count, many that differ in their message alone become one that says so, and who says too much about one object is not heard.
 */
export function recordCoreEvents(parts: RecorderParts): EventRecorder {
  const buckets = new Map<string, Bucket>()
  const alike = new Map<string, Alike>()
  const told = new Map<string, Told>()
  return {
    record(regarding, type, reason, message) {
      const now = parts.clock.now()
      const about = referenceTo(regarding)
      const subject = JSON.stringify({ ...about, resourceVersion: undefined })
      if (!takeToken(buckets, subject, now)) return
      const group = JSON.stringify([subject, type, reason])
      const many = aggregated(alike, group, message, now)
      const text = many ? `(combined from similar events): ${message}` : message
      const id = many ? group : JSON.stringify([group, message])
      const before = told.get(id)
      const event = before ? again(before.event, text, now) : first(parts, regarding, about, now)
      const full: CoreEvent = { ...event, type, reason, message: text }
      const writing = (before?.writing ?? Promise.resolve()).then(() => send(parts, full))
      keep(told, id, { event: full, writing })
    },
  }
}

function keep<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key)
  if (map.size >= LIMIT) map.delete(map.keys().next().value ?? '')
  map.set(key, value)
}

function takeToken(buckets: Map<string, Bucket>, subject: string, now: number): boolean {
  const { tokens, at } = buckets.get(subject) ?? { tokens: SPAM_BURST, at: now }
  const there = Math.min(SPAM_BURST, tokens + (now - at) / SPAM_EVERY)
  const isFree = there >= 1
  keep(buckets, subject, { tokens: isFree ? there - 1 : there, at: now })
  return isFree
}

/** Whether so many different messages were told of one thing lately that one Event has to do for all. */
function aggregated(
  alike: Map<string, Alike>,
  group: string,
  message: string,
  now: number,
): boolean {
  const before = alike.get(group)
  const isOld = !before || now - before.last > AGGREGATE_WINDOW
  const messages = new Set(isOld ? [message] : [...before.messages, message])
  const many = messages.size >= MOST_ALIKE
  keep(alike, group, { messages: many && before ? before.messages : messages, last: now })
  return many
}

type Started = Omit<CoreEvent, 'type' | 'reason' | 'message'>

const again = (event: CoreEvent, message: string, now: number): CoreEvent => ({
  ...event,
  message,
  count: event.count + 1,
  lastTimestamp: timeText(now),
})

function first(
  { controller, random }: RecorderParts,
  { object }: { readonly object: KubeObject },
  involvedObject: object,
  now: number,
): Started {
  const { name = '', namespace } = object.metadata
  const suffix = Math.floor(random.next() * 2 ** 20)
    .toString(16)
    .padStart(5, '0')
  const at = timeText(now)
  return {
    metadata: {
      name: eventName(name, `${now.toString(16)}${suffix}`, random),
      namespace: namespace || 'default',
    },
    involvedObject,
    count: 1,
    firstTimestamp: at,
    lastTimestamp: at,
    source: { component: controller },
    reportingComponent: controller,
    reportingInstance: '',
  }
}

function send(parts: RecorderParts, event: CoreEvent): Promise<void> {
  const { name = '', namespace = '' } = event.metadata
  const { count, lastTimestamp, message } = event
  return writeEvent(parts, async () => {
    if (count === 1) return parts.client.create(EVENT, event)
    try {
      const body = { count, lastTimestamp, message }
      return await parts.client.patch(EVENT, { name, namespace }, { type: 'strategic', body })
    } catch (error) {
      // Events are short-lived: the one that this continues may have been swept away.
      if (!isNotFound(error)) throw error
      return parts.client.create(EVENT, event)
    }
  })
}
