import type { Clock } from '../base/clock.ts'
import type { RuntimeEvent, RuntimeObserver } from '../controller/observer.ts'
import type { Workqueue } from '../workqueue/workqueue.ts'

/** One run, as people are told of it. Times are RFC 3339, durations milliseconds. */
export interface DebugRun {
  readonly controller: string
  readonly key: string
  readonly id: string
  readonly at: string
  readonly attempt: number
  /** Why: which objects, what changed in them, which handler. */
  readonly causes: readonly string[]
  /** What it wrote; what was left unsent, since it would have changed nothing, is marked so. */
  readonly writes: string[]
  outcome?: string
  duration?: number
  error?: string
}

/** The last runs of every controller, and its queue as it is. */
export interface DebugJournal {
  readonly observer: RuntimeObserver
  addQueue(controller: string, queue: Workqueue): void
  /** Answers `/debug` and `/debug/<controller>`, with `?key=ns/name`: as text, or as JSON to who accepts that. */
  readonly fetch: (request: Request) => Promise<Response>
}

/** How many runs of each controller are kept. */
const KEPT = 256

/** Makes a {@link DebugJournal}. */
export function debugJournal(clock: Clock): DebugJournal {
  const runs = new Map<string, DebugRun[]>()
  const open = new Map<string, DebugRun>()
  const queues = new Map<string, Workqueue>()
  return {
    observer: (event) => record(event, runs, open, clock),
    addQueue: (controller, queue) => void queues.set(controller, queue),
    async fetch(request) {
      const url = new URL(request.url)
      const [, root, controller] = url.pathname.split('/')
      const names = [...new Set([...queues.keys(), ...runs.keys()])].sort()
      const wanted = controller ? names.filter((it) => it === controller) : names
      if (root !== 'debug' || (controller && wanted.length === 0))
        return new Response('404 page not found\n', { status: 404 })
      const key = url.searchParams.get('key')
      const only = <T extends { readonly key: string }>(all: readonly T[]): readonly T[] =>
        key === null ? all : all.filter((it) => it.key === key)
      const page = wanted.map((name) => ({
        controller: name,
        queue: only(queues.get(name)?.entries() ?? []),
        runs: only([...(runs.get(name) ?? [])]).toReversed(),
      }))
      return request.headers.get('accept')?.includes('application/json')
        ? Response.json({ controllers: page })
        : new Response(page.map(pageText).join('\n'), {
            headers: { 'content-type': 'text/plain; charset=utf-8' },
          })
    },
  }
}

function record(
  event: RuntimeEvent,
  runs: Map<string, DebugRun[]>,
  open: Map<string, DebugRun>,
  clock: Clock,
): void {
  switch (event.type) {
    case 'reconcile started': {
      const { controller, key, id, attempt, causes } = event
      const at = new Date(clock.now()).toISOString()
      const run: DebugRun = { controller, key, id, at, attempt, causes, writes: [] }
      open.set(id, run)
      const kept = runs.get(controller) ?? []
      runs.set(controller, kept)
      kept.push(run)
      if (kept.length > KEPT) kept.shift()
      return
    }
    case 'written': {
      const { verb, kind, object, subresource, sent } = event
      const what = `${verb} ${kind} ${object}${subresource ? `/${subresource}` : ''}`
      open.get(event.id)?.writes.push(sent ? what : `${what} (unsent: nothing would change)`)
      return
    }
    case 'reconcile ended': {
      const run = open.get(event.id)
      open.delete(event.id)
      if (!run) return
      run.outcome = event.outcome
      run.duration = event.duration
      if (event.error)
        run.error = event.error instanceof Error ? event.error.message : String(event.error)
      return
    }
    default:
  }
}

interface Page {
  readonly controller: string
  readonly queue: ReturnType<Workqueue['entries']>
  readonly runs: readonly DebugRun[]
}

function pageText({ controller, queue, runs }: Page): string {
  const waiting = queue.map(
    (it) =>
      `  ${it.place} ${it.key} since ${new Date(it.since).toISOString()}, priority ${it.priority}, failures ${it.failures}${it.reasons.map((one) => `\n    because ${one}`).join('')}`,
  )
  return [
    `controller ${controller}`,
    ` queue: ${queue.length}`,
    ...waiting,
    ` runs: ${runs.length}, newest first`,
    ...runs.map(runText),
    '',
  ].join('\n')
}

function runText(run: DebugRun): string {
  const how = run.outcome ? `${run.outcome} in ${run.duration} ms` : 'running'
  return [
    `  ${run.at} ${run.key} ${how}${run.attempt > 0 ? `, after ${run.attempt} failures` : ''} (${run.id})`,
    ...run.causes.map((it) => `    because ${it}`),
    ...run.writes.map((it) => `    ${it}`),
    ...(run.error ? [`    error: ${run.error}`] : []),
  ].join('\n')
}
