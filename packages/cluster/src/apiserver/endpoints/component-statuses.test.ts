import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApiServer } from '../server.ts'

interface ComponentStatus {
  readonly metadata: { readonly name: string }
  readonly conditions: readonly { readonly status: string; readonly message: string }[]
}

test('component statuses are made when they are asked for: each is probed, selected, and at no version', async () => {
  await using server = createApiServer()
  const ask = async (rest: string): Promise<[status: number, body: unknown]> => {
    const answer = await server.fetch(
      new Request(`http://server/api/v1/componentstatuses${rest}`, { headers: {} }),
    )
    return [answer.status, await answer.json()]
  }
  const store = {
    metadata: { name: 'etcd-0' },
    conditions: [{ type: 'Healthy', status: 'True', message: 'ok' }],
  }
  const listOf = (...items: object[]): object => ({
    kind: 'ComponentStatusList',
    apiVersion: 'v1',
    metadata: {},
    items,
  })
  assert.deepEqual(await ask('/etcd-0'), [
    200,
    { kind: 'ComponentStatus', apiVersion: 'v1', ...store },
  ])
  assert.deepEqual(await ask('?fieldSelector=metadata.name%3Detcd-0'), [200, listOf(store)])
  assert.deepEqual(await ask('?labelSelector=a'), [200, listOf()])

  const [, all] = (await ask('?limit=1&resourceVersion=abc')) as [
    number,
    { items: ComponentStatus[] },
  ]
  const byName = new Map(all.items.map((it) => [it.metadata.name, it.conditions[0]!]))
  assert.deepEqual([...byName.keys()].sort(), ['controller-manager', 'etcd-0', 'scheduler'])
  // A machine may have a scheduler of its own at that port.
  const { status, message } = byName.get('scheduler')!
  if (status === 'False')
    assert.match(
      message,
      /^HTTP probe failed|^Get "https:\/\/127\.0\.0\.1:10259\/healthz": dial tcp 127\.0\.0\.1:10259: connect: connection refused$/,
    )

  const [code, refusal] = (await ask('/x')) as [number, { message: string; details: object }]
  assert.equal(code, 404)
  assert.equal(refusal.message, 'componentstatus "x" not found')
  assert.deepEqual(refusal.details, { name: 'x', kind: 'componentstatus' })
  const [watched, unwatched] = (await ask('?watch=1')) as [number, { message: string }]
  assert.equal(watched, 405)
  assert.equal(unwatched.message, 'watch is not supported on resources of kind "componentstatuses"')
})
