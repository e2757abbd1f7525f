import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request as plainRequest } from 'node:http'
import { Agent, request, type RequestOptions } from 'node:https'
import { createServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { type ApiServer, createApiServer } from '../index.ts'
import { clientCertificate, makeTls } from './certificates.ts'

interface Reply {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/** One exchange with a listening server. */
async function ask(url: string, options: RequestOptions, body?: string): Promise<Reply> {
  const sent = request(url, options)
  sent.end(body)
  const [incoming] = (await once(sent, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of incoming) text += String(chunk)
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, text }
}

describe('the TLS listener', () => {
  let server: ApiServer
  let url = ''
  let token = ''
  let ca = ''
  let tls: Awaited<ReturnType<typeof makeTls>>
  const agent = new Agent({ keepAlive: true })

  before(async () => {
    server = createApiServer()
    tls = await makeTls('127.0.0.1', Date.now())
    const address = await server.listen({ tls })
    url = address.url
    token = /token: (\S+)/.exec(address.kubeconfig)?.[1] ?? ''
    const data = /certificate-authority-data: (\S+)/.exec(address.kubeconfig)?.[1] ?? ''
    ca = Buffer.from(data, 'base64').toString()
  })

  after(async () => {
    agent.destroy()
    await server.close()
  })

  test('takes the token of its kubeconfig, over a certificate of the authority in it', async () => {
    const headers = { authorization: `Bearer ${token}` }
    const reply = await ask(`${url}/api/v1/namespaces/default`, { ca, headers, agent })
    assert.equal(reply.status, 200)
    assert.equal(JSON.parse(reply.text).metadata.name, 'default')
    assert.match(String(reply.headers['audit-id']), /^[0-9a-f-]{36}$/)
    assert.equal(reply.headers['cache-control'], 'no-cache, private')
    assert.equal(reply.headers['content-length'], String(Buffer.byteLength(reply.text)))
  })

  test('sends a long list whole, and goes on with the connection', async () => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const path = '/api/v1/namespaces/default/configmaps'
    for (const name of ['long-a', 'long-b', 'long-c']) {
      const body = JSON.stringify({ metadata: { name }, data: { text: 'ä<>'.repeat(100_000) } })
      const made = await ask(url + path, { ca, headers, agent, method: 'POST' }, body)
      assert.equal(made.status, 201)
    }
    const found = request(url + path, { ca, headers, agent })
    found.end()
    const [incoming] = (await once(found, 'response')) as [IncomingMessage]
    const bytes = Buffer.concat((await incoming.toArray()) as Buffer[])
    assert.equal(incoming.headers['content-length'], String(bytes.length))
    assert.ok(bytes.length > 1_000_000)
    const list = JSON.parse(bytes.toString()) as { items: { data: { text: string } }[] }
    const long = list.items.filter((it) => it.data.text === 'ä<>'.repeat(100_000))
    assert.equal(long.length, 3)
    const head = await ask(`${url}/version`, { ca, headers, agent })
    assert.equal(head.status, 200)
  })

  test('knows a client by its certificate: common name and organizations', async () => {
    const { certificate: cert, key } = await clientCertificate(
      { certificate: tls.authority, key: tls.authorityKey },
      { name: 'jane', groups: ['devs', 'system:masters'] },
      Date.now(),
    )
    const body = JSON.stringify({})
    const headers = { 'content-type': 'application/json' }
    const reply = await ask(
      `${url}/apis/authentication.k8s.io/v1/selfsubjectreviews`,
      { ca, cert, key, headers, method: 'POST' },
      body,
    )
    assert.equal(reply.status, 201)
    const { extra, ...userInfo } = JSON.parse(reply.text).status.userInfo
    assert.deepEqual(userInfo, {
      username: 'jane',
      groups: ['devs', 'system:masters', 'system:authenticated'],
    })
    const [digest] = extra['authentication.kubernetes.io/credential-id']
    assert.match(digest, /^X509SHA256=[0-9a-f]{64}$/)
  })

  test('a client without anything is anonymous, one with a wrong token is refused', async () => {
    assert.equal((await ask(`${url}/readyz`, { ca, agent })).text, 'ok')
    const anonymous = await ask(`${url}/api/v1/nodes`, { ca, agent })
    assert.equal(anonymous.status, 403)
    assert.match(anonymous.text, /User \\"system:anonymous\\" cannot list resource \\"nodes\\"/)
    const headers = { authorization: 'Bearer wrong' }
    assert.equal((await ask(`${url}/readyz`, { ca, agent, headers })).status, 401)
  })

  test('a body that is too long is read to its end and refused', async () => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const body = `{"metadata":{"name":"a"},"data":{"a":"${'x'.repeat(3 * 1024 * 1024)}"}}`
    const path = `${url}/api/v1/namespaces/default/configmaps`
    const reply = await ask(path, { ca, agent, headers, method: 'POST' }, body)
    assert.equal(reply.status, 413)
    assert.match(reply.text, /limit is 3145728/)
  })

  test('a port that is taken is a sentence', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as { readonly port: number }
    const other = createApiServer()
    await assert.rejects(other.listen({ port, tls }), {
      message: `port ${port} of 127.0.0.1 is in use by another process: stop that one, or name another port (0 takes any free one)`,
    })
    await other.close()
    taken.close()
  })

  test('a head may be as long as a selector of many names makes it', async () => {
    const names = Array.from({ length: 3000 }, (_, i) => `name-${i}`).join(',')
    const selector = encodeURIComponent(`app in (${names})`)
    const headers = { authorization: `Bearer ${token}` }
    const path = `${url}/api/v1/configmaps?labelSelector=${selector}`
    assert.equal((await ask(path, { ca, headers, agent })).status, 200)
  })

  test('plain HTTP is told that it is', async () => {
    const sent = plainRequest(url.replace('https:', 'http:'))
    sent.end()
    const [incoming] = (await once(sent, 'response')) as [IncomingMessage]
    incoming.setEncoding('utf8')
    assert.equal(incoming.statusCode, 400)
    assert.equal(
      (await incoming.toArray()).join(''),
      'Client sent an HTTP request to an HTTPS server.\n',
    )
  })

  test('closing ends watches and frees the port', async () => {
    const own = createApiServer()
    const address = await own.listen({ tls })
    const headers = {
      authorization: `Bearer ${/token: (\S+)/.exec(address.kubeconfig)?.[1]}`,
    }
    const sent = request(`${address.url}/api/v1/namespaces?watch=true`, { ca, headers })
    sent.end()
    const [incoming] = (await once(sent, 'response')) as [IncomingMessage]
    incoming.resume()
    const ended = once(incoming, 'end')
    await own.close()
    await ended
    const again = createServer().listen(address.port, '127.0.0.1')
    await once(again, 'listening')
    again.close()
  })
})
