import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Cluster, startCluster } from '@kubewright/cluster/testing'
import { kind, manager, type Manager, s } from 'kubewright'
import { createLogger, type LogEntry } from 'kubewright/base'
import { ConfigMap } from 'kubewright/kinds/core/v1'

const Thing = kind('example.com/v1', 'Thing', {
  spec: { n: s.integer({ default: 1 }) },
  status: { seen: s.integer() },
})

interface Watched {
  readonly app: Manager
  readonly entries: readonly LogEntry[]
  /** Resolves with the first entry of a message. */
  readonly logged: (message: RegExp) => Promise<LogEntry>
}

/** A manager whose log can be waited for. */
function watched(shutdownTimeout: number): Watched {
  const entries: LogEntry[] = []
  const waiting = new Set<() => void>()
  const logger = createLogger((it) => {
    entries.push(it)
    for (const check of waiting) check()
  })
  const logged = (message: RegExp): Promise<LogEntry> =>
    new Promise((resolve) => {
      const check = (): void => {
        const found = entries.find((it) => message.test(it.message))
        if (found) resolve(found)
      }
      waiting.add(check)
      check()
    })
  return { app: manager({ name: 'bad', logger, shutdownTimeout }), entries, logged }
}

const create = (cluster: Cluster, name: string): Promise<unknown> =>
  cluster.client.create(Thing, { metadata: { name, namespace: 'default' }, spec: {} })

const THROWN: readonly (readonly [title: string, thrown: unknown, told: RegExp])[] = [
  ['an Error', new Error('boom'), /boom/],
  ['a string', 'just a text', /just a text.*threw something that is no Error/],
  ['undefined', undefined, /undefined.*threw something that is no Error/],
  ['null', null, /null.*threw something that is no Error/],
  ['an object without a prototype', Object.create(null), /threw something that is no Error/],
]

for (const [title, thrown, told] of THROWN) {
  test(`a reconciler that throws ${title} is told of and tried again; others go on`, async () => {
    await using cluster = await startCluster({ controllers: false })
    const { app, logged } = watched(1_000)
    let tries = 0
    app.controller(Thing).reconcile(async ({ metadata }, { status }) => {
      if (metadata.name === 'bad' && tries < 2) {
        tries++
        throw thrown
      }
      await status({ seen: tries })
    })
    await cluster.run(app)
    await create(cluster, 'bad')
    const { fields } = await logged(/reconcile failed; trying again/)
    assert.match(String((fields['error'] as Error).message), told)
    await create(cluster, 'good')
    await cluster.until(Thing, 'good', (it) => it.status?.seen !== undefined)
    await cluster.until(Thing, 'bad', (it) => it.status?.seen === 2)
  })
}

test('a reconciler that writes its own object each time is held back and told of', async () => {
  await using cluster = await startCluster({ controllers: false })
  const { app, logged } = watched(1_000)
  app.controller(Thing).reconcile(async (it, { status }) => {
    await status({ seen: (it.status?.seen ?? 0) + 1 })
  })
  await cluster.run(app)
  await create(cluster, 'hot')
  const { fields } = await logged(/reconciled again and again: it is held back/)
  assert.equal(fields['object'], 'default/hot')
})

test('a reconciler that never returns blocks its own object alone, and stopping goes on without it', async () => {
  const { app } = watched(50)
  let aborted = false
  app
    .controller(Thing)
    .owns(ConfigMap)
    .reconcile(async ({ metadata }, { status, signal }) => {
      if (metadata.name === 'stuck') {
        signal.addEventListener('abort', () => (aborted = true))
        // Neither returns nor heeds its signal.
        await new Promise(() => {})
      }
      await status({ seen: 1 })
    })
  const cluster = await startCluster({ controllers: false })
  const running = await cluster.run(app)
  await create(cluster, 'stuck')
  await create(cluster, 'other')
  await cluster.until(Thing, 'other', (it) => it.status?.seen === 1)
  await running.stop()
  assert.equal(aborted, true)
  await cluster.close()
})
