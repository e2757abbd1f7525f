import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeClock } from '../base/clock.ts'
import { createLogger, type LogEntry } from '../base/logger.ts'
import { prometheusMetrics } from '../base/prometheus.ts'
import { seededRandom } from '../base/random.ts'
import type { Transport } from '../base/transport.ts'
import { kindOf } from '../machinery/kind.ts'
import type { KubeObject } from '../machinery/object.ts'
import { ApiError, isConflict, isNotFound, notFound } from '../machinery/status.ts'
import { UnreachableError } from './answer.ts'
import { createClient, type Client, type ClientOptions } from './client.ts'
import { ConfigurationError } from './exchange.ts'
import { metadataOf } from './metadata-only.ts'
import type { Write } from './write.ts'

const POD = kindOf('v1', 'Pod', 'pods', 'Namespaced')
const NODE = kindOf('v1', 'Node', 'nodes', 'Cluster')
interface Wide extends KubeObject {
  readonly spec?: { readonly id: number | bigint; readonly n: number }
}
const WIDE = kindOf<Wide>('example.com/v1', 'Wide', 'wides', 'Namespaced')
const DEPLOYMENT = kindOf('apps/v1', 'Deployment', 'deployments', 'Namespaced')

const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })

interface Seen {
  readonly line: string
  readonly body: string
  readonly headers: Headers
}

/** A transport that answers from a list and remembers what it was asked. */
function scripted(...answers: readonly (() => Response | Promise<Response>)[]): {
  transport: Transport
  seen: Seen[]
} {
  const seen: Seen[] = []
  const transport: Transport = async (request) => {
    const url = new URL(request.url)
    seen.push({
      line: `${request.method} ${url.pathname}${url.search}`,
      body: await request.text(),
      headers: request.headers,
    })
    return answers[Math.min(seen.length, answers.length) - 1]!()
  }
  return { transport, seen }
}

const clientOf = (transport: Transport, more: Partial<ClientOptions> = {}): Client =>
  createClient({ transport, clock: fakeClock(), random: seededRandom(1), ...more })

test('each call is one request, and the right one', async () => {
  const { transport, seen } = scripted(() =>
    json({ kind: 'X', metadata: { name: 'a', namespace: 'ns' }, items: [] }),
  )
  const client = clientOf(transport, { fieldOwner: 'me' })
  await client.get(POD, 'ns/a')
  await client.get(POD, 'a')
  await client.get(NODE, 'n')
  await client.list(DEPLOYMENT, { labelSelector: 'a in (b,c)', limit: 5 })
  await client.list(DEPLOYMENT, { namespace: 'ns' })
  await client.create(POD, { metadata: { name: 'a', namespace: 'ns' } })
  await client.create(
    POD,
    { metadata: { generateName: 'a-' } },
    { dryRun: true, fieldValidation: 'Strict' },
  )
  await client.update(POD, { metadata: { name: 'a', namespace: 'ns' } }, { subresource: 'status' })
  await client.apply(DEPLOYMENT, { metadata: { name: 'a' } }, { force: true })
  await client.patch(POD, 'ns/a', { type: 'json', body: [{ op: 'remove', path: '/x' }] })
  await client.patch(POD, 'ns/a', { type: 'merge', body: { a: null } })
  await client.patch(POD, 'ns/a', { type: 'strategic', body: {} }, { fieldOwner: 'you' })
  await client.delete(POD, 'ns/a', { propagation: 'Foreground', gracePeriodSeconds: 0, uid: 'u' })
  await client.deleteCollection(POD, { namespace: 'ns', labelSelector: 'a=b' })
  await client.subresource(DEPLOYMENT, 'ns/a', 'scale').get()
  assert.deepEqual(
    seen.map((it) => it.line),
    [
      'GET /api/v1/namespaces/ns/pods/a',
      'GET /api/v1/namespaces/default/pods/a',
      'GET /api/v1/nodes/n',
      'GET /apis/apps/v1/deployments?labelSelector=a%20in%20(b%2Cc)&limit=5',
      'GET /apis/apps/v1/namespaces/ns/deployments',
      'POST /api/v1/namespaces/ns/pods?fieldManager=me',
      'POST /api/v1/namespaces/default/pods?fieldManager=me&fieldValidation=Strict&dryRun=All',
      'PUT /api/v1/namespaces/ns/pods/a/status?fieldManager=me',
      'PATCH /apis/apps/v1/namespaces/default/deployments/a?fieldManager=me&force=true',
      'PATCH /api/v1/namespaces/ns/pods/a?fieldManager=me',
      'PATCH /api/v1/namespaces/ns/pods/a?fieldManager=me',
      'PATCH /api/v1/namespaces/ns/pods/a?fieldManager=you',
      'DELETE /api/v1/namespaces/ns/pods/a',
      'DELETE /api/v1/namespaces/ns/pods?labelSelector=a%3Db',
      'GET /apis/apps/v1/namespaces/ns/deployments/a/scale',
    ],
  )
  assert.deepEqual(
    seen.slice(8, 12).map((it) => it.headers.get('content-type')),
    [
      'application/apply-patch+yaml',
      'application/json-patch+json',
      'application/merge-patch+json',
      'application/strategic-merge-patch+json',
    ],
  )
  assert.equal(
    seen[8]!.body,
    '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"}}',
  )
  assert.deepEqual(JSON.parse(seen[12]!.body), {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    propagationPolicy: 'Foreground',
    gracePeriodSeconds: 0,
    preconditions: { uid: 'u' },
  })
})

