import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fakeClock, seededRandom } from 'kubewright/base'
import { Deployment } from 'kubewright/kinds/apps/v1'
import { ConfigMap, Pod } from 'kubewright/kinds/core/v1'
import { type Cluster, startCluster } from './cluster.ts'
import type { ClusterOptions } from './cluster-options.ts'
import { decodeSnapshot, encodeSnapshot } from './index.ts'
import { deployment, here } from './objects.fixture.ts'

const root = mkdtempSync(join(tmpdir(), 'snapshot-'))
after(() => rmSync(root, { recursive: true, force: true }))

const ALONE: ClusterOptions = { controllers: false }

const put = (cluster: Cluster, name: string, value: string): Promise<ConfigMap> =>
  cluster.client.create(ConfigMap, { metadata: here(name), data: { v: value } })

async function names(cluster: Cluster): Promise<readonly string[]> {
  const { items } = await cluster.client.list(ConfigMap, { namespace: 'default' })
  return items.map((it) => `${it.metadata.name}=${it.data?.['v']}@${it.metadata.resourceVersion}`)
}

/** The first event of a watch from a version. */
async function firstEvent(cluster: Cluster, version: number): Promise<unknown> {
  const path = `/api/v1/namespaces/default/configmaps?watch=1&resourceVersion=${version}`
  const response = await cluster.fetch(new Request(`http://server${path}`))
  const reader = response.body!.getReader()
  const { value } = await reader.read()
  await reader.cancel()
  return JSON.parse(new TextDecoder().decode(value))
}

const tooOld = (asked: number, oldest: number): object => ({
  type: 'ERROR',
  object: {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `too old resource version: ${asked} (${oldest})`,
    reason: 'Expired',
    code: 410,
  },
})

test('a cluster begins with a snapshot, at the next version, and without its past', async () => {
  await using first = await startCluster(ALONE)
  await put(first, 'a', '1')
  await put(first, 'b', '1')
  const snapshot = first.snapshot()
  await put(first, 'late', '1')
  await using second = await startCluster({ ...ALONE, from: snapshot })
  assert.equal(second.server.storage.revision, snapshot.revision)
  const was = snapshot.revision
  assert.deepEqual(await names(second), [`a=1@${was - 1}`, `b=1@${was}`])
  const made = await put(second, 'c', '1')
  assert.equal(made.metadata.resourceVersion, String(was + 1))
  assert.deepEqual(await firstEvent(second, was - 1), tooOld(was - 1, was))
  const path = `/api/v1/namespaces/default/configmaps?resourceVersionMatch=Exact&resourceVersion=${was - 1}`
  assert.equal((await second.fetch(new Request(`http://server${path}`))).status, 410)
})

test('where its clients may have seen more, it begins beyond that, and tells them so', async () => {
  await using first = await startCluster(ALONE)
  const snapshot = first.snapshot()
  const seen = Number((await put(first, 'late', '1')).metadata.resourceVersion)
  await using second = await startCluster({ ...ALONE, from: snapshot, bumpRevision: 1000 })
  const begins = snapshot.revision + 1000
  assert.deepEqual(await firstEvent(second, seen), tooOld(seen, begins))
  assert.equal((await put(second, 'a', '1')).metadata.resourceVersion, String(begins + 1))
})

test('a fork goes its own way; what neither writes is one object', async () => {
  await using original = await startCluster(ALONE)
  await put(original, 'a', '1')
  await using fork = await original.fork()
  const key = '/configmaps/default/a'
  const stored = await original.server.storage.get(key)
  assert.equal(await fork.server.storage.get(key), stored)
  await put(fork, 'of-fork', '1')
  await put(original, 'of-original', '1')
  await fork.client.delete(ConfigMap, here('a'))
  const revision = stored!.revision + 1
  assert.deepEqual(await names(original), [`a=1@${stored!.revision}`, `of-original=1@${revision}`])
  assert.deepEqual(await names(fork), [`of-fork=1@${revision}`])
})

