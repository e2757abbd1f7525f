import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Departures } from './departures.ts'

test('a client that goes aborts the signal of its request, asked for before or after', () => {
  const departures = new Departures(new AbortController().signal)
  const [before, after] = [departures.enter(), departures.enter()]
  const { signal } = before
  assert.equal(signal.aborted, false)
  assert.equal(before.gone, false)
  before.go()
  before.go()
  after.go()
  assert.equal(signal.aborted, true)
  assert.equal(before.signal, signal)
  assert.equal(after.signal.aborted, true)
  assert.equal(after.gone, true)
})

test('a listener that closes sends away whoever waits for an answer, and whoever comes then', () => {
  const closing = new AbortController()
  const departures = new Departures(closing.signal)
  const [waits, answered] = [departures.enter(), departures.enter()]
  departures.leave(answered)
  closing.abort()
  assert.equal(waits.signal.aborted, true)
  assert.equal(answered.signal.aborted, false)
  assert.equal(departures.enter().gone, true)
})
