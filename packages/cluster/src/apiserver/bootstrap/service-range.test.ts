import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApiServer } from '../server.ts'

interface Reply {
  readonly spec: {
    readonly clusterIP: string
    readonly cidrs: readonly string[]
    readonly parentRef: { readonly name: string }
  }
}

test('services get their addresses from the range that was asked for, the API server’s own the first', async () => {
  await using server = createApiServer({ serviceRange: '10.96.0.0/29' })
  const ask = async (path: string, body?: object): Promise<Reply> => {
    const request = new Request(`http://server${path}`, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json' },
    })
    return (await server.fetch(request)).json() as Promise<Reply>
  }
  const services = '/api/v1/namespaces/default/services'
  const own = await ask(`${services}/kubernetes`)
  assert.equal(own.spec.clusterIP, '10.96.0.1')
  const cidr = await ask('/apis/networking.k8s.io/v1/servicecidrs/kubernetes')
  assert.deepEqual(cidr.spec.cidrs, ['10.96.0.0/29'])
  const address = await ask('/apis/networking.k8s.io/v1/ipaddresses/10.96.0.1')
  assert.equal(address.spec.parentRef.name, 'kubernetes')
  const made = await ask(services, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'x' },
    spec: { ports: [{ port: 1 }] },
  })
  assert.match(made.spec.clusterIP, /^10\.96\.0\.[2-6]$/)
})

test('an address that somebody holds with an IPAddress is not given to a service', async () => {
  await using server = createApiServer({ serviceRange: '10.96.0.0/29' })
  const post = async (path: string, body: object): Promise<Response> =>
    server.fetch(
      new Request(`http://server${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    )
  const services = '/api/v1/namespaces/default/services'
  const service = (name: string, clusterIP?: string): object => ({
    metadata: { name },
    spec: { ports: [{ port: 1 }], ...(clusterIP ? { clusterIP } : {}) },
  })
  for (const last of [2, 3, 4, 5]) {
    const made = await post('/apis/networking.k8s.io/v1/ipaddresses', {
      metadata: { name: `10.96.0.${last}` },
      spec: { parentRef: { group: 'example.com', resource: 'things', name: 'nobody' } },
    })
    assert.equal(made.status, 201)
  }
  const refused = await post(services, service('x', '10.96.0.5'))
  assert.equal(refused.status, 422)
  // As kube-apiserver v1.36.3 says it.
  assert.equal(
    ((await refused.json()) as { message: string }).message,
    'Service "x" is invalid: spec.clusterIPs: Invalid value: ["10.96.0.5"]: failed to allocate IP 10.96.0.5: provided IP is already allocated',
  )
  const given = (await (await post(services, service('y'))).json()) as Reply
  assert.equal(given.spec.clusterIP, '10.96.0.6')
})
