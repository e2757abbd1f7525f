import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeClock } from 'kubewright/base'
import { createApiServer } from '../server.ts'

const MAPS = 'http://server/api/v1/namespaces/default/configmaps'

test('a server that is told to end says so, waits for what is under way, and sends others away', async () => {
  const clock = fakeClock()
  let release = (): void => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  const slow = { name: 'Slow', handles: () => true, admit: () => held }
  const server = createApiServer({
    clock,
    admission: [slow],
    shutdown: { delay: 5_000, drain: 60_000, sendRetryAfter: true },
  })
  const status = async (url: string, init?: RequestInit): Promise<number> =>
    (await server.fetch(new Request(url, init))).status
  assert.equal(await status('http://server/readyz'), 200)
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ metadata: { name: 'a' } })
  const made = status(MAPS, { method: 'POST', headers, body })
  const watch = await server.fetch(new Request(`${MAPS}?watch=1`))
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  let closed = false
  const closing = server.close().then(() => (closed = true))
  // For its delay it serves on, but is not ready.
  assert.equal(await status('http://server/readyz'), 500)
  assert.equal(await status('http://server/livez'), 200)
  assert.equal(await status(MAPS), 200)
  await clock.advance(5_000)
  const refused = await server.fetch(new Request(MAPS))
  assert.equal(refused.status, 429)
  assert.equal(refused.headers.get('retry-after'), '5')
  assert.equal(await refused.text(), 'The apiserver is shutting down, please try again later.\n')
  assert.equal(closed, false)
  release()
  assert.equal(await made, 201)
  await closing
  assert.match(await watch.text(), /"ADDED"/)
})

test('what is under way is waited for no longer than it may be', async () => {
  const clock = fakeClock()
  const slow = { name: 'Slow', handles: () => true, admit: () => new Promise<void>(() => {}) }
  const server = createApiServer({ clock, admission: [slow], shutdown: { drain: 1_000 } })
  await server.ready
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
  server.fetch(new Request(MAPS, init)).catch(() => {})
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  const closing = server.close()
  await clock.advance(1_000)
  await closing
})
