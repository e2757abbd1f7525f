import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeClock } from 'kubewright/base'
import { ConfigMap, Pod } from 'kubewright/kinds/core/v1'
import { startCluster } from './cluster.ts'
import { stage } from './index.ts'
import { here, template } from './objects.fixture.ts'

test('objects go from stage to stage, each in its time', async () => {
  const clock = fakeClock()
  const phase = (it: ConfigMap): string | undefined => it.metadata.annotations?.['phase']
  const becomes = (from: string | undefined, to: string, after: string, jitter: string) =>
    stage({
      name: to,
      kind: ConfigMap,
      when: (it) => it.metadata.labels?.['staged'] === 'yes' && phase(it) === from,
      after,
      jitter,
      next: () => ({ metadata: { annotations: { phase: to } } }),
    })
  const stages = [
    becomes(undefined, 'warm', '10s', '0s'),
    becomes('warm', 'hot', '10s', '20s'),
    stage({
      name: 'gone',
      kind: ConfigMap,
      when: (it) => phase(it) === 'hot',
      after: '5s',
      next: () => ({ delete: true, event: { type: 'Normal', reason: 'Gone', message: 'over' } }),
    }),
  ]
  await using cluster = await startCluster({ clock, stages })
  const { client } = cluster
  await client.create(ConfigMap, { metadata: { ...here('a'), labels: { staged: 'yes' } } })
  await client.create(ConfigMap, { metadata: here('b') })
  const seen: string[] = []
  for (let second = 0; second < 50; second++) {
    const found = await client.find(ConfigMap, here('a'))
    const now = found ? (phase(found) ?? 'cold') : 'gone'
    if (now !== seen.at(-1)?.split(' ')[0]) seen.push(`${now} ${second}`)
    await clock.advance(1000)
  }
  const times = seen.map((it) => Number(it.split(' ')[1]))
  assert.deepEqual(
    seen.map((it) => it.split(' ')[0]),
    ['cold', 'warm', 'hot', 'gone'],
  )
  const [, warm = 0, hot = 0, gone = 0] = times
  assert.ok(Math.abs(warm - 10) <= 1 && hot - warm >= 9 && hot - warm <= 31 && gone - hot <= 7)
  assert.equal(phase(await client.get(ConfigMap, here('b'))), undefined)
})

test('pods on no node of ours live as stages say', async () => {
  const stages = [
    stage({
      name: 'run',
      kind: Pod,
      when: (it) => it.spec.nodeName === 'elsewhere' && it.status?.phase === 'Pending',
      next: (_, now) => ({
        status: { phase: 'Running', startTime: new Date(now).toISOString().replace('.000', '') },
      }),
    }),
  ]
  await using cluster = await startCluster({ nodes: 0, stages })
  const { spec } = template('x')
  await cluster.client.create(Pod, {
    metadata: here('p'),
    spec: { ...spec!, nodeName: 'elsewhere' },
  })
  await cluster.until(Pod, 'default/p', (it) => it.status?.phase === 'Running')
})
