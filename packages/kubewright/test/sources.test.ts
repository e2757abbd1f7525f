import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { manager, type Running } from 'kubewright'
import { channel, cloudEvents, cron, inbound, polling, type Source } from 'kubewright/controller'
import { fakeClock, type FakeClock } from 'kubewright/base'
import { settle, world, type World } from './world.ts'

interface Listening extends World {
  readonly clock: FakeClock
  readonly running: Running
  readonly keys: () => readonly string[]
}

/** A controller that only a source sets off. */
async function listening(t: TestContext, source: Source, inboundPort?: number): Promise<Listening> {
  const it = await world(t)
  const clock = fakeClock(Date.UTC(2026, 0, 1, 0, 0, 30))
  const app = manager()
  app
    .controller('outside')
    .watchesSource(source)
    .reconcileKey(() => {})
  const ports = inboundPort === undefined ? {} : { ports: { inbound: inboundPort } }
  const running = await it.up(app.start({ ...it.options, ...ports, clock }))
  await settle()
  return {
    ...it,
    clock,
    running,
    keys: () => it.journal.of('queued').map((one) => `${one.key}: ${one.reason}`),
  }
}

test('a channel passes on what is sent, and keeps what was sent before anybody listened', async (t) => {
  const { source, send } = channel()
  send(['ns/early'])
  const { keys, running } = await listening(t, source)
  send([{ namespace: 'ns', name: 'late' }], 'a webhook of ours')
  assert.deepEqual(keys(), ['ns/early: sent', 'ns/late: a webhook of ours'])
  await running.stop()
  send(['ns/after'])
  assert.equal(keys().length, 2)
})

test('a schedule asks when its time comes, also after a time that was slept through', async (t) => {
  const { clock, keys } = await listening(
    t,
    cron('*/5 * * * *', () => ['ns/a']),
  )
  await clock.advance(4 * 60_000)
  assert.deepEqual(keys(), [])
  await clock.advance(60_000)
  assert.deepEqual(keys(), ['ns/a: cron */5 * * * *'])
  await clock.advance(10 * 60_000)
  assert.equal(keys().length, 3)
  assert.throws(() => cron('61 * * * *', () => []), /above maximum/)
})

test('polling asks for what is new, changed or gone, and outlives failures', async (t) => {
  const answers: (readonly (readonly [string, unknown])[] | Error)[] = [
    [
      ['ns/a', 1],
      ['ns/b', { x: 1 }],
    ],
    [
      ['ns/a', 1],
      ['ns/b', { x: 1 }],
    ],
    new Error('away'),
    [['ns/a', 2]],
  ]
  const { clock, keys, log } = await listening(
    t,
    polling({
      every: '10s',
      name: 'inventory',
      read: async () => {
        const answer = answers.shift() ?? []
        if (answer instanceof Error) throw answer
        return answer
      },
    }),
  )
  assert.deepEqual(keys(), ['ns/a: inventory', 'ns/b: inventory'])
  await clock.advance(10_000)
  assert.equal(keys().length, 2)
  await clock.advance(10_000)
  await settle()
  assert.ok(log.all.some((it) => it.message === 'polling failed; trying again'))
  await clock.advance(1_000)
  await settle()
  assert.deepEqual(keys().slice(2), ['ns/a: inventory', 'ns/b: inventory'])
})

test('HTTP calls ask for objects: 202, and 400, 401, 404, 405 and 413 with a reason', async (t) => {
  const source = inbound({ path: '/hooks/build', token: 's3cret', limit: 64 }, ({ body }) => {
    const { repo } = JSON.parse(body) as { repo: string }
    return [`ns/${repo}`]
  })
  const { running, keys } = await listening(t, source, 0)
  const url = `http://127.0.0.1:${running.ports.inbound}/hooks/build`
  const send = async (body: string, more: RequestInit = {}): Promise<number> => {
    const headers = { authorization: 'Bearer s3cret' }
    return (await fetch(url, { method: 'POST', body, headers, ...more })).status
  }
  assert.equal(await send('{"repo":"web"}'), 202)
  assert.deepEqual(keys(), ['ns/web: POST /hooks/build'])
  assert.equal(await send('nonsense'), 400)
  assert.equal(await send('{"repo":"web"}', { headers: { authorization: 'Bearer no' } }), 401)
  assert.equal(await send('{"repo":"web"}', { headers: {} }), 401)
  assert.equal(await send(JSON.stringify({ repo: 'x'.repeat(100) })), 413)
  assert.equal((await fetch(url)).status, 405)
  assert.equal((await fetch(`${url}/other`, { method: 'POST' })).status, 404)
  assert.equal(keys().length, 1)
})

test('CloudEvents come in binary, structured and in batches', async (t) => {
  const source = cloudEvents({ path: '/events', types: ['com.example.push'] }, (it) => [
    `ns/${it.subject}-${(it.data as { n: number }).n}`,
  ])
  const { running, keys } = await listening(t, source, 0)
  const url = `http://127.0.0.1:${running.ports.inbound}/events`
  const send = async (
    contentType: string,
    body: unknown,
    headers: object = {},
  ): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': contentType, ...headers },
    })
  const event = { specversion: '1.0', id: '1', source: '/git', type: 'com.example.push' }
  const binary = {
    'ce-specversion': '1.0',
    'ce-id': '1',
    'ce-source': '/git',
    'ce-type': 'com.example.push',
    'ce-subject': 'a%20b',
  }
  assert.equal((await send('application/json', { n: 1 }, binary)).status, 202)
  const one = { ...event, subject: 'b', data: { n: 2 } }
  assert.equal((await send('application/cloudevents+json; charset=utf-8', one)).status, 202)
  const many = [
    { ...event, subject: 'c', data: { n: 3 } },
    { ...event, type: 'other', subject: 'd', data: { n: 4 } },
  ]
  assert.equal((await send('application/cloudevents-batch+json', many)).status, 202)
  assert.deepEqual(
    keys().map((it) => it.split(':')[0]),
    ['ns/a b-1', 'ns/b-2', 'ns/c-3'],
  )
  const wrong = await send('application/cloudevents+json', { ...one, id: '' })
  assert.equal(wrong.status, 400)
  assert.match(await wrong.text(), /a CloudEvent needs id/)
})

test('a source that takes requests needs a port, and says which', async (t) => {
  const it = await world(t)
  const app = manager()
  app
    .controller('outside')
    .watchesSource(inbound({ path: '/x' }, () => []))
    .reconcileKey(() => {})
  const running = await it.up(app.start(it.options))
  await assert.rejects(
    running.done,
    /takes requests at \/x, and the manager listens nowhere for them: .*ports: \{ inbound: 9080 \}/,
  )
})
