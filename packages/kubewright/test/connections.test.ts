import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer as createHttp, type IncomingMessage } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { fakeClock } from 'kubewright/base'
import { createClient, type ClusterEntry, type KubeConfig, type UserEntry } from 'kubewright/client'
import { kindOf } from 'kubewright/machinery'
import { selfSigned } from 'kubewright/webhook'

const NODE = kindOf('v1', 'Node', 'nodes', 'Cluster')

const config = (cluster: ClusterEntry, user: UserEntry = {}): KubeConfig => ({
  clusters: [{ name: 'c', cluster }],
  users: [{ name: 'u', user }],
  contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
})

async function listening(t: TestContext, server: Server): Promise<number> {
  const open = new Set<Socket>()
  server.on('connection', (it: Socket) => open.add(it))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const it of open) it.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** A server over TLS that answers with the name in the client's certificate. */
async function tlsServer(t: TestContext, host = 'localhost') {
  const own = selfSigned(host, Date.now())
  const server = createHttps(
    { ...own, requestCert: true, rejectUnauthorized: false },
    (request: IncomingMessage, response) => {
      const subject = (request.socket as TLSSocket).getPeerCertificate().subject as
        { readonly CN?: string } | undefined
      response.end(JSON.stringify({ metadata: { name: subject?.CN ?? 'nobody' } }))
    },
  )
  const ca = Buffer.from(own.cert).toString('base64')
  return { port: await listening(t, server), cluster: { 'certificate-authority-data': ca } }
}

test('client certificates are read again from their files when they are rotated', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'kubewright-'))
  t.after(() => rm(folder, { recursive: true }))
  const [cert, key] = ['tls.crt', 'tls.key'].map((it) => join(folder, it)) as [string, string]
  const write = async (name: string): Promise<void> => {
    const made = selfSigned(name, Date.now())
    await writeFile(cert, made.cert)
    await writeFile(key, made.key)
  }
  await write('one')
  const { port, cluster } = await tlsServer(t)
  const clock = fakeClock()
  const client = createClient({
    clock,
    kubeconfig: config(
      { server: `https://localhost:${port}`, ...cluster },
      { 'client-certificate': cert, 'client-key': key },
    ),
  })
  const who = async (): Promise<string | undefined> => (await client.get(NODE, 'a')).metadata.name
  assert.equal(await who(), 'one')
  await write('two')
  assert.equal(await who(), 'one')
  await clock.advance(61_000)
  assert.equal(await who(), 'two')
  // Half a rotation: what there was is good for another while.
  await rm(key)
  await clock.advance(61_000)
  assert.equal(await who(), 'two')
  // Closing waits, by this clock, for what may still be under way.
  void client.close()
  await clock.advance(1_000)
})

test('a server by another name needs its tls-server-name', async (t) => {
  const { port, cluster } = await tlsServer(t, 'api.internal')
  const ask = async (more: ClusterEntry): Promise<string | undefined> => {
    const server = `https://127.0.0.1:${port}`
    const client = createClient({ kubeconfig: config({ server, ...more }) })
    t.after(() => client.close())
    return (await client.get(NODE, 'a')).metadata.name
  }
  assert.equal(await ask({ ...cluster, 'tls-server-name': 'api.internal' }), 'nobody')
  await assert.rejects(ask(cluster), /certificate-authority-data and tls-server-name/)
  await assert.rejects(ask({}), /certificate-authority-data and tls-server-name/)
  assert.equal(await ask({ 'insecure-skip-tls-verify': true }), 'nobody')
})

/** A proxy that connects to whatever it is asked for, all of which is on this machine here. */
function httpProxy(seen: string[]): Server {
  return createHttp().on('connect', (request: IncomingMessage, socket: Socket) => {
    seen.push(request.url ?? '')
    const onward = connect(Number(request.url?.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.pipe(onward).pipe(socket)
    })
    socket.on('error', () => onward.destroy())
    onward.on('error', () => socket.destroy())
  })
}

/** RFC 1928 without passwords, and names only. */
function socksProxy(seen: string[]): Server {
  return createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write(Buffer.from([5, 0]))
      socket.once('data', (asked: Buffer) => {
        const length = asked[4]!
        const port = asked.readUInt16BE(5 + length)
        seen.push(`${asked.toString('latin1', 5, 5 + length)}:${port}`)
        const onward = connect(port, '127.0.0.1', () => {
          socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]))
          socket.pipe(onward).pipe(socket)
        })
        onward.on('error', () => socket.destroy())
      })
    })
  })
}

test('a server is reached through an http or a socks5 proxy', async (t) => {
  const { port, cluster } = await tlsServer(t, 'api.internal')
  const seen: string[] = []
  const through: readonly (readonly [scheme: string, proxy: Server])[] = [
    ['http', httpProxy(seen)],
    ['socks5', socksProxy(seen)],
  ]
  for (const [scheme, proxy] of through) {
    const proxyPort = await listening(t, proxy)
    const client = createClient({
      kubeconfig: config({
        ...cluster,
        server: `https://api.internal:${port}`,
        'proxy-url': `${scheme}://127.0.0.1:${proxyPort}`,
      }),
    })
    t.after(() => client.close())
    assert.equal((await client.get(NODE, 'a')).metadata.name, 'nobody', scheme)
  }
  assert.deepEqual(seen, [`api.internal:${port}`, `api.internal:${port}`])
})
