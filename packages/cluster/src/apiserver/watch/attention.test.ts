import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryStorage } from '../storage/memory-storage.ts'
import { AttentiveReader } from './attention.ts'

test('what waits is told before a bookmark, and what happens after the reminder is not in it', async () => {
  const storage = memoryStorage()
  const end = new AbortController()
  const reader = new AttentiveReader(storage.watch('/things/', 1, end.signal))
  const write = (name: string): Promise<unknown> =>
    storage.compareAndSwap(`/things//${name}`, 0, { metadata: { name } })
  const told: string[] = []
  const tell = async (): Promise<void> => {
    const it = await reader.next()
    if (it.kind === 'end') told.push('end')
    else told.push(it.kind === 'value' ? `change ${it.value.revision}` : `bookmark ${it.revision}`)
  }
  await write('a')
  reader.remind(storage.revision)
  await tell()
  await tell()
  const waiting = tell()
  reader.remind(storage.revision)
  await waiting
  await write('b')
  await tell()
  end.abort()
  await tell()
  assert.deepEqual(told, ['change 2', 'bookmark 2', 'bookmark 2', 'change 3', 'end'])
})
