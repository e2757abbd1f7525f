import assert from 'node:assert/strict'
import test from 'node:test'
import { untilEvicted } from './eviction.ts'

const NOW = Date.UTC(2026, 0, 1)
const taint = (key: string, secondsAgo?: number) =>
  ({
    key,
    effect: 'NoExecute',
    ...(secondsAgo !== undefined && { timeAdded: new Date(NOW - secondsAgo * 1000).toISOString() }),
  }) as const

test('a pod leaves at once what it does not tolerate, and later what it tolerates for a while', () => {
  assert.equal(untilEvicted([], [], NOW), undefined)
  assert.equal(untilEvicted([{ key: 'a', effect: 'NoSchedule' }], [], NOW), undefined)
  assert.equal(untilEvicted([taint('a')], [], NOW), 0)
  const always = { key: 'a', operator: 'Exists' } as const
  assert.equal(untilEvicted([taint('a')], [always], NOW), undefined)
  assert.equal(untilEvicted([taint('a'), taint('b')], [always], NOW), 0)
  const briefly = { ...always, tolerationSeconds: 300 }
  assert.equal(untilEvicted([taint('a', 100)], [briefly], NOW), 200_000)
  assert.equal(untilEvicted([taint('a', 400)], [briefly], NOW), 0)
  assert.equal(
    untilEvicted([taint('a', 100)], [briefly, { ...briefly, tolerationSeconds: 150 }], NOW),
    50_000,
  )
})
