import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { makeTls } from '../http/certificates.ts'
import { createApiServer } from '../index.ts'

interface Link {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: { readonly address?: string; readonly host?: string; readonly port?: string }
}

/** v1 has `address`, v2 has `host` and `port`. */
function converted(link: Link, apiVersion: string): Link {
  const { address = '', host, port } = link.spec
  const [first, second] = address.split(':')
  const spec = apiVersion.endsWith('v1')
    ? { address: `${host}:${port}` }
    : { host: first ?? '', port: second ?? '' }
  return { ...link, apiVersion, spec }
}

describe('a definition that converts by a webhook', () => {
  let webhook: Server
  let caBundle = ''
  let asked = 0
  let broken = false
  const server = createApiServer({
    resolveService: async () => ({
      host: '127.0.0.1',
      port: (webhook.address() as AddressInfo).port,
    }),
  })

  before(async () => {
    const tls = await makeTls('links.default.svc', Date.now())
    caBundle = Buffer.from(tls.authority).toString('base64')
    webhook = createServer({ cert: tls.certificate, key: tls.key }, async (incoming, outgoing) => {
      asked++
      let text = ''
      for await (const chunk of incoming) text += String(chunk)
      const { request } = JSON.parse(text) as {
        request: { uid: string; desiredAPIVersion: string; objects: Link[] }
      }
      const result = broken ? { status: 'Failure', message: 'not today' } : { status: 'Success' }
      const convertedObjects = request.objects.map((it) => converted(it, request.desiredAPIVersion))
      const response = { uid: request.uid, result, ...(broken ? {} : { convertedObjects }) }
      const review = { kind: 'ConversionReview', apiVersion: 'apiextensions.k8s.io/v1', response }
      outgoing.end(JSON.stringify(review))
    }).listen(0, '127.0.0.1')
    await once(webhook, 'listening')
    const { status } = await send(
      'POST',
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      crd(),
    )
    assert.equal(status, 201)
    await new Promise((resolve) => setTimeout(resolve, 0))
  })

  after(async () => {
    await server.close()
    webhook.closeAllConnections()
    webhook.close()
  })

  async function send(
    method: string,
    path: string,
    body?: object,
    type: string = 'application/json',
  ): Promise<{
    readonly status: number
    readonly body: Link & {
      readonly items: Link[]
      readonly message?: string
      readonly reason?: string
    }
  }> {
    const init = body ? { body: JSON.stringify(body), headers: { 'content-type': type } } : {}
    const response = await server.fetch(new Request(`http://server${path}`, { method, ...init }))
    return { status: response.status, body: (await response.json()) as never }
  }

  const crd = (): object => {
    const schema = {
      openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    }
    const service = { namespace: 'default', name: 'links', path: '/convert' }
    const clientConfig = { service, caBundle }
    return {
      metadata: { name: 'links.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'links', kind: 'Link' },
        versions: [
          { name: 'v1', served: true, storage: true, schema },
          { name: 'v2', served: true, storage: false, schema },
        ],
        conversion: {
          strategy: 'Webhook',
          webhook: { conversionReviewVersions: ['v1'], clientConfig },
        },
      },
    }
  }

  const path = (version: string, name: string = ''): string =>
    `/apis/example.com/${version}/namespaces/default/links${name && `/${name}`}`
  const link = (version: string, name: string, spec: Link['spec']): object => ({
    apiVersion: `example.com/${version}`,
    kind: 'Link',
    metadata: { name },
    spec,
  })

  test('shows and takes every version', async () => {
    const watching = await server.fetch(
      new Request(`http://server${path('v2')}?watch=true&resourceVersion=`),
    )
    await send('POST', path('v1'), link('v1', 'a', { address: 'x:1' }))
    assert.equal(asked, 0)
    const made = await send('POST', path('v2'), link('v2', 'b', { host: 'y', port: '2' }))
    assert.deepEqual(made.body.spec, { host: 'y', port: '2' })
    assert.deepEqual((await send('GET', path('v1', 'b'))).body.spec, { address: 'y:2' })
    assert.deepEqual((await send('GET', path('v2', 'a'))).body.spec, { host: 'x', port: '1' })
    const listed = await send('GET', path('v2'))
    assert.deepEqual(
      listed.body.items.map((it) => [it.apiVersion, it.spec]),
      [
        ['example.com/v2', { host: 'x', port: '1' }],
        ['example.com/v2', { host: 'y', port: '2' }],
      ],
    )
    const merge = 'application/merge-patch+json'
    const patched = await send('PATCH', path('v2', 'a'), { spec: { port: '9' } }, merge)
    assert.deepEqual(patched.body.spec, { host: 'x', port: '9' })
    assert.deepEqual((await send('GET', path('v1', 'a'))).body.spec, { address: 'x:9' })
    const reader = watching.body!.getReader()
    const { value } = await reader.read()
    assert.deepEqual(JSON.parse(Buffer.from(value!).toString()).object.spec, {
      host: 'x',
      port: '1',
    })
    await reader.cancel()
  })

  test('asks once for what it has seen', async () => {
    await send('GET', path('v2'))
    const before = asked
    await send('GET', path('v2'))
    await send('GET', path('v2', 'a'))
    assert.equal(asked, before)
  })

  test('tells what the webhook said when it refuses', async () => {
    broken = true
    const { status, body } = await send(
      'POST',
      path('v2'),
      link('v2', 'c', { host: 'z', port: '3' }),
    )
    const said = 'conversion webhook for example.com/v2, Kind=Link failed: not today'
    assert.deepEqual([status, body.message, body.reason], [500, said, undefined])
    const dry = await send(
      'POST',
      `${path('v2')}?dryRun=All`,
      link('v2', 'c', { host: 'z', port: '3' }),
    )
    assert.deepEqual([dry.status, dry.body.message], [500, said])
    broken = false
    assert.equal((await send('GET', path('v1', 'c'))).status, 404)
  })

  test('goes with its objects', async () => {
    const { status } = await send(
      'DELETE',
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/links.example.com',
    )
    assert.equal(status, 200)
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
    const left = await server.storage.list({ prefix: 'example.com/links/' })
    assert.equal(left.items.length, 0)
  })
})
