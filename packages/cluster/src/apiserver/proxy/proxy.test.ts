import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, request as tlsRequest } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { describe, test } from 'node:test'
import { makeTls } from '../http/certificates.ts'
import { fromFetch, toFetch } from '../http/fetch.ts'
import { type ApiServer, createApiServer } from '../index.ts'
import { forward } from './forward.ts'
import { isGlobalUnicast, proxyId } from './location.ts'
import type { Kubelet } from './connecting.ts'
import { windowed } from './window.ts'

/** What kube-apiserver 1.36.3 answered, with {@link OBJECTS} in it. */
const ANSWERS = JSON.parse(
  readFileSync(new URL('testdata/answers.json', import.meta.url), 'utf8'),
) as readonly {
  readonly method: string
  readonly path: string
  readonly upgrade?: string
  readonly status: number
  readonly location?: string
  readonly body?: object
}[]

const node = (port: number): object => ({
  metadata: { name: 'n1' },
  status: {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
  },
})
const pod = (name: string, spec: object): object => ({ metadata: { name }, spec })

const container = (name: string, more: object = {}): object => ({ name, image: 'x', ...more })

async function withObjects(port: number, kubelet?: Kubelet): Promise<ApiServer> {
  const server = createApiServer({
    admission: [],
    tokens: { secret: { name: 'admin', groups: ['system:masters'] } },
    ...(kubelet ? { findKubelet: (name) => (name === 'n1' ? kubelet : undefined) } : {}),
  })
  const pods = '/api/v1/namespaces/default/pods'
  await send(server, 'POST', '/api/v1/nodes', node(port))
  await send(server, 'PUT', '/api/v1/nodes/n1/status', node(port))
  const all = {
    nodeName: 'n1',
    initContainers: [container('i')],
    containers: [container('a'), container('b', { ports: [{ containerPort: 81 }] })],
  }
  await send(server, 'POST', pods, pod('p1', all))
  await send(server, 'PUT', `${pods}/p1/status`, {
    ...pod('p1', all),
    status: { podIP: '10.9.9.9', podIPs: [{ ip: '10.9.9.9' }] },
  })
  await send(server, 'POST', pods, pod('p2', { nodeName: 'n2', containers: [container('a')] }))
  await send(server, 'POST', pods, pod('p3', { containers: [container('a')] }))
  await send(server, 'POST', '/api/v1/namespaces/default/services', {
    metadata: { name: 's1' },
    spec: { ports: [{ port: 80, name: 'http' }] },
  })
  return server
}

async function send(server: ApiServer, method: string, path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const response = await server.fetch(
    new Request(`http://server${path}`, { method, headers, body: JSON.stringify(body) }),
  )
  assert.ok(response.status < 300, `${method} ${path}: ${await response.text()}`)
}

