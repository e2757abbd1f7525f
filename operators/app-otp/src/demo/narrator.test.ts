import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RuntimeEvent } from 'kubewright'
import { narrator } from './narrator.ts'
import { createScreen } from './screen.ts'

const of = { controller: 'appotp', key: 'default/a' }
const started = (id: string, ...reasons: string[]): RuntimeEvent => ({
  ...of,
  type: 'reconcile started',
  id,
  attempt: 1,
  reasons,
  causes: reasons,
})
const wrote = (id: string, kind: string, more: object = {}): RuntimeEvent => ({
  ...of,
  type: 'written',
  id,
  verb: 'apply',
  kind,
  object: 'default/a',
  sent: true,
  ...more,
})
const ended = (id: string, error?: unknown): RuntimeEvent => ({
  ...of,
  type: 'reconcile ended',
  id,
  duration: 7,
  ...(error === undefined ? { outcome: 'success' } : { outcome: 'error', error }),
})
const seen = (kind: string, change: 'create' | 'delete', initial = false): RuntimeEvent => ({
  ...of,
  type: 'watched',
  kind,
  change,
  initial,
})

/** What a newcomer reads of these events. */
function tale(...events: readonly RuntimeEvent[]): string {
  const lines: string[] = []
  const screen = createScreen(
    (line) => lines.push(line.replace(/^ *\d\.\d\ds {2}/, '')),
    () => 0,
    false,
  )
  const { observe, flush } = narrator(screen)
  for (const event of events) observe(event)
  flush()
  return lines.join('\n')
}

test('a run that writes is told in full, from its cause to its end', () => {
  const text = tale(
    started('1', 'AppOTP a created'),
    wrote('1', 'Deployment'),
    wrote('1', 'Service', { sent: false }),
    wrote('1', 'AppOTP', { subresource: 'status' }),
    ended('1'),
    started('2', 'AppOTP a updated'),
    wrote('2', 'Deployment'),
    ended('2'),
  )
  assert.equal(
    text,
    `event       AppOTP a created
queue       default/a
reconcile   default/a
created     Deployment default/a
reconcile   default/a done in 7 ms
event       AppOTP a updated
queue       default/a
reconcile   default/a
changed     Deployment default/a
reconcile   default/a done in 7 ms`,
  )
})

test('runs that find nothing to do are counted, and told before the next', () => {
  const text = tale(
    started('1'),
    ended('1'),
    started('2'),
    ended('2'),
    started('3', 'Pod b updated', 'Pod c updated', 'Pod d updated'),
    wrote('3', 'AppOTP', { subresource: 'status' }),
    ended('3'),
    started('4'),
    ended('4'),
  )
  assert.equal(
    text,
    `reconcile   2 more runs, nothing to do
reconcile   default/a, its status only (Pod b updated, Pod c updated and 1 more)
reconcile   1 more run, nothing to do`,
  )
})

test('what is there is changed and not created; what was deleted is created again', () => {
  const text = tale(
    seen('Deployment', 'create', true),
    started('1'),
    wrote('1', 'Deployment'),
    ended('1'),
    seen('Deployment', 'delete'),
    started('2', 'Deployment a deleted'),
    wrote('2', 'Deployment'),
    wrote('2', 'Service', { verb: 'delete' }),
    ended('2'),
  )
  assert.equal(
    text,
    `queue       default/a
reconcile   default/a
changed     Deployment default/a
reconcile   default/a done in 7 ms
event       Deployment default/a deleted
queue       default/a
reconcile   default/a
created     Deployment default/a
deleted     Service default/a
reconcile   default/a done in 7 ms`,
  )
})

test('a failure is always told', () => {
  assert.equal(
    tale(started('1'), ended('1', new Error('no luck'))),
    'error       reconcile of default/a failed and will be tried again: Error: no luck',
  )
})