test('metadata-only kinds ask for PartialObjectMetadata', async () => {
  const { transport, seen } = scripted(() => json({ metadata: {}, items: [] }))
  const client = clientOf(transport)
  await client.get(metadataOf(POD), 'a')
  await client.list(metadataOf(POD))
  assert.deepEqual(
    seen.map((it) => it.headers.get('accept')),
    [
      'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
      'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
    ],
  )
})

test('an answer of 400 and above is an ApiError with its Status; find answers undefined for what is not there', async () => {
  const { status } = notFound({ group: '', plural: 'pods' }, 'a')
  const { transport } = scripted(() => json(status, 404))
  const client = clientOf(transport)
  await assert.rejects(
    client.get(POD, 'a'),
    (error: unknown) => isNotFound(error) && error.message === 'pods "a" not found',
  )
  assert.equal(await client.find(POD, 'a'), undefined)
})

test('a path that nobody serves is not "there is no such object"', async () => {
  const { transport } = scripted(() => new Response('404 page not found\n', { status: 404 }))
  await assert.rejects(
    clientOf(transport).find(DEPLOYMENT, 'a'),
    /does not serve this path; if it is of a custom resource, install/,
  )
})

test('an answer that is no Status gets a sentence', async () => {
  const { transport } = scripted(() => new Response('<html>Bad\n Gateway</html>', { status: 502 }))
  await assert.rejects(clientOf(transport).get(POD, 'a'), (error: unknown) => {
    assert.ok(error instanceof ApiError)
    assert.equal(error.code, 502)
    assert.match(
      error.message,
      /^GET \/api\/v1\/namespaces\/default\/pods\/a: .* answered 502 and not with a Kubernetes Status but with "<html>Bad Gateway<\/html>"; check that the address is an API server/,
    )
    return true
  })
})

test('a good answer that is not JSON gets a sentence too', async () => {
  const { transport } = scripted(() => new Response('hello'))
  await assert.rejects(
    clientOf(transport).get(POD, 'a'),
    /answered 200 and not with a Kubernetes Status but with "hello"/,
  )
})

test('no answer is an UnreachableError that says which server and why', async () => {
  const refused = new TypeError('fetch failed', {
    cause: new Error('connect ECONNREFUSED 10.0.0.1:6443'),
  })
  const { transport } = scripted(() => Promise.reject(refused))
  await assert.rejects(
    clientOf(transport).create(POD, { metadata: { name: 'a' } }),
    (error: unknown) => {
      assert.ok(error instanceof UnreachableError)
      assert.match(
        error.message,
        /no answer from the API server at http:\/\/kubewright\.internal: connect ECONNREFUSED 10\.0\.0\.1:6443; check/,
      )
      return true
    },
  )
})

