import assert from 'node:assert/strict'
import test from 'node:test'
import { Node } from 'kubewright/kinds/core/v1'
import { startCluster } from '../../testing/index.ts'
import { secondsOf, stepFor } from './ttl.ts'

test('the step changes only where the number of nodes lies outside of it', () => {
  const seconds: number[] = []
  let step = 0
  for (const nodes of [1, 100, 101, 95, 90, 89, 2500, 1800, 1799, 460, 3]) {
    step = stepFor(step, nodes)
    seconds.push(secondsOf(step))
  }
  assert.deepEqual(seconds, [0, 0, 15, 15, 15, 0, 300, 300, 60, 30, 0])
})

test('a node is told how long it may keep what it read', async () => {
  await using cluster = await startCluster()
  await cluster.client.create(Node, { metadata: { name: 'n1' } })
  await cluster.until(
    Node,
    'n1',
    (it) => it.metadata.annotations?.['node.alpha.kubernetes.io/ttl'] === '0',
  )
})
