import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { CustomResourceDefinition } from 'kubewright/kinds/apiextensions.k8s.io/v1'
import { ConfigMap, Secret } from 'kubewright/kinds/core/v1'
import { beside, declared, everywhere, nudges, outside, Site, sources } from './runtime-examples.ts'
import { settle, world } from './world.ts'

const site = (name: string, spec: object = {}): object => ({
  metadata: { name, namespace: 'default' },
  spec,
})

test('docs/RUNTIME.md shows what is compiled and run here', async () => {
  const [text, page] = await Promise.all(
    ['./runtime-examples.ts', '../../../docs/RUNTIME.md'].map((it) =>
      readFile(new URL(it, import.meta.url), 'utf8'),
    ),
  )
  const regions = [...text!.matchAll(/\/\/ #region (\w+)\n([^]*?)\/\/ #endregion/g)]
  assert.equal(regions.length, 4)
  for (const [, name, code] of regions)
    assert.ok(page!.includes(code!.trim()), `docs/RUNTIME.md must show the region ${name} as it is`)
})

test('the examples do what the page says', async (t) => {
  const { client, journal, options, up } = await world(t)
  const other = await world(t)
  for (const it of [client, other.client]) await it.apply(CustomResourceDefinition, Site.crd())
  const running = await up(sources.start({ ...options, ports: { inbound: 0 } }))
  nudges.send(['default/sent'])
  await journal.next('queued', (it) => it.key === 'default/sent')
  const answer = await fetch(`http://127.0.0.1:${running.ports.inbound}/changed`, {
    method: 'POST',
    body: 'called',
    headers: { authorization: 'Bearer s3cret' },
  })
  assert.equal(answer.status, 202)
  await journal.next('queued', (it) => it.key === 'default/called')
  await client.create(Site, site('unknown') as never)
  await journal.next('reconcile ended', (it) => it.key === 'default/unknown' && it.after === 30_000)
  await running.stop()

  const second = await up(beside.start(options))
  await journal.next('reconcile ended', (it) => it.after === 300_000)
  assert.equal(outside.get('unknown is followed'), 'yes')
  assert.equal(outside.get('unknown'), 'checked')
  await second.stop()
  outside.clear()

  const third = await up(declared.start(options))
  let from = journal.all.length
  await client.patch(Site, 'unknown', { type: 'merge', body: { spec: { text: 'hi' } } })
  await journal.next('written', (it) => it.kind === 'Secret' && it.sent, from)
  while (!(await client.find(ConfigMap, 'default/unknown'))) await journal.next('reconcile ended')
  assert.equal((await client.get(ConfigMap, 'unknown')).data?.['bucket'], 'bucket in west')
  assert.ok(await client.find(Secret, 'default/unknown'))
  await client.delete(Site, 'unknown')
  while (await client.find(Site, 'default/unknown')) await settle()
  assert.equal(outside.size, 0)
  await third.stop()

  from = journal.all.length
  const fourth = await up(everywhere.start(options))
  await fourth.clusters.join('west', { transport: other.transport })
  await other.client.create(Site, site('far') as never)
  await journal.next('written', (it) => it.key === 'west%default/far' && it.sent, from)
  assert.deepEqual((await other.client.get(ConfigMap, 'far')).data, { cluster: 'west' })
})
