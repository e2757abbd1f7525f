import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { createApiServer, type ApiServer } from '../index.ts'
import { makeTls } from '../http/certificates.ts'

const GROUP = '/apis/wardle.example.com/v1alpha1'

const apiService = (extra: object = {}): object => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: 'v1alpha1.wardle.example.com' },
  spec: {
    group: 'wardle.example.com',
    version: 'v1alpha1',
    groupPriorityMinimum: 2000,
    versionPriority: 200,
    service: { namespace: 'default', name: 'sample-api', port: 7443 },
    ...extra,
  },
})

const SERVICE = {
  metadata: { name: 'sample-api' },
  spec: { ports: [{ name: 'https', port: 7443, targetPort: 443 }] },
}

const slice = (port: number): object => ({
  metadata: { name: 'sample-api-1', labels: { 'kubernetes.io/service-name': 'sample-api' } },
  addressType: 'IPv4',
  endpoints: [{ addresses: ['192.0.2.7'], conditions: { ready: true } }],
  ports: [{ name: 'https', port }],
})

const RESOURCES = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: 'wardle.example.com/v1alpha1',
  resources: [
    {
      name: 'flunders',
      singularName: 'flunder',
      namespaced: true,
      kind: 'Flunder',
      verbs: ['get', 'list'],
    },
    {
      name: 'flunders/status',
      singularName: '',
      namespaced: true,
      kind: 'Flunder',
      verbs: ['get'],
    },
  ],
}

const DOCUMENTS = {
  'apis/wardle.example.com/v1alpha1': {
    serverRelativeURL: '/openapi/v3/apis/wardle.example.com/v1alpha1?hash=A',
  },
}

async function ask(
  server: ApiServer,
  method: string,
  path: string,
  body?: object,
): Promise<Response> {
  return server.fetch(
    new Request(`http://server${path}`, {
      method,
      redirect: 'manual',
      headers: { 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    }),
  )
}

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
}

/** Waits until the APIService says so; the wait ends with the test. */
const OWN = '/apis/apiregistration.k8s.io/v1/apiservices/v1alpha1.wardle.example.com'

/** Who owns something of its status. */
async function statusManagers(server: ApiServer): Promise<readonly string[]> {
  const { metadata } = (await (await ask(server, 'GET', OWN)).json()) as {
    readonly metadata: {
      readonly managedFields: readonly { readonly manager: string; readonly subresource?: string }[]
    }
  }
  return metadata.managedFields.filter((it) => it.subresource === 'status').map((it) => it.manager)
}

async function condition(server: ApiServer, reason: string): Promise<Condition> {
  for (;;) {
    const { status } = (await (await ask(server, 'GET', OWN)).json()) as {
      readonly status?: { readonly conditions?: readonly Condition[] }
    }
    const found = status?.conditions?.find((it) => it.type === 'Available')
    if (found?.reason === reason) return found
    await new Promise((resolve) => setImmediate(resolve))
  }
}

interface Remote extends AsyncDisposable {
  readonly port: number
  readonly ca: string
  readonly seen: IncomingMessage[]
}

