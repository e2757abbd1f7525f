import assert from 'node:assert/strict'
import { test } from 'node:test'
import { controller, isNotFound, manager } from 'kubewright'
import { ConfigMap } from 'kubewright/kinds/core/v1'
import { thing, Thing, world } from './world.ts'

test('clusters join and leave at run time; the cluster is part of the request', async (t) => {
  const home = await world(t)
  const [east, west] = [await world(t), await world(t)]
  const app = manager()
  app
    .controller(Thing, { clusters: 'all' })
    .owns(ConfigMap)
    .reconcile(async ({ metadata, spec }, { apply, key, owned }) => {
      const data = { n: String(spec?.n), cluster: key.cluster ?? 'home' }
      const made = await apply(ConfigMap, { metadata: { name: metadata.name! }, data })
      assert.deepEqual(owned(ConfigMap), [made])
    })
  const running = await home.up(app.start(home.options))
  await running.clusters.join('east', { transport: east.transport })
  assert.deepEqual(running.clusters.names, ['east'])

  // The same name everywhere: three objects, three requests.
  for (const { client } of [home, east, west]) await client.create(Thing, thing('same'))
  const ended = (key: string): Promise<unknown> =>
    home.journal.next('reconcile ended', (it) => it.key === key && !it.error)
  await Promise.all([ended('default/same'), ended('east%default/same')])
  const cluster = async ({ client }: typeof home): Promise<string | undefined> =>
    (await client.get(ConfigMap, 'default/same')).data?.['cluster']
  assert.deepEqual([await cluster(home), await cluster(east)], ['home', 'east'])
  await assert.rejects(cluster(west), isNotFound)

  await running.clusters.join('west', { transport: west.transport })
  await ended('west%default/same')
  assert.equal(await cluster(west), 'west')
  // A change of what is owned sets off the owner in its own cluster.
  const from = home.journal.all.length
  await west.client.patch(ConfigMap, 'same', { type: 'merge', body: { data: { n: '9' } } })
  await home.journal.next('written', (it) => it.key === 'west%default/same' && it.sent, from)
  assert.equal((await west.client.get(ConfigMap, 'same')).data?.['n'], '1')

  await running.clusters.leave('west')
  const after = home.journal.all.length
  await west.client.create(Thing, thing('late'))
  await east.client.create(Thing, thing('late'))
  await home.journal.next('reconcile ended', (it) => it.key === 'east%default/late')
  assert.ok(!home.journal.all.slice(after).some((it) => it.key.startsWith('west%')))
  await assert.rejects(running.clusters.join('east', east.options), /has joined already/)
  await assert.rejects(running.clusters.join('East!', east.options), /cannot name a cluster/)
})

test('a run reaches other clusters by their name', async (t) => {
  const home = await world(t)
  const edge = await world(t)
  const app = manager()
  app.controller(Thing).reconcile(async ({ metadata, spec }, context) => {
    for (const name of context.clusters())
      await context
        .in(name)
        .apply(ConfigMap, { metadata: { name: metadata.name! }, data: { n: String(spec?.n) } })
    assert.throws(() => context.in('nowhere'), /there is no cluster "nowhere": edge joined/)
  })
  const running = await home.up(app.start(home.options))
  await running.clusters.join('edge', { transport: edge.transport })
  await home.client.create(Thing, thing('a', { n: 3 }))
  await home.journal.next('reconcile ended', (it) => !it.error)
  assert.deepEqual((await edge.client.get(ConfigMap, 'a')).data, { n: '3' })
})

test('a cluster without the kinds cannot join, and leaves nothing behind', async (t) => {
  const home = await world(t)
  const bare = await world(t)
  const app = manager().add(controller(Thing, { clusters: 'members' }).reconcile(() => {}))
  const running = await home.up(app.start({ ...home.options, cache: { syncTimeout: 50 } }))
  await bare.client.raw({
    method: 'DELETE',
    path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.example.com',
  })
  await assert.rejects(
    running.clusters.join('bare', { transport: bare.transport }),
    /controller thing could not list things.example.com .* within 50 ms/,
  )
  assert.deepEqual(running.clusters.names, [])
})