describe('what reaches into nodes, pods and services', () => {
  test('is refused in the words of the real server', async () => {
    // Nobody listens there: the port of the recording.
    await using server = await withObjects(19_250)
    for (const { method, path, upgrade, status, location, body } of ANSWERS) {
      const request = new Request(`http://server${path}`, {
        method,
        redirect: 'manual',
      })
      // A web Request refuses to carry these two.
      const hop: Readonly<Record<string, string>> = upgrade
        ? { connection: 'Upgrade', upgrade }
        : {}
      const get = request.headers.get.bind(request.headers)
      Object.assign(request.headers, { get: (name: string) => hop[name] ?? get(name) })
      const response = await server.fetch(request)
      const text = await response.text()
      const shown = text.startsWith('{') ? (JSON.parse(text) as object) : undefined
      assert.deepEqual(
        { path, status: response.status, body: shown },
        { path, status, body },
        `${method} ${path}`,
      )
      assert.equal(response.headers.get('location') ?? undefined, location)
    }
  })

  test('goes to the kubelet of the node, with the query that it knows', async () => {
    const seen: string[] = []
    await using kubelet = await startKubelet((incoming, outgoing) => {
      seen.push(
        `${incoming.method} ${incoming.url} ${incoming.headers.authorization ?? 'no token'}`,
      )
      if (incoming.url?.includes('previous')) outgoing.writeHead(400).end('no previous log')
      else if (incoming.url?.endsWith('/b')) outgoing.writeHead(404).end('gone')
      else outgoing.writeHead(200, { 'content-type': 'text/html' }).end('one\ntwo\n')
    })
    await using server = await withObjects(kubelet.port)
    const log = (query: string): Promise<Response> =>
      server.fetch(
        new Request(`http://server/api/v1/namespaces/default/pods/p1/log?${query}`, {
          headers: { authorization: 'Bearer secret' },
        }),
      )
    const good = await log('container=a&tailLines=2&follow=true&timestamps=1')
    assert.equal(good.headers.get('content-type'), 'text/plain')
    assert.equal(await good.text(), 'one\ntwo\n')
    const bad = await log('container=a&previous=true')
    assert.equal(((await bad.json()) as { message: string }).message, 'no previous log')
    const missing = await log('container=b')
    assert.equal(missing.status, 404)
    assert.equal(
      ((await missing.json()) as { message: string }).message,
      'the server could not find the requested resource ( pods/log p1)',
    )
    assert.deepEqual(seen, [
      'GET /containerLogs/default/p1/a?follow=true&tailLines=2&timestamps=true no token',
      'GET /containerLogs/default/p1/a?previous=true no token',
      'GET /containerLogs/default/p1/b no token',
    ])
  })

  test('becomes a tunnel where both sides speak another protocol', async () => {
    await using kubelet = await startKubelet(undefined, (incoming, socket) => {
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n',
      )
      socket.write(`${incoming.url} `)
      socket.on('data', (chunk: Buffer) => socket.end(chunk.toString().toUpperCase()))
    })
    await using server = await withObjects(kubelet.port)
    const { port, kubeconfig } = await server.listen()
    const token = /token: *"?([^"\n]+)"?/.exec(kubeconfig)?.[1]
    const sent = tlsRequest({
      port,
      rejectUnauthorized: false,
      method: 'POST',
      path: '/api/v1/namespaces/default/pods/p1/exec?container=a&command=ls&command=-l&stdin=1&stdout=true',
      headers: { authorization: `Bearer ${token}`, connection: 'Upgrade', upgrade: 'SPDY/3.1' },
    })
    sent.end()
    const [answer, socket] = (await once(sent, 'upgrade')) as [IncomingMessage, Duplex]
    assert.equal(answer.statusCode, 101)
    assert.equal(answer.headers.upgrade, 'SPDY/3.1')
    socket.write('hello')
    let text = ''
    for await (const chunk of socket as AsyncIterable<Buffer>) text += chunk.toString()
    assert.equal(text, '/exec/default/p1/a?command=ls&command=-l&input=1&output=1 HELLO')
  })

  test('may be answered by a node in this process', async () => {
    const kubelet: Kubelet = async ({ path, query }) => ({
      status: 200,
      headers: { 'content-type': 'text/plain' },
      body: `${path}?${query}`,
    })
    await using server = await withObjects(1, kubelet)
    const read = async (path: string): Promise<string> =>
      (await server.fetch(new Request(`http://server/api/v1${path}`))).text()
    assert.equal(
      await read('/namespaces/default/pods/p1/log?container=a&follow=true'),
      '/containerLogs/default/p1/a?follow=true',
    )
    assert.equal(await read('/nodes/n1/proxy/healthz?verbose=1'), '/healthz?verbose=1')
  })
})

