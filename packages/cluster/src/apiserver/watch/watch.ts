import { ApiError, expired, failure } from 'kubewright/machinery'
import { includeObjectOf, outputOf, TRANSFORMS } from '../endpoints/answers.ts'
import { type Call, prefixOf } from '../endpoints/call.ts'
import { type ListOptions, listOptions } from '../endpoints/list-options.ts'
import { parseVersion, waitFor } from '../endpoints/resource-version.ts'
import { type Selection, selectionOf } from '../endpoints/selection.ts'
import type { Answer, Chunk } from '../http/message.ts'
import { Compacted, type Stored } from '../storage/storage.ts'
import { AttentiveReader } from './attention.ts'
import { EventWriter } from './event-text.ts'
import { transition } from './transition.ts'

/** How long a watch lasts that names no timeout: this much, and up to as much again, in milliseconds. */
const MIN_TIMEOUT = 30 * 60 * 1000
/** How often a watch that sees nothing is told how far the server is. */
const BOOKMARK_EVERY = 60 * 1000
/** How long before its end a watch is told so for the last time. */
const LAST_BOOKMARK = 2000

/** GET with `watch`: a stream of events, one JSON object a line. */
export async function watch(call: Call): Promise<Answer> {
  const { exchange } = call
  const output = outputOf(exchange, TRANSFORMS.watch)
  if (output.mediaType !== 'application/json') throw noStream()
  const options = listOptions(exchange.request.query, true)
  const selection = selectionOf(call)
  const revision = versionOfWatch(options.resourceVersion)
  const include = output.as?.kind === 'Table' ? includeObjectOf(exchange) : 'Metadata'
  const writer = new EventWriter(call, output, include)
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: stream(call, options, selection, revision, writer),
  }
}

function noStream(): ApiError {
  return new ApiError(
    failure(
      406,
      'NotAcceptable',
      'only the following media types are accepted: application/json;stream=watch',
    ),
  )
}

function versionOfWatch(text: string): number {
  try {
    return parseVersion(text)
  } catch (error) {
    throw new ApiError(failure(500, undefined, (error as Error).message))
  }
}

async function* stream(
  call: Call,
  options: ListOptions,
  selection: Selection,
  revision: number,
  writer: EventWriter,
): AsyncGenerator<Chunk> {
  const ending = endOf(call, options)
  try {
    const start = yield* beginning(call, options, selection, revision, writer)
    yield* changes(call, options, selection, start, writer, ending.signal)
  } catch (error) {
    if (ending.signal.aborted) return
    yield `${JSON.stringify({ type: 'ERROR', object: errorStatus(error) })}\n`
  } finally {
    ending.stop()
  }
}

function errorStatus(error: unknown): object {
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
  const timer = parts.clock.after(timeoutOf(parts.random.next(), timeoutSeconds), end)
  if (signal.aborted) end()
  signal.addEventListener('abort', end, { once: true })
  const stop = (): void => {
    timer.cancel()
    signal.removeEventListener('abort', end)
    end()
  }
  return { signal: controller.signal, stop }
}

const timeoutOf = (chance: number, seconds: number | undefined): number =>
  seconds ? seconds * 1000 : MIN_TIMEOUT * (1 + chance)

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
  await waitFor(parts, revision, exchange.request.signal)
  const page = await parts.storage.list({ prefix: prefixOf(call) })
  await call.views.prepare(page.items)
  for (const stored of page.items) {
    if (selection.matches(call.views.of(stored).object)) yield writer.added(stored)
  }
  if (options.allowWatchBookmarks) yield writer.bookmark(page.revision, true)
  return page.revision
}

async function* changes(
  call: Call,
  options: ListOptions,
  selection: Selection,
  start: number,
  writer: EventWriter,
  signal: AbortSignal,
): AsyncGenerator<Chunk> {
  const { storage } = call.parts
  const matches = (stored: Stored): boolean => selection.matches(call.views.of(stored).object)
  const reader = new AttentiveReader(storage.watch(prefixOf(call), start, signal))
  const stopReminders = options.allowWatchBookmarks ? remind(call, options, reader) : undefined
  let told = start
  try {
    for (;;) {
      const attention = await reader.next()
      if (attention.kind === 'end') return
      if (attention.kind === 'bookmark') {
        if (attention.revision <= told) continue
        told = attention.revision
        yield writer.bookmark(told, false)
        continue
      }
      await call.views.prepare([attention.value.stored, attention.value.previous])
      const event = transition(attention.value, matches)
      if (!event) continue
      told = attention.value.revision
      yield writer.event(event)
    }
  } finally {
    stopReminders?.()
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
