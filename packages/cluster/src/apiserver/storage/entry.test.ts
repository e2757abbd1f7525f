import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Entry, WarmObjects } from './entry.ts'

const objectOf = (n: number): { metadata: { name: string; labels: { n: string } }; n: number } => ({
  metadata: { name: `a${n}`, labels: { n: String(n) } },
  n,
})

test('an object that nobody used of late is made anew from its text, and one that is used stays', () => {
  const warm = new WarmObjects({ freeze: true, room: 3 })
  const entries = [0, 1, 2].map((n) => Entry.ofObject(`/a//a${n}`, n, objectOf(n), warm))
  const [used, cold] = [entries[0]!, entries[1]!]
  const usedObject = used.object
  const coldObject = cold.object
  for (let n = 3; n < 20; n++) {
    assert.equal(Entry.ofObject(`/a//a${n}`, n, objectOf(n), warm).object.metadata.name, `a${n}`)
    assert.equal(used.object, usedObject)
  }
  assert.deepEqual(cold.labels, { n: '1' })
  assert.notEqual(cold.object, coldObject)
  assert.deepEqual(cold.object, coldObject)
  assert.ok(Object.isFrozen(cold.object.metadata))
  assert.equal(cold.object, cold.object)
})

test('labels are there without the object, also where there are none', () => {
  const warm = new WarmObjects({ freeze: false })
  const json = '{"metadata":{"name":"a"}}'
  assert.deepEqual(Entry.ofJson('/a//a', 1, json, warm).labels ?? {}, {})
  assert.deepEqual(Entry.ofJson('/a//a', 1, JSON.stringify(objectOf(4)), warm).labels, { n: '4' })
})

test('what cannot be written out is refused, and leaves nothing behind', () => {
  const warm = new WarmObjects({ freeze: false, room: 1 })
  const object: { metadata: object; self?: object } = { metadata: {} }
  object.self = object
  assert.throws(() => Entry.ofObject('/a//a', 1, object, warm), TypeError)
  for (let n = 0; n < 5; n++) Entry.ofObject('/a//b', 2, objectOf(n), warm)
})

test('what is written and never asked for drives out nothing that was', () => {
  const warm = new WarmObjects({ freeze: false, room: 2 })
  const asked = Entry.ofObject('/a//a0', 0, objectOf(0), warm)
  const { object } = asked
  const written = Array.from({ length: 20 }, (_, n) => {
    const given = objectOf(n)
    return { given, entry: Entry.ofObject(`/a//b${n}`, n + 1, given, warm) }
  })
  assert.equal(asked.object, object)
  const [first, last] = [written[0]!, written.at(-1)!]
  assert.notEqual(first.entry.object, first.given)
  assert.deepEqual(first.entry.object, first.given)
  assert.equal(last.entry.object, last.given)
})