test('waits as long as the server asks for, then tries again', async () => {
  const clock = fakeClock()
  const busy = (): Response =>
    json({ kind: 'Status', code: 429, message: 'busy' }, 429, { 'retry-after': '3' })
  const { transport, seen } = scripted(busy, busy, () => json({ metadata: { name: 'a' } }))
  const answer = clientOf(transport, { clock }).create(POD, { metadata: { name: 'a' } })
  await clock.advance(2_999)
  assert.equal(seen.length, 1)
  await clock.advance(3_001)
  assert.equal((await answer).metadata.name, 'a')
  assert.equal(seen.length, 3)
})

test('gives up after ten tries, with what the server said', async () => {
  const clock = fakeClock()
  const { transport, seen } = scripted(() =>
    json({ kind: 'Status', reason: 'TooManyRequests', code: 429 }, 429, { 'retry-after': '1' }),
  )
  const answer = assert.rejects(
    clientOf(transport, { clock }).get(POD, 'a'),
    (error: unknown) => error instanceof ApiError && error.code === 429,
  )
  await clock.advance(60_000)
  await answer
  assert.equal(seen.length, 11)
})

test('a 429 without Retry-After, and a 500, are answers', async () => {
  for (const status of [429, 500]) {
    const { transport, seen } = scripted(() => json({ kind: 'Status', code: status }, status))
    await assert.rejects(clientOf(transport).get(POD, 'a'))
    assert.equal(seen.length, 1)
  }
})

const because = (code: string): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(`it is ${code}`), { code }) })

test('a GET whose connection broke is tried again, a write is not', async () => {
  const clock = fakeClock()
  const broken = (): Promise<Response> => Promise.reject(because('ECONNRESET'))
  const reading = scripted(broken, () => json({ metadata: { name: 'a' } }))
  const got = clientOf(reading.transport, { clock }).get(POD, 'a')
  await clock.advance(1_000)
  assert.equal((await got).metadata.name, 'a')
  const writing = scripted(broken, () => json({ metadata: {} }))
  await assert.rejects(
    clientOf(writing.transport, { clock }).create(POD, { metadata: { name: 'a' } }),
    UnreachableError,
  )
  assert.equal(writing.seen.length, 1)
})

