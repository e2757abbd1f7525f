import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApiServer } from '../server.ts'

const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'ps.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'P', plural: 'ps' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { shards: { type: 'integer' } } },
              status: { type: 'object', properties: { shards: { type: 'integer' } } },
            },
          },
        },
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.shards', statusReplicasPath: '.status.shards' },
        },
      },
    ],
  },
}

// As `kubectl scale` does it to a Prometheus that says nothing of shards (kube-apiserver v1.36.3 was asked the same).
test('a count that the object does not have is set by a patch of its scale, though it cannot be read before', async () => {
  await using server = createApiServer({})
  const ask = async (method: string, path: string, body?: object): Promise<Response> =>
    server.fetch(
      new Request(`http://server${path}`, {
        method,
        headers: {
          'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      }),
    )
  await ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', DEFINITION)
  const all = '/apis/example.com/v1/namespaces/default/ps'
  const object = { apiVersion: 'example.com/v1', kind: 'P', metadata: { name: 'a' }, spec: {} }
  while ((await ask('POST', all, object)).status !== 201)
    await new Promise((resolve) => setImmediate(resolve))
  assert.equal((await ask('GET', `${all}/a/scale`)).status, 500)
  const scaled = await ask('PATCH', `${all}/a/scale`, { spec: { replicas: 2 } })
  assert.equal(scaled.status, 200)
  assert.deepEqual(((await scaled.json()) as { readonly spec: object }).spec, { replicas: 2 })
  const now = (await (await ask('GET', `${all}/a`)).json()) as { readonly spec: object }
  assert.deepEqual(now.spec, { shards: 2 })
})
