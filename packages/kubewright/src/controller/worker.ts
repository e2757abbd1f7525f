import type { Clock, Timer } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import { reasonText, type Taken } from '../workqueue/queue-machine.ts'
import type { Workqueue } from '../workqueue/workqueue.ts'
import type { ControllerMeter } from './controller-metrics.ts'
import type { RuntimeObserver } from './observer.ts'
import { outcomeOf, type Outcome, type Result, type Settled } from './outcome.ts'
import type { Pace } from './pace.ts'
import type { TracedEnd, Tracing } from './tracing.ts'

/** One run, as the worker hands it on. */
export interface Run {
  readonly key: string
  readonly id: string
  readonly attempt: number
  readonly reasons: readonly string[]
  readonly signal: AbortSignal
  readonly log: Logger
}

/** What workers of one controller share. */
export interface WorkerParts {
  readonly controller: string
  readonly queue: Workqueue
  readonly run: (run: Run) => Promise<Result | undefined>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly meter: ControllerMeter
  readonly observer: RuntimeObserver | undefined
  readonly tracing?: Tracing | undefined
  /** Holds back single objects. */
  readonly pace: Pace | undefined
  /** Holds back the controller as a whole. */
  readonly rate?: Pace | undefined
  /** How many tries a failing object has in a row. Default: no end. */
  readonly tries?: number
  /** Begins a run of a key, unless it is not this process's; what it answers is called when the run has ended. */
  readonly begin?: (key: string) => (() => void) | undefined
  /** Milliseconds; 0 for no limit. */
  readonly timeout: number
  /** Aborts runs: the process cannot wait for them any longer. */
  readonly signal: AbortSignal
}

/** How long an aborted run may take to notice before its slot is given to another, ms. */
const GRACE = 1_000

/** Takes keys until the queue stops; several of these work side by side. */
export async function work(parts: WorkerParts): Promise<void> {
  for (;;) {
    const taken = await parts.queue.take()
    if (!taken) return
    const { key } = taken
    const now = parts.clock.now()
    const wait = parts.pace?.take(key, now) ?? 0
    if (wait > 0) tellHeldBack(parts, taken, wait)
    const turn = wait > 0 ? wait : (parts.rate?.take('', now) ?? 0)
    if (turn > 0) {
      holdBack(parts, taken, turn)
      continue
    }
    const end = parts.begin ? parts.begin(key) : NOTHING
    if (end) await runOne(parts, taken).finally(end)
    else {
      // Another replica's, or of a cluster that has left.
      parts.queue.forget(key)
      parts.queue.done(key)
    }
  }
}

const NOTHING = (): void => {}

function tellHeldBack({ log }: WorkerParts, { key, reasons }: Taken, wait: number): void {
  log.warn(
    'an object is reconciled again and again: it is held back; look for a write that sets itself off',
    {
      object: key,
      reasons: reasons.map(reasonText).join(', '),
      waitMs: wait,
    },
  )
}

function holdBack({ queue }: WorkerParts, taken: Taken, wait: number): void {
  const { key, reasons, priority } = taken
  for (const reason of reasons.length > 0 ? reasons : [undefined])
    queue.add(key, { after: wait, priority, reason })
  queue.done(key)
}

async function runOne(parts: WorkerParts, taken: Taken): Promise<void> {
  const { tracing, clock, controller } = parts
  const { key } = taken
  const id = parts.random.uuid()
  if (!tracing) return perform(parts, taken, id)
  const now = clock.now()
  const traced = {
    controller,
    key,
    id,
    attempt: taken.failures,
    causes: taken.reasons.map(reasonText),
    queuedAt: now - taken.waited,
    takenAt: now,
  }
  return tracing.run(traced, (end) => perform(parts, taken, id, end))
}