describe('a forwarded request', () => {
  const user = { name: 'jane', groups: [] }
  const proxy = (request: Request, url: string, prefix: string): Promise<Response> => {
    const asked = fromFetch(request, user, new AbortController().signal)
    return forward(asked, { url: new URL(url) })
      .then((answer) => windowed(answer, prefix, new URL(url).host, 'server'))
      .then((answer) => toFetch(answer))
  }

  test('arrives whole, without what was for this server alone', async () => {
    await using upstream = await startPlain(async (incoming, outgoing) => {
      let body = ''
      for await (const chunk of incoming) body += String(chunk)
      const { authorization, 'x-mine': mine, te } = incoming.headers
      outgoing.writeHead(207, { 'x-theirs': ['a', 'b'], 'access-control-allow-origin': '*' })
      outgoing.end(
        JSON.stringify({
          method: incoming.method,
          url: incoming.url,
          body,
          authorization,
          mine,
          te,
        }),
      )
    })
    const response = await proxy(
      new Request('http://server/p/x', {
        method: 'PUT',
        body: 'content',
        headers: { authorization: 'Bearer t', 'x-mine': 'm', 'content-length': '7' },
      }),
      `${upstream.url}/a%20b?q=1`,
      '/p',
    )
    assert.equal(response.status, 207)
    assert.equal(response.headers.get('x-theirs'), 'a, b')
    assert.equal(response.headers.get('access-control-allow-origin'), null)
    assert.deepEqual(await response.json(), {
      method: 'PUT',
      url: '/a%20b?q=1',
      body: 'content',
      mine: 'm',
    })
  })

  test('sees redirects and pages that lead back through the proxy', async () => {
    await using upstream = await startPlain((incoming, outgoing) => {
      if (incoming.url === '/old') outgoing.writeHead(302, { location: '/new' }).end()
      else
        outgoing.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<a href="/x">')
    })
    const moved = await proxy(new Request('http://server/p/old'), `${upstream.url}/old`, '/p')
    assert.equal(moved.headers.get('location'), '/p/new')
    const page = await proxy(new Request('http://server/p/'), `${upstream.url}/`, '/p')
    assert.equal(await page.text(), '<a href="/p/x">')
  })

  test('that nobody answers fails in Go’s words', async () => {
    const upstream = await startPlain(() => {})
    await upstream[Symbol.asyncDispose]()
    await assert.rejects(
      proxy(new Request('http://server/'), upstream.url, ''),
      new RegExp(`dial tcp 127.0.0.1:${new URL(upstream.url).port}: connect: connection refused`),
    )
  })
})

test('the name of a proxied object may have a scheme and a port', () => {
  assert.deepEqual(proxyId('web'), { scheme: '', name: 'web', port: '' })
  assert.deepEqual(proxyId('web:http'), { scheme: '', name: 'web', port: 'http' })
  assert.deepEqual(proxyId('https:web:443'), { scheme: 'https', name: 'web', port: '443' })
  for (const bad of ['ftp:web:1', ':1', 'https::1', 'a:b:c:d', ''])
    assert.equal(proxyId(bad), undefined)
})

test('only addresses that are somebody’s own are dialled', () => {
  const open = ['10.0.0.1', '192.168.1.1', '8.8.8.8', 'fd00::1', '2001:db8::1']
  const closed = [
    '127.0.0.1',
    '0.0.0.0',
    '169.254.1.1',
    '224.0.0.1',
    '::1',
    '::',
    'fe80::1',
    '::ffff:127.0.0.1',
    'host',
    '',
  ]
  assert.deepEqual(open.filter(isGlobalUnicast), open)
  assert.deepEqual(closed.filter(isGlobalUnicast), [])
})

interface Started extends AsyncDisposable {
  readonly port: number
  readonly url: string
}

type Serve = (incoming: IncomingMessage, outgoing: ServerResponse) => void | Promise<void>

async function startKubelet(
  serve: Serve | undefined,
  upgrade?: (incoming: IncomingMessage, socket: Duplex) => void,
): Promise<Started> {
  const { certificate, key } = await makeTls('127.0.0.1', Date.now())
  const server = createTlsServer({ cert: certificate, key }, (i, o) => void serve?.(i, o))
  if (upgrade) server.on('upgrade', upgrade)
  return started(server, 'https')
}

const startPlain = (serve: Serve): Promise<Started> =>
  started(
    createServer((i, o) => void serve(i, o)),
    'http',
  )

async function started(server: ReturnType<typeof createServer>, scheme: string): Promise<Started> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `${scheme}://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      if (!server.listening) return
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
