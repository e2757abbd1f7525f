import assert from 'node:assert/strict'
import test from 'node:test'
import { zonedTimeText } from './zoned-time.ts'

test('a time is written as the clocks of its zone show it', () => {
  const [winter, summer] = [Date.UTC(2026, 0, 1, 23, 30), Date.UTC(2026, 6, 1, 23, 30)]
  assert.equal(zonedTimeText(winter), '2026-01-01T23:30:00Z')
  assert.equal(zonedTimeText(winter, 'Europe/Berlin'), '2026-01-02T00:30:00+01:00')
  assert.equal(zonedTimeText(summer, 'Europe/Berlin'), '2026-07-02T01:30:00+02:00')
  assert.equal(zonedTimeText(winter, 'America/St_Johns'), '2026-01-01T20:00:00-03:30')
})
