import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manager, type Manager } from 'kubewright'
import { ConfigMap, Secret } from 'kubewright/kinds/core/v1'
import { settle, thing, Thing, world } from './world.ts'

test('other controllers take over while caches, client and lease stay: nothing is listed again', async (t) => {
  const lists: string[] = []
  const { client, journal, options, up } = await world(t, {
    through: (transport) => (request) => {
      const { pathname, searchParams } = new URL(request.url)
      if (request.method === 'GET' && /things|secrets/.test(pathname))
        lists.push(`${searchParams.get('watch') ? 'watch' : 'list'} ${pathname}`)
      return transport(request)
    },
  })
  const version = (data: string): Manager => {
    const app = manager({ name: 'dev' })
    app.controller(Thing).reconcile(async ({ metadata }, { apply }) => {
      await apply(ConfigMap, { metadata: { name: metadata.name! }, data: { version: data } })
    })
    return app
  }
  const running = await up(version('1').start({ ...options, leaderElection: true }))
  await running.elected
  await client.create(Thing, thing('a'))
  const applied = async (from: number): Promise<string | undefined> => {
    await journal.next('written', (it) => it.kind === 'ConfigMap' && it.sent, from)
    return (await client.get(ConfigMap, 'default/a')).data?.['version']
  }
  assert.equal(await applied(0), '1')
  const before = lists.length
  let from = journal.all.length
  await running.reload(version('2'))
  assert.equal(await applied(from), '2')
  assert.equal(lists.length, before, `listed again: ${lists.slice(before).join(', ')}`)

  // A kind that is new is listed, and a third version stops with the manager.
  const third = manager({ name: 'dev' })
  let ended = 0
  third
    .controller(Thing)
    .owns(Secret)
    .reconcile(async ({ metadata }, { apply }) => {
      await settle()
      await apply(Secret, { metadata: { name: metadata.name! } })
      ended++
    })
  from = journal.all.length
  await running.reload(third)
  await journal.next('written', (it) => it.kind === 'Secret' && it.sent, from)
  await running.stop()
  const runs = ended
  await client.create(Thing, thing('late'))
  await settle()
  assert.equal(ended, runs)
})
