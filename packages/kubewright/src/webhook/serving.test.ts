import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import https from 'node:https'
import type { TLSSocket } from 'node:tls'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fakeClock } from '../base/clock.ts'
import { silentLogger } from '../base/logger.ts'
import { readCertificate, watchCertificate } from './certificate-files.ts'
import { selfSigned } from './self-signed.ts'
import { serve } from './serve.ts'

interface Reply {
  readonly status: number | undefined
  readonly text: string
  readonly subject: string
}

function post(port: number, body: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const options = { port, method: 'POST', rejectUnauthorized: false, agent: false } as const
    const request = https.request(options, (response) => {
      const { subject } = (response.socket as TLSSocket).getPeerX509Certificate()!
      let text = ''
      response.on('data', (chunk: Buffer) => (text += String(chunk)))
      response.on('end', () => resolve({ status: response.statusCode, text, subject }))
    })
    request.on('error', reject)
    request.end(body)
  })
}

const echo = async (request: Request): Promise<Response> =>
  new Response(`${request.method} ${await request.text()}`, { status: 201 })

test('a certificate of its own making is one that TLS takes, and that says whose it is', () => {
  for (const host of ['a', 'web.ns.svc', 'x'.repeat(63)]) {
    const { cert, key } = selfSigned(host, Date.UTC(2026, 0, 1))
    const parsed = new X509Certificate(cert)
    assert.equal(parsed.subject, `CN=${host}`)
    assert.ok(parsed.checkHost('localhost') && parsed.checkHost(host))
    assert.ok(parsed.verify(parsed.publicKey))
    assert.ok(key.startsWith('-----BEGIN PRIVATE KEY-----'))
    assert.equal(parsed.validFromDate.getTime(), Date.UTC(2025, 11, 31, 23))
  }
})

test('a renewed certificate is served from the next connection on', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'kubewright-'))
  t.after(() => rm(folder, { recursive: true }))
  const write = async (host: string): Promise<void> => {
    const { cert, key } = selfSigned(host, Date.now())
    await writeFile(join(folder, 'tls.crt'), cert)
    await writeFile(join(folder, 'tls.key'), key)
  }
  await assert.rejects(
    readCertificate({ folder }),
    /the webhook certificate .*tls\.crt cannot be read; mount a certificate there/,
  )
  await write('first')
  const first = await readCertificate({ folder })
  const served = await serve(echo, { port: 0, host: '127.0.0.1', tls: () => first })
  t.after(() => served.close())
  assert.deepEqual(await post(served.port, 'hello'), {
    status: 201,
    text: 'POST hello',
    subject: 'CN=first',
  })
  const clock = fakeClock()
  const stop = new AbortController()
  const renewed = Promise.withResolvers<void>()
  const watching = watchCertificate(
    { folder },
    first,
    { clock, log: silentLogger, signal: stop.signal },
    (it) => {
      served.replaceCertificate(it)
      renewed.resolve()
    },
  )
  await write('second')
  await clock.advance(10_000)
  await renewed.promise
  assert.equal((await post(served.port, '')).subject, 'CN=second')
  stop.abort()
  await watching
})

test('a port that is taken is told with what to do', async (t) => {
  const served = await serve(echo, { port: 0, host: '127.0.0.1' })
  t.after(() => served.close())
  await assert.rejects(
    serve(echo, { port: served.port, host: '127.0.0.1' }),
    /cannot listen on port \d+: .*EADDRINUSE.*; choose another port, or 0 for any/,
  )
})

test('a handler that throws answers 500, and the server goes on', async (t) => {
  let fail = true
  const served = await serve(
    async () => {
      if (fail) throw new Error('a bug')
      return new Response('fine')
    },
    { port: 0, host: '127.0.0.1' },
  )
  t.after(() => served.close())
  const url = `http://127.0.0.1:${served.port}/`
  assert.equal((await fetch(url)).status, 500)
  fail = false
  assert.equal(await (await fetch(url)).text(), 'fine')
})