test('controllers and nodes of a fork go on with what they find', async () => {
  await using original = await startCluster()
  await original.client.create(Deployment, deployment('web', 1))
  const ready = (n: number) => (it: Deployment) => it.status?.readyReplicas === n
  await original.until(Deployment, 'default/web', ready(1))
  await using fork = await original.fork()
  const web = await fork.client.get(Deployment, here('web'))
  await fork.client.update(Deployment, { ...web, spec: { ...web.spec!, replicas: 3 } })
  await fork.until(Deployment, 'default/web', ready(3))
  assert.equal((await fork.client.list(Pod, { namespace: 'default' })).items.length, 3)
  assert.equal((await original.client.list(Pod, { namespace: 'default' })).items.length, 1)
})

test('a snapshot is restored from its text into a data folder, and that one is not written over', async () => {
  const dataDir = join(root, 'restored')
  await using first = await startCluster(ALONE)
  await put(first, 'a', '1')
  const bytes = encodeSnapshot(first.snapshot())
  const before = await names(first)
  {
    const options = { ...ALONE, dataDir, from: decodeSnapshot(bytes), bumpRevision: 50 }
    await using restored = await startCluster(options)
    assert.deepEqual(await names(restored), before)
  }
  await using again = await startCluster({ ...ALONE, dataDir })
  assert.deepEqual(await names(again), before)
  assert.equal(again.server.storage.revision, first.server.storage.revision + 50)
  await again.close()
  await assert.rejects(
    startCluster({ ...ALONE, dataDir, from: decodeSnapshot(bytes) }),
    /holds a cluster already, at revision \d+: restore into a new file/,
  )
})

test('two runs of one seed are the same, to the byte', async () => {
  const run = async (): Promise<Buffer> => {
    const clock = fakeClock()
    await using cluster = await startCluster({ ...ALONE, clock, random: seededRandom(7) })
    await cluster.client.create(ConfigMap, {
      metadata: { generateName: 'a-', namespace: 'default' },
    })
    await clock.advance(1500)
    await cluster.client.create(Deployment, deployment('web', 2))
    await put(cluster, 'b', '1')
    return encodeSnapshot(cluster.snapshot())
  }
  const [first, second] = [await run(), await run()]
  assert.equal(first.toString(), second.toString())
})

test('so are two runs with controllers and nodes, turned by one clock', async () => {
  const run = async (): Promise<string> => {
    const clock = fakeClock()
    await using cluster = await startCluster({ clock, random: seededRandom(7), nodes: 2 })
    await cluster.client.create(Deployment, deployment('web', 2))
    for (let turn = 0; turn < 30; turn++) {
      await clock.advance(200)
      for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
    }
    const pods = await cluster.client.list(Pod, { namespace: 'default' })
    assert.deepEqual(
      pods.items.map((it) => it.status?.phase),
      ['Running', 'Running'],
    )
    return encodeSnapshot(cluster.snapshot()).toString()
  }
  assert.equal(await run(), await run())
})

test('options that cannot be are refused with a sentence', async () => {
  const refused = (options: unknown, why: RegExp): Promise<void> =>
    assert.rejects(startCluster(options as ClusterOptions), why)
  await refused(
    { ports: 1 },
    /^TypeError: startCluster knows no option "ports": it takes dataDir, /,
  )
  await refused({ port: -1 }, /^TypeError: port is -1, and must be a whole number from 0 to 65535$/)
  await refused({ port: '8443' }, /^TypeError: port is "8443", and must be a whole number/)
  await refused({ nodes: 1.5 }, /^TypeError: nodes is 1.5, and must be how many nodes/)
  await refused({ clock: {} }, /^TypeError: clock is an object, and must be a Clock, with now and/)
  await refused({ from: 'x.jsonl' }, /^TypeError: from is "x.jsonl", and must be a snapshot, as/)
  await refused({ bumpRevision: 1 }, /^TypeError: bumpRevision says how far beyond a snapshot/)
  await refused({ dataDir: '' }, /^TypeError: dataDir is "", and must be the path of a folder$/)
})