async function startRemote(
  answer: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
): Promise<Remote> {
  const tls = await makeTls('sample-api.default.svc', Date.now())
  const seen: IncomingMessage[] = []
  const server = createServer({ cert: tls.certificate, key: tls.key }, (incoming, outgoing) => {
    seen.push(incoming)
    answer(incoming, outgoing)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    ca: Buffer.from(tls.authority).toString('base64'),
    seen,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

describe('an APIService of another server', { timeout: 30_000 }, () => {
  test('says step by step what keeps it from being available', async () => {
    await using server = createApiServer({ admission: [] })
    await ask(
      server,
      'POST',
      '/apis/apiregistration.k8s.io/v1/apiservices',
      apiService({ insecureSkipTLSVerify: true }),
    )
    const missing = await condition(server, 'ServiceNotFound')
    assert.equal(missing.message, 'service/sample-api in "default" is not present')
    assert.deepEqual(await statusManagers(server), ['kube-apiserver'])
    const refused = await ask(server, 'GET', `${GROUP}/flunders`)
    assert.equal(refused.status, 503)
    assert.equal(await refused.text(), 'service unavailable\n')
    const services = '/api/v1/namespaces/default/services'
    await ask(server, 'POST', services, {
      ...SERVICE,
      spec: { ports: [{ name: 'https', port: 443 }] },
    })
    const port = await condition(server, 'ServicePortError')
    assert.equal(port.message, 'service/sample-api in "default" is not listening on port 7443')
    await ask(server, 'DELETE', `${services}/sample-api`)
    await ask(server, 'POST', services, SERVICE)
    const none = await condition(server, 'EndpointsNotFound')
    assert.equal(none.message, 'cannot find endpointslices for service/sample-api in "default"')
    const slices = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices'
    await ask(server, 'POST', slices, { ...slice(443), ports: [{ name: 'other', port: 443 }] })
    const empty = await condition(server, 'MissingEndpoints')
    assert.equal(
      empty.message,
      'endpointslices for service/sample-api in "default" have no addresses with port name "https"',
    )
  })

  test('answers for its group in the name of who asks, and is told in discovery', async () => {
    await using remote = await startRemote((incoming, outgoing) => {
      const json = { 'content-type': 'application/json' }
      if (incoming.url === GROUP) outgoing.writeHead(200, json).end(JSON.stringify(RESOURCES))
      else if (incoming.url === '/openapi/v3')
        outgoing.writeHead(200, json).end(JSON.stringify({ paths: DOCUMENTS }))
      else if (incoming.url === `${GROUP}/moved`)
        outgoing.writeHead(302, { location: 'https://elsewhere.example' }).end()
      else outgoing.writeHead(200, json).end(JSON.stringify({ asked: incoming.url }))
    })
    await using server = createApiServer({
      admission: [],
      user: {
        name: 'jane',
        groups: ['devs', 'system:masters'],
        extra: { 'example.com/Näme': ['x'] },
      },
      resolveService: async () => ({ host: '127.0.0.1', port: remote.port }),
    })
    await ask(server, 'POST', '/api/v1/namespaces/default/services', SERVICE)
    await ask(
      server,
      'POST',
      '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
      slice(443),
    )
    await ask(
      server,
      'POST',
      '/apis/apiregistration.k8s.io/v1/apiservices',
      apiService({ caBundle: remote.ca }),
    )
    const passed = await condition(server, 'Passed')
    assert.deepEqual([passed.status, passed.message], ['True', 'all checks passed'])

    const answer = await ask(server, 'GET', `${GROUP}/namespaces/default/flunders?limit=5`)
    assert.deepEqual(await answer.json(), { asked: `${GROUP}/namespaces/default/flunders?limit=5` })
    const { headers } = remote.seen.at(-1)!
    assert.equal(headers['x-remote-user'], 'jane')
    assert.equal(headers['x-remote-group'], 'devs, system:masters, system:authenticated')
    assert.equal(headers['x-remote-extra-example.com%2fn%c3%a4me'], 'x')
    assert.equal(headers.authorization, undefined)

    const moved = await ask(server, 'GET', `${GROUP}/moved`)
    assert.equal(moved.status, 502)

    const { groups } = (await (await ask(server, 'GET', '/apis')).json()) as {
      readonly groups: readonly { readonly name: string; readonly preferredVersion: object }[]
    }
    assert.deepEqual(groups.find((it) => it.name === 'wardle.example.com')?.preferredVersion, {
      groupVersion: 'wardle.example.com/v1alpha1',
      version: 'v1alpha1',
    })
    const { paths } = (await (await ask(server, 'GET', '/openapi/v3')).json()) as { paths: object }
    assert.deepEqual(
      Object.entries(paths).find(([path]) => path in DOCUMENTS),
      Object.entries(DOCUMENTS)[0],
    )
    const document = await ask(server, 'GET', '/openapi/v3/apis/wardle.example.com/v1alpha1?hash=A')
    assert.deepEqual(await document.json(), {
      asked: '/openapi/v3/apis/wardle.example.com/v1alpha1?hash=A',
    })
    const group = await ask(server, 'GET', '/apis/wardle.example.com')
    assert.equal(group.status, 200)

    await ask(
      server,
      'DELETE',
      '/apis/apiregistration.k8s.io/v1/apiservices/v1alpha1.wardle.example.com',
    )
    for (;;) {
      const { status } = await ask(server, 'GET', `${GROUP}/flunders`)
      if (status === 404) break
    }
  })

  test('that answers wrongly is not available, and says why', async () => {
    await using remote = await startRemote((_, outgoing) => outgoing.writeHead(404).end())
    await using server = createApiServer({
      admission: [],
      resolveService: async () => ({ host: '127.0.0.1', port: remote.port }),
    })
    await ask(server, 'POST', '/api/v1/namespaces/default/services', SERVICE)
    await ask(
      server,
      'POST',
      '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
      slice(443),
    )
    await ask(
      server,
      'POST',
      '/apis/apiregistration.k8s.io/v1/apiservices',
      apiService({ caBundle: remote.ca }),
    )
    const url = `https://127.0.0.1:${remote.port}${GROUP}`
    const { message } = await condition(server, 'FailedDiscoveryCheck')
    assert.equal(message, `failing or missing response from ${url}: bad status from ${url}: 404`)
  })
})
