import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import type { Client } from '../client/client.ts'
import { apiVersionOf, kindOf, type Kind } from '../machinery/kind.ts'
import { isDns1123Subdomain } from '../machinery/names.ts'
import type { KubeObject } from '../machinery/object.ts'
import { isAlreadyExists, isNotFound } from '../machinery/status.ts'
import { microTimeText } from '../machinery/time.ts'
import type { EventOptions, EventRecorder, EventType } from './event-recorder.ts'

/** An Event as this recorder writes it (events.k8s.io/v1). */
interface WrittenEvent extends KubeObject {
  readonly eventTime: string
  readonly reportingController: string
  readonly reportingInstance: string
  readonly action: string
  readonly reason: string
  readonly regarding: object
  readonly related?: object
  readonly note: string
  readonly type: EventType
  readonly series?: { readonly count: number; readonly lastObservedTime: string }
}

const EVENT: Kind<WrittenEvent> = kindOf('events.k8s.io/v1', 'Event', 'events', 'Namespaced')

/** What a recorder is made of. */
export interface RecorderParts {
  readonly client: Client
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly controller: string
  /** Which process: the pod's name. */
  readonly instance: string
}

/** How long after its last occurrence an Event may still become a series, and how long a series is told, ms (client-go events). */
const WINDOW = 6 * 60_000
/** How many Events are remembered for series. */
const LIMIT = 2048

interface Remembered {
  readonly event: WrittenEvent
  readonly count: number
  readonly last: number
  /** What is being written of it; the next write waits. */
  writing: Promise<void>
  /** The count that a write has told the server, or is about to. */
  told: number
}

/**
 * Makes an {@link EventRecorder}. Events equal in all but their time are one Event with a series; a burst is told in one write, and
 * writing never holds up or fails a reconcile.
 */
export function recordEvents(parts: RecorderParts): EventRecorder {
  const known = new Map<string, Remembered>()
  return {
    record(regarding, type, reason, message, options = {}) {
      const now = parts.clock.now()
      const event = eventOf(parts, regarding, type, reason, message, options, now)
      const id = identity(event)
      const before = known.get(id)
      known.delete(id)
      if (!before || now - before.last > WINDOW) {
        if (known.size >= LIMIT) known.delete(known.keys().next().value ?? '')
        const first: Remembered = {
          event,
          count: 1,
          last: now,
          told: 1,
          writing: Promise.resolve(),
        }
        known.set(id, first)
        first.writing = writeEvent(parts, () => parts.client.create(EVENT, event))
        return
      }
      const again: Remembered = { ...before, count: before.count + 1, last: now }
      known.set(id, again)
      again.writing = before.writing.then(() => tellSeries(parts, known, id))
    },
  }
}

/** Tells the newest count; what piled up while a write was under way goes in one. */
async function tellSeries(
  parts: RecorderParts,
  known: Map<string, Remembered>,
  id: string,
): Promise<void> {
  const it = known.get(id)
  if (!it || it.told >= it.count) return
  it.told = it.count
  const series = { count: it.count, lastObservedTime: microTimeText(it.last) }
  const key = { name: it.event.metadata.name ?? '', namespace: it.event.metadata.namespace ?? '' }
  await writeEvent(parts, async () => {
    try {
      await parts.client.patch(EVENT, key, { type: 'merge', body: { series } })
    } catch (error) {
      // Events are short-lived: the one that the series continues may have been swept away.
      if (!isNotFound(error)) throw error
      await parts.client.create(EVENT, { ...it.event, series })
    }
  })
}

/** Writes an Event in the background: what goes wrong is logged, and holds nobody up. */
export async function writeEvent(
  parts: RecorderParts,
  send: () => Promise<unknown>,
): Promise<void> {
  try {
    await send()
  } catch (error) {
    if (!isAlreadyExists(error)) parts.log.warn('an Event could not be written', { error })
  }
}

function eventOf(
  parts: RecorderParts,
  regarding: { readonly kind: Kind; readonly object: KubeObject },
  type: EventType,
  reason: string,
  note: string,
  options: EventOptions,
  now: number,
): WrittenEvent {
  const { name = '', namespace } = regarding.object.metadata
  const suffix = Math.floor(parts.random.next() * 2 ** 40)
    .toString(16)
    .padStart(10, '0')
  return {
    metadata: {
      name: eventName(name, `${now.toString(16)}${suffix}`, parts.random),
      namespace: namespace || 'default',
    },
    eventTime: microTimeText(now),
    reportingController: parts.controller,
    reportingInstance: parts.instance.slice(0, 128),
    action: options.action ?? reason,
    reason,
    regarding: referenceTo(regarding),
    ...(options.related ? { related: referenceTo(options.related) } : {}),
    note: shortened(note, NOTE_BYTES),
    type,
  }
}

/** As client-go names Events: a uuid where the object's name leaves no room for more. */
export function eventName(of: string, suffix: string, random: Random): string {
  const name = `${of}.${suffix}`
  return isDns1123Subdomain(name).length === 0 ? name : random.uuid()
}

/** How long a note may be (events.k8s.io/v1 validation); bytes of UTF-8, as the server counts. */
const NOTE_BYTES = 1024

function shortened(text: string, limit: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= limit) return text
  let end = limit - 3
  // Not in the middle of a character.
  while ((bytes[end]! & 0xc0) === 0x80) end--
  return `${bytes.toString('utf8', 0, end)}...`
}

/** How an Event refers to an object. */
export function referenceTo({
  kind,
  object,
}: {
  readonly kind: Kind
  readonly object: KubeObject
}): object {
  const { name, namespace, uid, resourceVersion } = object.metadata
  return {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    name,
    ...(namespace ? { namespace } : {}),
    ...(uid ? { uid } : {}),
    ...(resourceVersion ? { resourceVersion } : {}),
  }
}

function identity(event: WrittenEvent): string {
  const { type, action, reason, note, related } = event
  const regarding = { ...event.regarding, resourceVersion: undefined }
  return JSON.stringify([type, action, reason, note, regarding, related])
}