async function perform(
  parts: WorkerParts,
  taken: Taken,
  id: string,
  end?: (how: TracedEnd) => void,
): Promise<void> {
  const { controller, queue, clock, meter, observer } = parts
  const { key, failures: attempt } = taken
  const reasons = taken.reasons.map((it) => it.text)
  const log = parts.log.with({ object: key, reconcileID: id })
  const began = clock.now()
  meter.started()
  observer?.({
    type: 'reconcile started',
    controller,
    key,
    id,
    attempt,
    reasons,
    get causes() {
      return taken.reasons.map(reasonText)
    },
  })
  const settled = await settle(parts, { key, id, attempt, reasons, log })
  const outcome = outcomeOf(settled)
  const duration = clock.now() - began
  meter.ended(outcome, duration)
  const last = attempt + 1 >= (parts.tries ?? Infinity)
  if (settled.type !== 'stopped') report(log, outcome, duration, taken, last)
  const after = requeue(queue, taken, outcome, last)
  const { error, label } = outcome
  end?.({ outcome: label, error })
  observer?.({
    type: 'reconcile ended',
    controller,
    key,
    id,
    outcome: label,
    duration,
    ...(error ? { error } : {}),
    ...(after === undefined ? {} : { after }),
  })
  queue.done(key)
}

function requeue(
  queue: Workqueue,
  { key, priority }: Taken,
  { next }: Outcome,
  last: boolean,
): number | undefined {
  switch (next.type) {
    case 'forget':
      queue.forget(key)
      return undefined
    case 'after':
      queue.forget(key)
      queue.add(key, {
        after: next.ms,
        priority: next.priority ?? priority,
        reason: 'requeueAfter',
      })
      return next.ms
    case 'retry':
      if (last) queue.forget(key)
      else queue.retry(key, next.after)
      return last ? undefined : next.after
  }
}

const whyOf = ({ reasons }: Taken): string => reasons.map(reasonText).join('; ')

function report(log: Logger, outcome: Outcome, ms: number, taken: Taken, last: boolean): void {
  const { error, terminal, conflict, temporary, label: result } = outcome
  const attempt = taken.failures + 1
  if (!error)
    return log.debug('reconciled', {
      ms,
      result,
      // Read only by a logger that tells of it.
      get reasons() {
        return whyOf(taken)
      },
    })
  const why = { reasons: whyOf(taken) }
  if (conflict)
    return log.info('the object changed meanwhile; trying again', { error: error.message })
  if (temporary) return log.info('not yet; trying again later', { error: error.message })
  if (terminal)
    return log.error('reconcile failed for good; waiting for the next event', { error, ...why })
  if (last)
    return log.error('reconcile failed, and was tried often enough; waiting for the next event', {
      error,
      attempt,
      ...why,
    })
  log.error('reconcile failed; trying again', { error, attempt, ...why })
}

/**
 * Runs the reconciler to its end, or to its time limit. A run that does not notice that it was aborted loses its slot after a
 * moment: its context refuses every further call, so that the object may safely be taken up again.
 */
async function settle(parts: WorkerParts, run: Omit<Run, 'signal'>): Promise<Settled> {
  const { clock, timeout } = parts
  const own = new AbortController()
  const { signal } = own
  const running = parts.run({ ...run, signal }).then(
    (result): Settled => ({ type: 'returned', result }),
    (error: unknown): Settled => ({ type: 'threw', error }),
  )
  let timedOut: Error | undefined
  let lapse: Timer | undefined
  let grace: Timer | undefined
  let giveUp: (() => void) | undefined
  const limit = new Promise<Settled>((resolve) => {
    const give = (settled: Settled): void => {
      grace?.cancel()
      grace = clock.after(GRACE, () => resolve(settled))
    }
    giveUp = () => {
      own.abort(parts.signal.reason)
      give({ type: 'stopped' })
    }
    parts.signal.addEventListener('abort', giveUp, { once: true })
    if (parts.signal.aborted) giveUp()
    if (timeout <= 0) return
    lapse = clock.after(timeout, () => {
      timedOut = new Error(
        `the reconciler did not return within ${timeout} ms; its signal was aborted: pass context.signal to whatever it waits for, or raise the timeout option`,
      )
      own.abort(timedOut)
      give({ type: 'timed out', error: timedOut })
    })
  })
  const settled = await Promise.race([running, limit])
  lapse?.cancel()
  grace?.cancel()
  if (giveUp) parts.signal.removeEventListener('abort', giveUp)
  if (!own.signal.aborted) own.abort(OVER)
  if (timedOut) return { type: 'timed out', error: timedOut }
  return settled.type === 'threw' && parts.signal.aborted ? { type: 'stopped' } : settled
}

const OVER = new Error(
  'the run is over: a context may not be used after its reconciler has returned',
)
