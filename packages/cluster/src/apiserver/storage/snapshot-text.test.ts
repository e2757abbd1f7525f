import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryStorage } from './memory-storage.ts'
import { decodeSnapshot, encodeSnapshot } from './snapshot-text.ts'
import { type Snapshot, StorageFailure } from './storage.ts'

async function some(): Promise<Snapshot> {
  const storage = memoryStorage()
  for (const name of ['b', 'a "quoted"\t\\', 'é→𝄞'])
    await storage.compareAndSwap(`/x/n/${name}`, 0, { metadata: { name }, value: `of ${name}\n` })
  await storage.compareAndSwap('/x/n/b', 2, undefined)
  return storage.snapshot()
}

const plain = ({ revision, items }: Snapshot): unknown => ({
  revision,
  items: items.map(({ key, revision, json }) => ({ key, revision, json })),
})

test('a snapshot comes back from its text as it was', async () => {
  const snapshot = await some()
  assert.deepEqual(plain(decodeSnapshot(encodeSnapshot(snapshot))), plain(snapshot))
  const nothing = { revision: 7, items: [] }
  assert.deepEqual(decodeSnapshot(encodeSnapshot(nothing)), nothing)
})

test('its text is lines of JSON', async () => {
  const lines = encodeSnapshot(await some())
    .toString()
    .trimEnd()
    .split('\n')
  assert.deepEqual(JSON.parse(lines[0]!), {
    format: 'kubewright-snapshot',
    version: 1,
    revision: 5,
    objects: 2,
  })
  assert.deepEqual(JSON.parse(lines[1]!), [
    3,
    '/x/n/a "quoted"\t\\',
    {
      metadata: { name: 'a "quoted"\t\\', resourceVersion: '3' },
      value: 'of a "quoted"\t\\\n',
    },
  ])
})

test('what is not whole, or not one, is refused with a sentence', async () => {
  const bytes = encodeSnapshot(await some())
  const refused = (it: Buffer, why: RegExp): void =>
    assert.throws(
      () => decodeSnapshot(it, 'backup.jsonl'),
      (error: unknown) => error instanceof StorageFailure && why.test(error.message),
    )
  refused(Buffer.from(''), /backup.jsonl is no snapshot of a cluster/)
  refused(Buffer.from('hello\nworld\n'), /is no snapshot of a cluster/)
  refused(Buffer.from('{"format":"kubewright-snapshot","version":2}\n'), /has version 2, and this/)
  for (let end = bytes.indexOf(10) + 1; end < bytes.length - 1; end += 7)
    refused(bytes.subarray(0, end), /is cut short or damaged/)
  for (let at = bytes.indexOf(10) + 1; at < bytes.length - 1; at += 5) {
    const flipped = Buffer.from(bytes)
    flipped[at]! ^= 4
    refused(flipped, /is cut short or damaged/)
  }
})
