import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fakeClock, seededRandom } from 'kubewright/base'
import {
  type AdmissionPlugin,
  createApiServer,
  memoryStorage,
  StorageFailure,
  type Storage,
} from './index.ts'

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'

type Server = ReturnType<typeof createApiServer>

interface Reply {
  readonly status: number
  readonly body: Record<string, unknown> & {
    readonly metadata: Record<string, string>
    readonly data: Record<string, string>
  }
}

async function ask(
  server: Server,
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const response = await server.fetch(
    new Request(`http://server${path}`, {
      method,
      headers: { ...(body ? { 'content-type': type } : {}), ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    }),
  )
  return { status: response.status, body: (await response.json()) as Reply['body'] }
}

const make = (storage: Storage = memoryStorage({ freeze: true })): Server =>
  createApiServer({ clock: fakeClock(), random: seededRandom(1), storage })

describe('writes that race', () => {
  test('patches of different fields all arrive', async () => {
    await using server = make()
    await ask(server, 'POST', CONFIG_MAPS, { metadata: { name: 'a' } })
    const fields = Array.from({ length: 50 }, (_, i) => `f${i}`)
    const replies = await Promise.all(
      fields.map((it) => ask(server, 'PATCH', `${CONFIG_MAPS}/a`, { data: { [it]: '1' } })),
    )
    assert.deepEqual(new Set(replies.map((it) => it.status)), new Set([200]))
    const { body } = await ask(server, 'GET', `${CONFIG_MAPS}/a`)
    assert.deepEqual(Object.keys(body.data).sort(), fields.sort())
  })

  test('of updates from one version, one wins', async () => {
    await using server = make()
    const { body } = await ask(server, 'POST', CONFIG_MAPS, { metadata: { name: 'a' } })
    const replies = await Promise.all(
      [1, 2, 3].map((it) =>
        ask(server, 'PUT', `${CONFIG_MAPS}/a`, { ...body, data: { a: `${it}` } }),
      ),
    )
    assert.deepEqual(replies.map((it) => it.status).sort(), [200, 409, 409])
  })

  test('of creates that a quota has room for one of, one wins, and is noted in the quota', async () => {
    await using server = make()
    const quotas = '/api/v1/namespaces/default/resourcequotas'
    const [hard, used] = [{ 'count/configmaps': '1' }, { 'count/configmaps': '0' }]
    const { body } = await ask(server, 'POST', quotas, { metadata: { name: 'q' }, spec: { hard } })
    await ask(server, 'PUT', `${quotas}/q/status`, { ...body, status: { hard, used } })
    await ask(server, 'POST', `${CONFIG_MAPS}?dryRun=All`, { metadata: { name: 'dry' } })
    const replies = await Promise.all(
      ['a', 'b', 'c'].map((name) => ask(server, 'POST', CONFIG_MAPS, { metadata: { name } })),
    )
    assert.deepEqual(replies.map((it) => it.status).sort(), [201, 403, 403])
    const refusal = replies.find((it) => it.status === 403)!.body['message']
    assert.match(
      String(refusal),
      /exceeded quota: q, requested: count\/configmaps=1, used: count\/configmaps=1/,
    )
    const after = await ask(server, 'GET', `${quotas}/q`)
    assert.deepEqual(after.body['status'], { hard, used: { 'count/configmaps': '1' } })
  })

  test('of creates of one name, one wins, and deletes of it go once', async () => {
    await using server = make()
    const make3 = [1, 2, 3].map(() => ask(server, 'POST', CONFIG_MAPS, { metadata: { name: 'a' } }))
    assert.deepEqual((await Promise.all(make3)).map((it) => it.status).sort(), [201, 409, 409])
    const drop3 = [1, 2, 3].map(() => ask(server, 'DELETE', `${CONFIG_MAPS}/a`))
    assert.deepEqual((await Promise.all(drop3)).map((it) => it.status).sort(), [200, 404, 404])
  })
})

describe('identity', () => {
  test('a local request is its user, unless it carries a token', async () => {
    await using server = createApiServer({
      user: { name: 'jane', groups: [] },
      tokens: { secret: { name: 'root', groups: ['system:masters'] } },
    })
    assert.equal((await ask(server, 'GET', CONFIG_MAPS)).status, 403)
    const authorization = 'Bearer secret'
    assert.equal((await ask(server, 'GET', CONFIG_MAPS, undefined, { authorization })).status, 200)
    const wrong = { authorization: 'Bearer wrong' }
    assert.equal((await ask(server, 'GET', CONFIG_MAPS, undefined, wrong)).status, 401)
  })

  test('a service account token is good while its account and its time last, over a restart too', async () => {
    const storage = memoryStorage()
    const clock = fakeClock(Date.now())
    const first = createApiServer({ storage, clock })
    const accounts = '/api/v1/namespaces/default/serviceaccounts'
    const tokenOf = async (name: string): Promise<string> => {
      await ask(first, 'POST', accounts, { metadata: { name } })
      const spec = { expirationSeconds: 600 }
      const { body } = await ask(first, 'POST', `${accounts}/${name}/token`, { spec })
      return (body['status'] as { readonly token: string }).token
    }
    const whoIs = async (server: Server, token: string): Promise<string> => {
      const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
      const { status, body } = await ask(
        server,
        'POST',
        path,
        {},
        { authorization: `Bearer ${token}` },
      )
      return status === 201
        ? (body['status'] as { userInfo: { username: string } }).userInfo.username
        : String(status)
    }
    const [stays, goes] = [await tokenOf('stays'), await tokenOf('goes')]
    await using second = createApiServer({ storage, clock })
    assert.equal(await whoIs(first, stays), 'system:serviceaccount:default:stays')
    assert.equal(await whoIs(second, stays), 'system:serviceaccount:default:stays')
    assert.equal(await whoIs(second, goes), 'system:serviceaccount:default:goes')
    await ask(second, 'DELETE', `${accounts}/goes`)
    assert.equal(await whoIs(second, goes), '401')
    await clock.advance(659_000)
    assert.equal(await whoIs(second, stays), 'system:serviceaccount:default:stays')
    await clock.advance(2_000)
    assert.equal(await whoIs(second, stays), '401')
  })

  test('everybody who has said who he is may do everything, where that is asked for', async () => {
    const user = { name: 'jane', groups: [] }
    await using server = createApiServer({ authorization: 'authenticated', user })
    assert.equal((await ask(server, 'GET', CONFIG_MAPS)).status, 200)
    const anonymous = { 'impersonate-user': 'system:anonymous' }
    assert.equal((await ask(server, 'GET', CONFIG_MAPS, undefined, anonymous)).status, 403)
  })
})

describe('a server', () => {
  test('tells what the store cannot keep, in a sentence', async () => {
    const storage = memoryStorage()
    let full = false
    const filling: Storage = {
      get revision() {
        return storage.revision
      },
      get compacted() {
        return storage.compacted
      },
      get: (key) => storage.get(key),
      list: (range) => storage.list(range),
      watch: (...args) => storage.watch(...args),
      compact: (revision) => storage.compact(revision),
      snapshot: () => storage.snapshot(),
      close: () => storage.close(),
      compareAndSwap: (...args) =>
        full
          ? Promise.reject(new StorageFailure('the disk is full: make room'))
          : storage.compareAndSwap(...args),
    }
    await using server = make(filling)
    await server.ready
    full = true
    const { status, body } = await ask(server, 'POST', CONFIG_MAPS, { metadata: { name: 'a' } })
    assert.equal(status, 500)
    assert.equal(body['message'], 'Internal error occurred: the disk is full: make room')
    full = false
    assert.equal((await ask(server, 'POST', CONFIG_MAPS, { metadata: { name: 'a' } })).status, 201)
  })

  test('finds its namespaces again when it starts on a store that has them', async () => {
    const storage = memoryStorage()
    const first = createApiServer({ storage })
    await first.ready
    const { revision } = storage
    const second = createApiServer({ storage })
    await second.ready
    assert.equal(storage.revision, revision)
    await second.close()
  })

  test('counts what it answers', async () => {
    await using server = make()
    await ask(server, 'GET', CONFIG_MAPS)
    const response = await server.fetch(new Request('http://server/metrics'))
    const text = await response.text()
    const labels =
      'group="",resource="configmaps",scope="namespace",subresource="",verb="LIST",version="v1"'
    const dry = `component="apiserver",dry_run="",${labels}`
    assert.ok(text.includes(`apiserver_request_total{code="200",${dry}} 1\n`))
    assert.ok(text.includes(`apiserver_request_duration_seconds_count{${dry}} 1\n`))
    assert.ok(text.includes('apiserver_storage_objects{resource="namespaces"} 4\n'))
  })

  test('ends its watches when it closes', async () => {
    const server = make()
    const response = await server.fetch(new Request(`http://server${CONFIG_MAPS}?watch=true`))
    const ended = response.text()
    await server.close()
    assert.equal(await ended, '')
  })

  test('a watch that is given up stops reading the store', async () => {
    await using server = make()
    const controller = new AbortController()
    const url = `http://server${CONFIG_MAPS}?watch=true`
    const response = await server.fetch(new Request(url, { signal: controller.signal }))
    const ended = response.text()
    controller.abort()
    assert.equal(await ended, '')
  })

  test('compresses long answers for clients that take them so', async () => {
    await using server = make()
    await ask(server, 'POST', CONFIG_MAPS, {
      metadata: { name: 'a' },
      data: { a: 'x'.repeat(200_000) },
    })
    const url = `http://server${CONFIG_MAPS}/a`
    const headers = { 'accept-encoding': 'gzip' }
    const response = await server.fetch(new Request(url, { headers }))
    assert.equal(response.headers.get('content-encoding'), 'gzip')
    assert.ok((await response.arrayBuffer()).byteLength < 10_000)
    const plain = await server.fetch(new Request(url))
    assert.equal(plain.headers.get('content-encoding'), null)
  })

  test('says when an answer takes too long, by its own clock', async () => {
    const clock = fakeClock()
    const slow: AdmissionPlugin = {
      name: 'Slow',
      handles: () => true,
      admit: () => clock.sleep(90_000),
    }
    await using server = createApiServer({ clock, admission: [slow] })
    await server.ready
    const late = ask(server, 'POST', CONFIG_MAPS, { metadata: { name: 'a' } })
    const sooner = ask(server, 'POST', `${CONFIG_MAPS}?timeout=2s`, { metadata: { name: 'b' } })
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
    await clock.advance(2000)
    assert.equal((await sooner).status, 504)
    await clock.advance(58_000)
    const { status, body } = await late
    assert.equal(status, 504)
    assert.equal(body['message'], 'Timeout: request did not complete within the allotted timeout')
    const wrong = await ask(server, 'GET', `${CONFIG_MAPS}?timeout=soon`)
    assert.equal(wrong.status, 400)
  })
})
