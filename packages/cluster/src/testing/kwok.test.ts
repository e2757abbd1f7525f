import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Deployment } from 'kubewright/kinds/apps/v1'
import { Lease } from 'kubewright/kinds/coordination.k8s.io/v1'
import { Event, Node, Pod } from 'kubewright/kinds/core/v1'
import { findCondition } from 'kubewright/machinery'
import { startCluster } from './cluster.ts'
import { deployment, here } from './objects.fixture.ts'

const hasKwok = (() => {
  try {
    execFileSync('kwok', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()
const MISSING = 'there is no kwok on the PATH: node conformance/reference/build.ts kwok makes one'
// Where all is to be tested, a machine without it is a failure.
const skip = hasKwok || process.env['CI'] === 'true' ? false : MISSING
const STAGES = fileURLToPath(new URL('./testdata/kwok-stages.yaml', import.meta.url))
const PATIENCE = { timeout: 60_000 }

test('kwok simulates nodes in place of ours', { skip, timeout: 200_000 }, async () => {
  assert.ok(hasKwok, MISSING)
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-'))
  await using cluster = await startCluster({ nodes: 0, port: 0 })
  const kubeconfig = join(folder, 'kubeconfig')
  writeFileSync(kubeconfig, cluster.kubeconfig())
  const flags = ['--manage-all-nodes', '--node-lease-duration-seconds=40', '--config', STAGES]
  const kwok = spawn('kwok', ['--kubeconfig', kubeconfig, ...flags], { stdio: 'ignore' })
  const { client } = cluster
  try {
    await client.create(Node, { metadata: { name: 'kwok-1' } })
    await cluster.until(
      Node,
      'kwok-1',
      (it) => findCondition(it.status?.conditions, 'Ready')?.status === 'True',
      PATIENCE,
    )
    await cluster.until(Lease, 'kube-node-lease/kwok-1', () => true, PATIENCE)
    await client.create(Deployment, deployment('web', 3))
    await cluster.until(Deployment, 'default/web', (it) => it.status?.readyReplicas === 3, PATIENCE)
    const { items } = await client.list(Event, { namespace: 'default' })
    assert.equal(items.filter((it) => it.message === 'Started by kwok').length, 3)
    await client.delete(Deployment, here('web'))
    await cluster.untilList(Pod, { namespace: 'default' }, (all) => all.length === 0, PATIENCE)
  } finally {
    kwok.kill('SIGTERM')
    await once(kwok, 'exit')
    rmSync(folder, { recursive: true })
  }
})
