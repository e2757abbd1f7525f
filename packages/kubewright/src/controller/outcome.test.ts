import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conflict } from '../machinery/status.ts'
import { outcomeOf, TerminalError, terminalError } from './outcome.ts'

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
