import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { makeTls } from './certificates.ts'
import { callWebhook } from './webhook-call.ts'

test('a bundle that holds the server’s own certificate is believed, and no other’s', async () => {
  const tls = await makeTls('127.0.0.1', Date.now())
  const other = await makeTls('127.0.0.1', Date.now())
  const server = createServer({ cert: tls.certificate, key: tls.key }, (incoming, outgoing) => {
    incoming.resume()
    outgoing.setHeader('content-type', 'application/json')
    outgoing.end('{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const call = (pem: string): Promise<unknown> => {
    const caBundle = Buffer.from(pem).toString('base64')
    return callWebhook({ url, caBundle }, {}, 5_000, async () => undefined)
  }
  assert.equal(((await call(tls.certificate)) as { kind?: string }).kind, 'AdmissionReview')
  await call(tls.authority)
  await assert.rejects(call(other.certificate), /x509: certificate signed by unknown authority/)
  server.close()
  server.closeAllConnections()
})
