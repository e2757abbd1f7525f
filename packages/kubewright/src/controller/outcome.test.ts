import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conflict } from '../machinery/status.ts'
import { outcomeOf, temporaryError, TerminalError, terminalError, type Result } from './outcome.ts'

test('what a reconciler returns or throws decides what comes next', () => {
  const returned = (result?: { requeueAfter?: number }) => outcomeOf({ type: 'returned', result })
  const threw = (error: unknown) => outcomeOf({ type: 'threw', error })
  assert.deepEqual(returned(), { label: 'success', next: { type: 'forget' } })
  assert.deepEqual(returned({}), { label: 'success', next: { type: 'forget' } })
  assert.deepEqual(returned({ requeueAfter: 0 }), { label: 'success', next: { type: 'forget' } })
  assert.deepEqual(returned({ requeueAfter: 5 }), {
    label: 'requeue_after',
    next: { type: 'after', ms: 5 },
  })
  const error = new Error('no')
  assert.deepEqual(threw(error), { label: 'error', next: { type: 'retry' }, error })
  const lost = conflict({ group: '', plural: 'pods' }, 'a', 'changed')
  assert.deepEqual(threw(lost), {
    label: 'error',
    next: { type: 'retry' },
    error: lost,
    conflict: true,
  })
  const final = terminalError('never')
  assert.deepEqual(threw(final), {
    label: 'error',
    next: { type: 'forget' },
    error: final,
    terminal: true,
  })
  assert.deepEqual(outcomeOf({ type: 'timed out', error }), {
    label: 'error',
    next: { type: 'retry' },
    error,
    timeout: true,
  })
})

test('throwing something that is no Error is a panic, and says what it was', () => {
  for (const [thrown, text] of [
    ['oops', 'oops'],
    [{ a: 1 }, '{"a":1}'],
    [undefined, 'undefined'],
    [1n, '1'],
  ] as const) {
    const outcome = outcomeOf({ type: 'threw', error: thrown })
    assert.equal(outcome.panic, true)
    assert.equal(
      outcome.error?.message,
      `panic: ${text} [recovered]: the reconciler threw something that is no Error`,
    )
  }
})

test('a terminal error keeps its cause', () => {
  const cause = new Error('inner')
  const error = terminalError(cause)
  assert.ok(error instanceof TerminalError)
  assert.equal(error.message, 'inner')
  assert.equal(error.cause, cause)
})

test('a temporary error says when to try again, and is no alarm', () => {
  const outcome = outcomeOf({ type: 'threw', error: temporaryError('not yet', '30s') })
  assert.deepEqual(
    [outcome.label, outcome.next, outcome.temporary],
    ['error', { type: 'retry', after: 30_000 }, true],
  )
})

test('nonsense is no answer, and a wrong requeueAfter is an error that says so', () => {
  for (const result of ['soon', 7, null, [], { other: 1 }] as unknown as readonly Result[])
    assert.deepEqual(outcomeOf({ type: 'returned', result }).next, { type: 'forget' })
  for (const requeueAfter of [
    'soon',
    NaN,
    -1,
    Infinity,
    null,
    {},
  ] as unknown as readonly number[]) {
    const outcome = outcomeOf({ type: 'returned', result: { requeueAfter } })
    assert.equal(outcome.label, 'error')
    assert.match(
      outcome.error!.message,
      /returned requeueAfter .*: milliseconds, 0 or more, were expected/,
    )
  }
  const result = { requeueAfter: 5, priority: 3 }
  assert.deepEqual(outcomeOf({ type: 'returned', result }).next, {
    type: 'after',
    ms: 5,
    priority: 3,
  })
})
