import assert from 'node:assert/strict'
import test from 'node:test'
import { fakeClock } from 'kubewright/base'
import { createApiServer } from './index.ts'
import { COMPACTION_INTERVAL } from './storage/compaction.ts'

type Server = ReturnType<typeof createApiServer>

async function get(server: Server, path: string): Promise<{ status: number; body: List }> {
  const response = await server.fetch(new Request(`http://server${path}`))
  return { status: response.status, body: (await response.json()) as List }
}

interface List {
  readonly metadata: { readonly continue?: string; readonly remainingItemCount?: number }
  readonly items: readonly { readonly metadata: { readonly name: string } }[]
}

test('a page of a list can be continued for five minutes, and after ten only as things stand then', async () => {
  const clock = fakeClock()
  await using server = createApiServer({ clock })
  await server.listen()
  const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles?limit=3'
  const first = await get(server, roles)
  const next = `${roles}&continue=${first.body.metadata.continue}`
  await server.fetch(
    new Request('http://server/api/v1/namespaces', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"metadata":{"name":"later"}}',
    }),
  )
  await clock.advance(COMPACTION_INTERVAL)
  assert.equal((await get(server, next)).status, 200)
  await server.storage.compareAndSwap('/namespaces//more', 0, { metadata: { name: 'more' } })
  await clock.advance(COMPACTION_INTERVAL)
  const expired = await get(server, next)
  assert.equal(expired.status, 410)
  const inconsistent = await get(server, `${roles}&continue=${expired.body.metadata.continue}`)
  assert.equal(inconsistent.status, 200)
  const names = (list: List): readonly string[] => list.items.map((it) => it.metadata.name)
  assert.ok(names(inconsistent.body)[0]! > names(first.body).at(-1)!)
})

test('a server that listens tells so in the API, under an address that endpoints may have', async () => {
  await using server = createApiServer({ clock: fakeClock() })
  const endpoints = '/api/v1/namespaces/default/endpoints/kubernetes'
  assert.equal((await get(server, endpoints)).status, 404)
  const { port } = await server.listen()
  const { body } = await get(server, endpoints)
  const [subset] = (
    body as unknown as { subsets: { addresses: { ip: string }[]; ports: object }[] }
  ).subsets
  assert.deepEqual(subset!.ports, [{ name: 'https', port, protocol: 'TCP' }])
  assert.doesNotMatch(subset!.addresses[0]!.ip, /^127\./)
})