test('what will be no better the next time is told at once, with what to mend', async () => {
  const cases: readonly (readonly [error: Error, told: RegExp])[] = [
    [because('SELF_SIGNED_CERT_IN_CHAIN'), /check the kubeconfig's certificate-authority-data/],
    [because('ERR_TLS_CERT_ALTNAME_INVALID'), /and tls-server-name: they are not of the server/],
    [because('ENOTFOUND'), /it is ENOTFOUND; check that it runs/],
    [because('ECONNREFUSED'), /it is ECONNREFUSED; check that it runs/],
    [because('UND_ERR_CONNECT_TIMEOUT'), /it is UND_ERR_CONNECT_TIMEOUT; check that it runs/],
    [new ConfigurationError('the program is not installed'), /^the program is not installed$/],
  ]
  for (const [error, told] of cases) {
    const { transport, seen } = scripted(() => Promise.reject(error))
    await assert.rejects(clientOf(transport).get(POD, 'a'), { message: told })
    assert.equal(seen.length, 1)
  }
})

test('an aborted call rejects with the reason of its signal and sends nothing', async () => {
  const { transport, seen } = scripted(() => json({ metadata: {} }))
  const reason = new Error('enough')
  const client = clientOf(transport).with({ signal: AbortSignal.abort(reason) })
  await assert.rejects(client.get(POD, 'a'), reason)
  assert.equal(seen.length, 0)
})

test('each warning of the server is logged once', async () => {
  const entries: LogEntry[] = []
  const { transport } = scripted(() =>
    json({ metadata: {} }, 200, { warning: '299 - "old \\"v1beta1\\"", 299 - "second"' }),
  )
  const client = clientOf(transport, { logger: createLogger((it) => entries.push(it)) })
  await client.get(POD, 'a')
  await client.get(POD, 'a')
  assert.deepEqual(
    entries.map((it) => it.fields['warning']),
    ['old "v1beta1"', 'second'],
  )
})

test('listAll goes page by page, and on after an expired page', async () => {
  const expired = { kind: 'Status', reason: 'Expired', code: 410, metadata: { continue: 'c2' } }
  const { transport, seen } = scripted(
    () => json({ metadata: { continue: 'c1' }, items: [{ metadata: { name: 'a' } }] }),
    () => json(expired, 410),
    () => json({ metadata: {}, items: [{ metadata: { name: 'b' } }] }),
  )
  const names: (string | undefined)[] = []
  for await (const it of clientOf(transport).listAll(POD, { namespace: 'ns' }))
    names.push(it.metadata.name)
  assert.deepEqual(names, ['a', 'b'])
  assert.deepEqual(
    seen.map((it) => it.line.split('?')[1]),
    ['limit=500', 'limit=500&continue=c1', 'limit=500&continue=c2'],
  )
})

test('a watch drops the half line of a cut stream, and ends', async () => {
  const chunks = [
    '{"type":"ADDED","object":{"metadata":{"name":"a"}}}\n{"type":"MODI',
    'FIED","object":{"metadata":{"name":"b"}}}\n{"type":"DEL',
  ]
  const stream = (): Response =>
    new Response(ReadableStream.from(chunks.map((it) => new TextEncoder().encode(it))))
  const { transport, seen } = scripted(stream)
  const events: string[] = []
  for await (const it of clientOf(transport).watch(POD, {
    resourceVersion: '5',
    allowWatchBookmarks: true,
  }))
    events.push(it.type)
  assert.deepEqual(events, ['ADDED', 'MODIFIED'])
  assert.equal(
    seen[0]!.line,
    'GET /api/v1/pods?watch=true&resourceVersion=5&allowWatchBookmarks=true',
  )
})

test('a watch whose connection breaks throws; one that is left closes its stream', async () => {
  const breaking = (): Response =>
    new Response(new ReadableStream({ pull: () => Promise.reject(new Error('ECONNRESET')) }))
  const broken = clientOf(scripted(breaking).transport)
  await assert.rejects(async () => {
    for await (const _ of broken.watch(POD)) assert.fail('no event was sent')
  }, UnreachableError)
  let cancelled = false
  const endless = (): Response =>
    new Response(
      new ReadableStream({
        start: (it) =>
          it.enqueue(new TextEncoder().encode('{"type":"ADDED","object":{"metadata":{}}}\n')),
        cancel: () => void (cancelled = true),
      }),
    )
  for await (const _ of clientOf(scripted(endless).transport).watch(POD)) break
  assert.equal(cancelled, true)
})

test('writes are told with what the server answered, dry runs and refusals are not', async () => {
  const writes: Write[] = []
  const status = { kind: 'Status', status: 'Success', details: { name: 'a', uid: 'u1' } }
  const { transport } = scripted(
    () => json({ metadata: { name: 'a', namespace: 'ns', resourceVersion: '7' } }),
    () => json({ metadata: { name: 'a', namespace: 'ns' } }),
    () => json(status),
    () => json({ kind: 'Status', reason: 'Conflict', code: 409 }, 409),
  )
  const client = clientOf(transport).with({ onWrite: (it) => writes.push(it) })
  await client.apply(POD, { metadata: { name: 'a', namespace: 'ns' } })
  await client.with({ dryRun: true }).apply(POD, { metadata: { name: 'a', namespace: 'ns' } })
  await client.delete(POD, 'ns/a')
  await assert.rejects(client.update(POD, { metadata: { name: 'a' } }), isConflict)
  assert.deepEqual(
    writes.map(({ verb, key, object, uid }) => [verb, key, object?.metadata.resourceVersion, uid]),
    [
      ['apply', { name: 'a', namespace: 'ns' }, '7', undefined],
      ['delete', { name: 'a', namespace: 'ns' }, undefined, 'u1'],
    ],
  )
})

test('counts its requests', async () => {
  const metrics = await prometheusMetrics()
  const { transport } = scripted(
    () => json({ metadata: {} }),
    () => json({ kind: 'Status', code: 409 }, 409),
  )
  const client = clientOf(transport, { metrics })
  await client.get(POD, 'a')
  await client.create(POD, { metadata: { name: 'a' } }).catch(() => {})
  const text = await metrics.text()
  assert.match(
    text,
    /rest_client_requests_total\{code="200",method="GET",host="kubewright.internal"\} 1/,
  )
  assert.match(
    text,
    /rest_client_requests_total\{code="409",method="POST",host="kubewright.internal"\} 1/,
  )
})

test('a name that no path can carry is refused before it is sent', () => {
  const { transport } = scripted(() => json({}))
  for (const name of ['', '.', '..', 'a%2Fb'])
    assert.throws(() => clientOf(transport).get(POD, { name }), /cannot name a Pod/)
})

test('a namespace or a subresource that would leave its path is refused before it is sent', () => {
  const { transport, seen } = scripted(() => json({}))
  const client = clientOf(transport)
  for (const namespace of ['.', '..', '../nodes', 'a%2Fb'])
    assert.throws(() => client.get(POD, { namespace, name: 'a' }), /cannot name a namespace/)
  assert.throws(() => client.get(POD, '../a'), /cannot name a namespace/)
  assert.throws(() => client.subresource(POD, 'a', '../b'), /no subresource of a Pod/)
  assert.equal(seen.length, 0)
})

test('the signal of a client ends calls that have one of their own too', async () => {
  const { transport, seen } = scripted(() => json({}))
  const all = new AbortController()
  const client = clientOf(transport, { signal: all.signal })
  const own = new AbortController()
  await client.get(POD, 'a', { signal: own.signal })
  all.abort(new Error('the run is over'))
  await assert.rejects(client.get(POD, 'a', { signal: own.signal }), /the run is over/)
  assert.equal(seen.length, 1)
})

test('integers that no number can hold come back as they were', async () => {
  const { transport, seen } = scripted(
    () => new Response('{"metadata":{},"spec":{"id":9007199254740993,"n":5}}'),
  )
  const client = clientOf(transport)
  const read = await client.get(WIDE, 'a')
  assert.deepEqual(read.spec, { id: 9007199254740993n, n: 5 })
  await client.update(WIDE, { ...read, metadata: { name: 'a' } })
  assert.match(seen[1]!.body, /"id":9007199254740993,/)
})

test('a call that takes longer than its timeout is unreachable; other verbs have their own', async () => {
  const clock = fakeClock()
  const never = (): Promise<Response> => new Promise(() => {})
  const silent: Transport = (request) =>
    Promise.race([
      never(),
      new Promise<never>((_, reject) =>
        request.signal.addEventListener('abort', () => reject(request.signal.reason as Error)),
      ),
    ])
  const client = clientOf(silent, { clock, timeout: { get: 5_000 } })
  const asked = assert.rejects(client.get(POD, 'a'), (error: unknown) => {
    assert.ok(error instanceof UnreachableError)
    return /get of \/api\/v1\/namespaces\/default\/pods\/a took longer than its timeout of 5000 ms/.test(
      error.message,
    )
  })
  await clock.advance(5_000)
  await asked
  const stopping = new AbortController()
  const listing = client.list(POD, { signal: stopping.signal })
  await clock.advance(60_000)
  stopping.abort(new Error('enough'))
  await assert.rejects(listing, /enough/)
  assert.equal(clock.pending, 0)
})

test('a rate limit lets a burst through, and then one at a time, in order', async () => {
  const clock = fakeClock()
  const { transport, seen } = scripted(() => json({ metadata: {} }))
  const client = clientOf(transport, { clock, rateLimit: { perSecond: 10, burst: 2 } })
  const all = ['a', 'b', 'c', 'd'].map((it) => client.get(POD, it))
  const asked = (): string[] => seen.map((it) => it.line.slice(-1))
  await clock.advance(99)
  assert.deepEqual(asked(), ['a', 'b'])
  await clock.advance(1)
  assert.deepEqual(asked(), ['a', 'b', 'c'])
  await clock.advance(100)
  await Promise.all(all)
  assert.deepEqual(asked(), ['a', 'b', 'c', 'd'])
  assert.throws(() => clientOf(transport, { rateLimit: { perSecond: 0 } }), /lets nothing through/)
})

test('says who it is', async () => {
  const { transport, seen } = scripted(() => json({ metadata: {} }))
  await clientOf(transport).get(POD, 'a')
  await clientOf(transport, { userAgent: 'mine/1' }).get(POD, 'a')
  assert.match(seen[0]!.headers.get('user-agent')!, /^kubewright \(\w+\/\w+\) node\/\d+/)
  assert.equal(seen[1]!.headers.get('user-agent'), 'mine/1')
})
