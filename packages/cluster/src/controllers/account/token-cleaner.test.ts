import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeClock } from 'kubewright/base'
import { Secret, ServiceAccount } from 'kubewright/kinds/core/v1'
import { manager } from 'kubewright/manager'
import { startCluster } from '../../testing/index.ts'
import { legacyTokenCleaner } from './token-cleaner.ts'

const DAY = 86_400_000

test('tokens that nobody uses are marked, then deleted; those that somebody asked for stay', async () => {
  const clock = fakeClock(Date.parse('2026-01-01T12:00:00Z'))
  await using cluster = await startCluster({ controllers: false, clock })
  const { client } = cluster
  const token = (name: string): Promise<Secret> =>
    client.create(Secret, {
      metadata: {
        name,
        namespace: 'default',
        annotations: { 'kubernetes.io/service-account.name': 'robot' },
      },
      type: 'kubernetes.io/service-account-token',
    })
  await client.create(ServiceAccount, {
    metadata: { name: 'robot', namespace: 'default' },
    secrets: [{ name: 'robot-token-made' }],
  })
  await token('robot-token-made')
  await token('robot-token-asked-for')
  await clock.advance(3 * DAY)
  await cluster.run(manager().add(legacyTokenCleaner({ period: DAY, interval: DAY })))
  const marked = await cluster.until(
    Secret,
    'default/robot-token-made',
    (it) => it.metadata.labels?.['kubernetes.io/legacy-token-invalid-since'] !== undefined,
  )
  assert.equal(marked.metadata.labels?.['kubernetes.io/legacy-token-invalid-since'], '2026-01-04')
  await clock.advance(3 * DAY)
  await cluster.untilGone(Secret, 'default/robot-token-made')
  const kept = await client.get(Secret, 'default/robot-token-asked-for')
  assert.equal(kept.metadata.labels, undefined)
})
