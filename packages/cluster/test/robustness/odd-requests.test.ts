import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ApiServer, createApiServer } from '../../src/apiserver/index.ts'

let server: ApiServer

before(async () => {
  server = createApiServer()
  await server.ready
})

after(() => server.close())

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'

interface Reply {
  readonly code: number
  readonly text: string
  readonly body: Readonly<Record<string, unknown>>
}

async function send(method: string, path: string, body?: string): Promise<Reply> {
  const headers = { 'content-type': 'application/json' }
  const answer = await server.fetch(
    new Request(`http://localhost${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    }),
  )
  const text = await answer.text()
  const json = answer.headers.get('content-type') === 'application/json'
  return { code: answer.status, text, body: json ? (JSON.parse(text) as Reply['body']) : {} }
}

// As a kube-apiserver v1.36 answers.
test('a path that is nearly right finds nothing', async () => {
  for (const path of ['//api/v1/namespaces', '/api//v1/namespaces'])
    assert.equal((await send('GET', path)).code, 404, path)
  const inner = await send('GET', `${CONFIG_MAPS}/a%2Fb`)
  assert.deepEqual(
    [inner.code, inner.body['message']],
    [404, 'the server could not find the requested resource'],
  )
})

test('a name that cannot lie anywhere is refused, whatever the verb', async () => {
  for (const [method, text] of [
    ['GET', undefined],
    ['DELETE', '{}'],
  ] as const) {
    const { code, body } = await send(method, `${CONFIG_MAPS}/%25`, text)
    assert.equal(code, 400)
    assert.equal(body['message'], `Name parameter invalid: "%": may not contain '%'`)
  }
})

test('nesting deeper than the stack is the fault of who sent it', async () => {
  const deep = (depth: number): string => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth)
  const bodies = [
    `{"metadata":{"name":"a","annotations":${deep(2000)}}}`,
    `{"metadata":{"name":"a","annotations":${deep(100_000)}}}`,
    '['.repeat(200_000),
    `{"metadata":{"name":"a"},"data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
  ]
  for (const body of bodies) {
    const answer = await send('POST', CONFIG_MAPS, body)
    assert.equal(answer.code, 400)
    assert.match(String(answer.body['message']), /exceeded max depth/)
  }
  assert.equal((await send('GET', '/readyz')).code, 200)
})

test('what is too large is refused in the words of a real server', async () => {
  const body = (bytes: number): string =>
    JSON.stringify({ metadata: { name: 'large' }, data: { a: 'x'.repeat(bytes) } })
  const invalid = await send('POST', CONFIG_MAPS, body(1_048_577))
  assert.equal(invalid.code, 422)
  assert.equal(
    invalid.body['message'],
    'ConfigMap "large" is invalid: []: Too long: may not be more than 1048576 bytes',
  )
  const large = await send('POST', CONFIG_MAPS, body(3_145_728))
  assert.equal(large.code, 413)
  assert.equal(large.body['message'], 'Request entity too large: limit is 3145728')
})

test('keys that every object seems to have are keys like any other', async () => {
  const data = '{"__proto__":"1","constructor":"2","hasOwnProperty":"3","toString":"4"}'
  const made = await send(
    'POST',
    CONFIG_MAPS,
    `{"metadata":{"name":"odd","labels":{"constructor":"x"}},"data":${data}}`,
  )
  assert.equal(made.code, 201, made.text)
  const patched = await fetchPatch('{"data":{"__proto__":"9","constructor":null,"valueOf":"v"}}')
  assert.equal(
    JSON.stringify(patched['data']),
    '{"__proto__":"9","hasOwnProperty":"3","toString":"4","valueOf":"v"}',
  )
  const selected = await send('GET', `${CONFIG_MAPS}?labelSelector=toString`)
  assert.deepEqual(selected.body['items'], [])
  const refused = await send('GET', `${CONFIG_MAPS}?fieldSelector=__proto__%3Dx`)
  assert.equal(refused.code, 400)
})

async function fetchPatch(body: string): Promise<Readonly<Record<string, unknown>>> {
  const answer = await server.fetch(
    new Request(`http://localhost${CONFIG_MAPS}/odd`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body,
    }),
  )
  return (await answer.json()) as Record<string, unknown>
}
