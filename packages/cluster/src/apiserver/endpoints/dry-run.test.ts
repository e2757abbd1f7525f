import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApiServer } from '../server.ts'

test('a dry run does not get as far as the store, which refuses an object that has a version', async () => {
  await using server = createApiServer()
  const create = async (query: string): Promise<number> => {
    const request = new Request(`http://server/api/v1/namespaces/default/configmaps${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'x', resourceVersion: '5' },
      }),
    })
    return (await server.fetch(request)).status
  }
  assert.equal(await create(''), 500)
  assert.equal(await create('?dryRun=All'), 201)
})
