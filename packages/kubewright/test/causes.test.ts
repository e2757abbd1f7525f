import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manager } from 'kubewright'
import { ConfigMap } from 'kubewright/kinds/core/v1'
import { thing, Thing, world } from './world.ts'

test('every run knows what led to it: which object, what changed, which handler', async (t) => {
  const { client, journal, options, up } = await world(t)
  const app = manager()
  app
    .controller(Thing)
    .owns(ConfigMap)
    .watches(ConfigMap, ({ metadata }) =>
      metadata.labels?.['for'] ? [`default/${metadata.labels['for']}`] : [],
    )
    .reconcile(async ({ metadata, spec }, { apply }) => {
      await apply(ConfigMap, { metadata: { name: metadata.name! }, data: { n: String(spec?.n) } })
    })
  await up(app.start(options))
  await client.create(Thing, thing('a'))
  const began = (test: RegExp, from: number): Promise<{ readonly causes: readonly string[] }> =>
    journal.next('reconcile started', (it) => it.causes.some((one) => test.test(one)), from)
  const first = await began(/Thing a created/, 0)
  assert.deepEqual(first.causes, ['Thing a created (handler: the object itself)'])
  await journal.next('written', (it) => it.kind === 'ConfigMap' && !it.sent)

  let from = journal.all.length
  await client.patch(Thing, 'a', {
    type: 'merge',
    body: { spec: { n: 2 }, metadata: { labels: { tier: 'gold' } } },
  })
  const second = await began(/Thing a updated/, from)
  assert.deepEqual(
    second.causes.filter((it) => it.startsWith('Thing')),
    ['Thing a updated (metadata.labels, spec.n; handler: the object itself)'],
  )
  await journal.next('written', (it) => it.kind === 'ConfigMap' && it.sent, from)

  from = journal.all.length
  await client.patch(ConfigMap, 'a', { type: 'merge', body: { data: { n: '9' } } })
  const third = await began(/ConfigMap a updated/, from)
  assert.ok(
    third.causes.includes('ConfigMap a updated (data.n; handler: owner)'),
    `${third.causes}`,
  )

  from = journal.all.length
  await client.create(ConfigMap, { metadata: { name: 'other', labels: { for: 'a' } } })
  const fourth = await began(/ConfigMap other created/, from)
  assert.deepEqual(fourth.causes, ['ConfigMap other created (handler: map)'])
})

test('two writers who fight over a field are told of once, with the field and both names', async (t) => {
  const { client, journal, log, options, up } = await world(t)
  const app = manager()
  app
    .controller(Thing, { pace: false })
    .owns(ConfigMap)
    .reconcile(async ({ metadata }, { apply }) => {
      await apply(ConfigMap, { metadata: { name: metadata.name! }, data: { mode: 'on', x: '1' } })
    })
  await up(app.start(options))
  await client.create(Thing, thing('a'))
  await journal.next('written', (it) => it.kind === 'ConfigMap' && it.sent)
  for (let round = 0; round < 8; round++) {
    const from = journal.all.length
    await client.patch(
      ConfigMap,
      'a',
      { type: 'merge', body: { data: { mode: 'off' } } },
      { fieldOwner: 'rival' },
    )
    await journal.next('written', (it) => it.kind === 'ConfigMap' && it.sent, from)
  }
  const told = log.all.filter((it) => /fight over/.test(it.message))
  assert.deepEqual(
    told.map((it) => it.message),
    [
      'two writers fight over data.mode of the ConfigMap default/a: thing has set it to "on" 5 times, and rival sets it to "off"; let one of them leave the field out',
    ],
  )
})

test('an update that the server answers without a change is told of, with the field that it sets back', async (t) => {
  const { client, log, options, up } = await world(t)
  const app = manager()
  app.controller(Thing, { pace: false }).reconcile(async (it, { client: writer }) => {
    // The schema has a default for spec.text, so that leaving it out changes nothing.
    await writer.update(Thing, { ...it, spec: { n: 1, text: null as unknown as string } })
    return { requeueAfter: 1 }
  })
  await up(app.start(options))
  await client.create(Thing, thing('a'))
  const told = await log.until((it) => /the server sets/.test(it.message))
  assert.equal(
    told.message,
    'the server sets spec.text of the Thing default/a back to "" each time that null is written: it is a default or is normalised; write what the server keeps, or leave the field out',
  )
})
