import type { RuntimeEvent } from 'kubewright'
import type { Screen } from './screen.ts'

/** A run of the reconciler that has begun. */
interface Run {
  /** What set it off, so far as it has not been told yet. */
  readonly reasons: readonly string[]
  told: 'nothing' | 'status' | 'writes'
}

interface Story {
  readonly screen: Screen
  readonly runs: Map<string, Run>
  /** The objects that there are, by kind and key: what is written and not among them is new. */
  readonly there: Set<string>
  /** Runs since the last line that found nothing to do. */
  idle: number
}

/** Tells what an operator does. */
export interface Narrator {
  readonly observe: (event: RuntimeEvent) => void
  /** Tells of the runs that have not been told of yet. */
  readonly flush: () => void
}

/**
 * Tells the control loop to a newcomer: a run that changes something as event → queue → reconcile → what it wrote, a run that only
 * brings the status up to date in one line, and the many that find nothing to do as a number.
 */
export function narrator(screen: Screen): Narrator {
  const story: Story = { screen, runs: new Map(), there: new Set(), idle: 0 }
  return { observe: (event) => tell(story, event), flush: () => tellIdle(story) }
}

type EventOf<Type extends RuntimeEvent['type']> = Extract<RuntimeEvent, { type: Type }>

function tell(story: Story, event: RuntimeEvent): void {
  switch (event.type) {
    case 'watched':
      return watched(story, event)
    case 'queued':
      // Told with the run that it leads to: many lead to one.
      return
    case 'reconcile started': {
      // A deletion has been told when it was seen.
      const reasons = event.reasons.filter((it) => !it.endsWith(' deleted'))
      story.runs.set(event.id, { reasons, told: 'nothing' })
      return
    }
    case 'written':
      return written(story, event)
    case 'reconcile ended':
      return ended(story, event)
  }
}

function watched(
  { screen, there }: Story,
  { kind, key, change, initial }: EventOf<'watched'>,
): void {
  const object = `${kind} ${key}`
  if (change === 'delete') there.delete(object)
  else if (initial) there.add(object)
  if (change === 'delete' && kind !== 'Pod') screen.line('event', `${object} deleted`)
}

function written(story: Story, event: EventOf<'written'>): void {
  const { id, key, verb, kind, object, subresource, sent } = event
  const child = `${kind} ${object}`
  const isNew = verb !== 'delete' && !story.there.has(child)
  if (!subresource) story.there[verb === 'delete' ? 'delete' : 'add'](child)
  const run = story.runs.get(id)
  if (!run || !sent) return
  if (subresource) {
    if (run.told === 'nothing') run.told = 'status'
    return
  }
  if (run.told !== 'writes') begin(story, run, key)
  story.screen.line(verb === 'delete' ? 'deleted' : isNew ? 'created' : 'changed', child)
}

function begin(story: Story, run: Run, key: string): void {
  const { screen } = story
  tellIdle(story)
  run.told = 'writes'
  if (run.reasons.length > 0) screen.line('event', few(run.reasons))
  screen.line('queue', key)
  screen.line('reconcile', key)
}

function ended(
  story: Story,
  { id, key, duration, outcome, error }: EventOf<'reconcile ended'>,
): void {
  const { screen, runs } = story
  const { told = 'nothing', reasons = [] } = runs.get(id) ?? {}
  runs.delete(id)
  if (outcome === 'error')
    screen.line('error', `reconcile of ${key} failed and will be tried again: ${String(error)}`)
  else if (told === 'writes') screen.line('reconcile', `${key} done in ${duration.toFixed(0)} ms`)
  else if (told === 'status') {
    tellIdle(story)
    const because = reasons.length > 0 ? ` (${few(reasons)})` : ''
    screen.line('reconcile', `${key}, its status only${because}`)
  } else story.idle++
}

function tellIdle(story: Story): void {
  const { screen, idle } = story
  story.idle = 0
  if (idle > 0) screen.line('reconcile', `${idle} more ${idle > 1 ? 'runs' : 'run'}, nothing to do`)
}

const few = (reasons: readonly string[]): string =>
  reasons.length > 2
    ? `${reasons.slice(0, 2).join(', ')} and ${reasons.length - 2} more`
    : reasons.join(', ')
