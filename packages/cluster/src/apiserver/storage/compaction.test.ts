import assert from 'node:assert/strict'
import test from 'node:test'
import { fakeClock } from 'kubewright/base'
import { COMPACTION_INTERVAL, keepCompacting } from './compaction.ts'
import { memoryStorage } from './memory-storage.ts'
import { Compacted } from './storage.ts'

test('the past is kept for one interval, and forgotten within two', async () => {
  const clock = fakeClock()
  const storage = memoryStorage()
  const ending = new AbortController()
  const running = keepCompacting(storage, clock, ending.signal)
  const put = (name: string): Promise<unknown> =>
    storage.compareAndSwap(`/a//${name}`, 0, { metadata: { name } })
  await put('1')
  const early = storage.revision
  await clock.advance(COMPACTION_INTERVAL)
  await put('2')
  const later = storage.revision
  await clock.advance(COMPACTION_INTERVAL - 1)
  assert.equal((await storage.list({ prefix: '/a/', at: early })).items.length, 1)
  await put('3')
  await clock.advance(1)
  assert.equal((await storage.list({ prefix: '/a/', at: later })).items.length, 2)
  assert.equal(storage.compacted, early)
  await clock.advance(COMPACTION_INTERVAL)
  await assert.rejects(storage.list({ prefix: '/a/', at: early }), Compacted)
  assert.equal((await storage.list({ prefix: '/a/' })).items.length, 3)
  ending.abort()
  await running
  assert.equal(clock.pending, 0)
})
