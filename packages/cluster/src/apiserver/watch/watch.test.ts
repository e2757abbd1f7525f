import assert from 'node:assert/strict'
import { request } from 'node:https'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { type FakeClock, fakeClock, seededRandom } from 'kubewright/base'
import type { ApiServerOptions } from '../server-options.ts'
import { type ApiServer, createApiServer } from '../server.ts'
import { memoryStorage } from '../storage/memory-storage.ts'

interface Event {
  readonly type: string
  readonly object: {
    readonly message?: string
    readonly metadata: { readonly name?: string; readonly resourceVersion?: string }
  }
}

const MAPS = '/api/v1/namespaces/default/configmaps'

function made(options: ApiServerOptions = {}): { server: ApiServer; clock: FakeClock } {
  const clock = fakeClock()
  const storage = memoryStorage({ freeze: true })
  return { clock, server: createApiServer({ clock, storage, random: seededRandom(1), ...options }) }
}

async function ask(
  server: ApiServer,
  path: string,
  method = 'GET',
  body?: object,
): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  const init = body ? { method, headers, body: JSON.stringify(body) } : { method }
  return server.fetch(new Request(`http://server${path}`, init))
}

const write = async (server: ApiServer, name: string, path = MAPS): Promise<number> => {
  const involvedObject = { namespace: 'default' }
  const answer = await ask(server, path, 'POST', { metadata: { name }, involvedObject })
  assert.equal(answer.status, 201)
  const { metadata } = (await answer.json()) as Event['object']
  return Number(metadata.resourceVersion)
}

/** Reads a watch to its end in the background; `seen` fills up. */
async function watching(server: ApiServer, query: string, path = MAPS): Promise<readonly string[]> {
  const { body } = await ask(server, `${path}?watch=1&${query}`)
  const seen: string[] = []
  void (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      for (const line of decoder.decode(chunk).trimEnd().split('\n')) {
        const { type, object } = JSON.parse(line) as Event
        const { name = '', resourceVersion = '' } = object.metadata
        seen.push(object.message ?? `${type} ${name}@${resourceVersion}`)
      }
    }
    seen.push('(end)')
  })()
  return seen
}

/** Lets what was started go on until nothing more happens by itself. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}

test('a bookmark comes every minute and two seconds before the end, also where it says nothing new', async () => {
  const { server, clock } = made()
  const start = await write(server, 'a')
  const seen = await watching(
    server,
    `resourceVersion=${start}&allowWatchBookmarks=1&timeoutSeconds=200`,
  )
  await clock.advance(61_000)
  assert.deepEqual(seen, [])
  const now = await write(server, 'b')
  await clock.advance(59_000)
  await clock.advance(60_000)
  await settled()
  const bookmark = `BOOKMARK @${now}`
  assert.deepEqual(seen, [`ADDED b@${now}`, bookmark, bookmark])
  await clock.advance(18_000)
  await settled()
  assert.deepEqual(seen.slice(3), [bookmark])
  await clock.advance(2_000)
  await settled()
  assert.deepEqual(seen.slice(4), ['(end)'])
  await server.close()
})

test('a watch that names no time lasts between once and twice the shortest', async () => {
  const { server, clock } = made({ minRequestTimeout: 5_000 })
  const watches = await Promise.all([1, 2, 3, 4].map(() => watching(server, 'resourceVersion=0')))
  await clock.advance(4_999)
  await settled()
  assert.deepEqual(watches.flat(), [])
  await clock.advance(5_001)
  await settled()
  assert.deepEqual(watches.flat(), ['(end)', '(end)', '(end)', '(end)'])
  await server.close()
})

test('an Event goes an hour after its last write, and its watchers hear so', async () => {
  const { server, clock } = made()
  const path = '/api/v1/namespaces/default/events'
  const first = await write(server, 'one', path)
  const second = await write(server, 'two', path)
  const seen = await watching(server, `resourceVersion=${second}&timeoutSeconds=20000`, path)
  await clock.advance(30 * 60_000)
  const patch = await server.fetch(
    new Request(`http://server${path}/two`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: '{"reason":"again"}',
    }),
  )
  assert.equal(patch.status, 200)
  // A lease lasts a minute longer than it must.
  await clock.advance(31 * 60_000)
  await settled()
  assert.deepEqual(seen, [`MODIFIED two@${second + 1}`, `DELETED one@${second + 2}`])
  await clock.advance(31 * 60_000)
  await settled()
  assert.deepEqual(seen.slice(2), [`DELETED two@${second + 3}`])
  assert.equal((await ask(server, `${path}/one`)).status, 404)
  assert.ok(first < second)
  await server.close()
})

test('the past is there for one compaction interval, and for no more than two', async () => {
  const { server, clock } = made({ compactionInterval: 60_000 })
  const first = await write(server, 'a')
  const { metadata } = (await (await ask(server, `${MAPS}?limit=1`)).json()) as {
    metadata: { continue?: string }
  }
  assert.equal(metadata.continue, undefined)
  await write(server, 'b')
  const page = (await (await ask(server, `${MAPS}?limit=1`)).json()) as {
    metadata: { continue: string }
  }
  await clock.advance(60_000)
  await write(server, 'c')
  const next = `${MAPS}?limit=5&continue=${page.metadata.continue}`
  assert.equal((await ask(server, next)).status, 200)
  assert.equal((await ask(server, `${MAPS}?resourceVersion=${first}&limit=1`)).status, 200)
  await clock.advance(60_000)
  await write(server, 'd')
  await clock.advance(60_000)
  const gone = await ask(server, next)
  assert.equal(gone.status, 410)
  const status = (await gone.json()) as { message: string; metadata: { continue: string } }
  assert.match(
    status.message,
    /^The provided continue parameter is too old to display a consistent/,
  )
  const rest = await ask(server, `${MAPS}?continue=${status.metadata.continue}`)
  const { items } = (await rest.json()) as { items: readonly Event['object'][] }
  assert.deepEqual(
    items.map((it) => it.metadata.name),
    ['b', 'c', 'd'],
  )
  const exact = await ask(server, `${MAPS}?resourceVersion=${first}&resourceVersionMatch=Exact`)
  assert.equal(exact.status, 410)
  const seen = await watching(server, `resourceVersion=${first}`)
  await settled()
  assert.match(seen.join(), /^too old resource version: \d+ \(\d+\),\(end\)$/)
  await server.close()
})

test('a client that does not read is cut off, and nobody waits for it', async () => {
  const storage = memoryStorage({ window: 50 })
  await using server = createApiServer({ storage, adminToken: 'secret' })
  const { url } = await server.listen()
  const watch = request(`${url}${MAPS}?watch=1&resourceVersion=0`, {
    rejectUnauthorized: false,
    headers: { authorization: 'Bearer secret' },
  })
  watch.on('error', () => {})
  watch.end()
  const [answer] = (await once(watch, 'response')) as [IncomingMessage]
  // Never read: what the sockets hold fills up first, then the log goes on without it.
  answer.pause()
  answer.on('error', () => {})
  const cut = new Promise((resolve) => answer.once('close', resolve))
  const value = 'x'.repeat(100_000)
  for (let i = 0; i < 300; i++) {
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `m${i}` },
      data: { value },
    }
    const swap = await storage.compareAndSwap(`/configmaps/default/m${i}`, 0, object)
    assert.ok(swap.ok)
    if (i % 10 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  answer.resume()
  await cut
  assert.equal(answer.complete, false)
})
