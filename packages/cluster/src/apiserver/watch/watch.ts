import { ApiError, expired, failure, type Status } from 'kubewright/machinery'
import { noStream, OFFERS } from '../codec/negotiate.ts'
import { includeObjectOf, outputOf } from '../endpoints/answers.ts'
import type { Call } from '../endpoints/call.ts'
import { type ListOptions, listOptions } from '../endpoints/list-options.ts'
import { versionOfRead, waitFor } from '../endpoints/resource-version.ts'
import { type Selection, selectionOf } from '../endpoints/selection.ts'
import type { Answer, Chunk } from '../http/message.ts'
import { Compacted, type Stored } from '../storage/storage.ts'
import { AttentiveReader } from './attention.ts'
import { EventWriter } from './event-text.ts'
import { transition } from './transition.ts'

/** How often a watch that sees nothing is told how far the server is. */
const BOOKMARK_EVERY = 60 * 1000
/** How long before its end a watch is told so for the last time. */
const LAST_BOOKMARK = 2000

/** GET with `watch`: a stream of events, one JSON object a line. */
export async function watch(call: Call): Promise<Answer> {
  const { exchange } = call
  const output = outputOf(exchange, OFFERS.list)
  const options = listOptions(exchange.request.query)
  const selection = selectionOf(call)
  const revision = versionOfRead(options.resourceVersion)
  if (output.mediaType === 'application/yaml') throw noStream()
  const include = output.as?.kind === 'Table' ? includeObjectOf(exchange) : 'Metadata'
  const writer = new EventWriter(call, output, include)
  const overrun = new AbortController()
  const fellBehind = (): void => overrun.abort()
  return {
    status: 200,
    headers: { 'content-type': writer.contentType },
    body: stream(call, options, selection, revision, writer, fellBehind),
    overrun: overrun.signal,
    isWatch: true,
  }
}

async function* stream(
  call: Call,
  options: ListOptions,
  selection: Selection,
  revision: number,
  writer: EventWriter,
  fellBehind: () => void,
): AsyncGenerator<Chunk> {
  const ending = endOf(call, options)
  try {
    if (ending.signal.aborted || writer.isMute) return
    const start = yield* beginning(call, options, selection, revision, writer)
    yield* changes(call, options, selection, start, writer, { signal: ending.signal, fellBehind })
  } catch (error) {
    if (ending.signal.aborted) return
    yield writer.error(errorStatus(error))
  } finally {
    ending.stop()
  }
}

function errorStatus(error: unknown): Status {
  if (error instanceof ApiError) return error.status
  if (error instanceof Compacted) {
    return expired(`too old resource version: ${error.asked} (${error.oldest})`).status
  }
  return failure(500, 'InternalError', (error as Error).message)
}

/** Aborts when the client goes, the server closes, or the time is up. */
function endOf(
  { parts, exchange }: Call,
  { timeoutSeconds }: ListOptions,
): { readonly signal: AbortSignal; readonly stop: () => void } {
  const controller = new AbortController()
  const end = (): void => controller.abort()
  const { signal } = exchange.request
  const timer = parts.clock.after(timeoutOf(parts, timeoutSeconds), end)
  if (signal.aborted || (timeoutSeconds ?? 0) < 0) end()
  signal.addEventListener('abort', end, { once: true })
  const stop = (): void => {
    timer.cancel()
    signal.removeEventListener('abort', end)
    end()
  }
  return { signal: controller.signal, stop }
}

/** A watch that names no time ends between once and twice the shortest, so that not all of them end together. */
const timeoutOf = (
  { minRequestTimeout, random }: Call['parts'],
  seconds: number | undefined,
): number => (seconds ? seconds * 1000 : minRequestTimeout * (1 + random.next()))

/** What comes before the changes: the objects that are there, where they are asked for. Returns the revision to go on from. */
async function* beginning(
  call: Call,
  options: ListOptions,
  selection: Selection,
  revision: number,
  writer: EventWriter,
): AsyncGenerator<Chunk, number> {
  const { parts, served, exchange } = call
  const wanted = options.sendInitialEvents ?? revision === 0
  if (!wanted) {
    if (revision > 0 && revision < served.since) throw new Compacted(revision, served.since)
    return revision === 0 ? parts.storage.revision : revision
  }
  await waitFor(parts, revision, exchange.request.signal, options.resourceVersion || '0')
  const page = await parts.storage.list({ prefix: selection.key ?? selection.prefix })
  await call.views.prepare(page.items)
  for (const stored of page.items) {
    if (selection.matches(stored, () => call.views.of(stored).object)) yield writer.added(stored)
  }
  if (options.allowWatchBookmarks && options.sendInitialEvents)
    yield writer.bookmark(page.revision, true)
  return page.revision
}

async function* changes(
  call: Call,
  options: ListOptions,
  selection: Selection,
  start: number,
  writer: EventWriter,
  { signal, fellBehind }: { readonly signal: AbortSignal; readonly fellBehind: () => void },
): AsyncGenerator<Chunk> {
  const { storage } = call.parts
  const matches = (stored: Stored): boolean =>
    selection.matches(stored, () => call.views.of(stored).object)
  const reader = new AttentiveReader(
    storage.watch(selection.key ?? selection.prefix, start, signal, fellBehind),
  )
  const stopReminders = options.allowWatchBookmarks ? remind(call, options, reader) : undefined
  // What had happened when the watch began needs no bookmark; after that, every one is sent, also where it says nothing new.
  const began = storage.revision
  let told = start
  try {
    for (;;) {
      const attention = await reader.next()
      if (attention.kind === 'end') return
      if (attention.kind === 'bookmark') {
        if (attention.revision > told) yield writer.bookmark(attention.revision, false)
        continue
      }
      const { stored, previous, revision } = attention.value
      if (revision <= began) told = revision
      await call.views.prepare([stored, previous])
      const event = transition(attention.value, matches)
      if (event) yield writer.event(event)
    }
  } finally {
    stopReminders?.()
    reader.stop()
  }
}

/** Calls for bookmarks: now and then, and once shortly before the end. Returns how to stop. */
function remind(
  { parts: { clock, storage } }: Call,
  { timeoutSeconds }: ListOptions,
  reader: { readonly remind: (revision: number) => void },
): () => void {
  let repeated = clock.after(BOOKMARK_EVERY, again)
  function again(): void {
    reader.remind(storage.revision)
    repeated = clock.after(BOOKMARK_EVERY, again)
  }
  const last = timeoutSeconds
    ? clock.after(Math.max(timeoutSeconds * 1000 - LAST_BOOKMARK, 0), () =>
        reader.remind(storage.revision),
      )
    : undefined
  return () => {
    repeated.cancel()
    last?.cancel()
  }
}
