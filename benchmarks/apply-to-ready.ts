import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { createClient } from 'kubewright'
import { Deployment } from 'kubewright/kinds/apps/v1'
import type { BenchServer } from './server.ts'

const exec = promisify(execFile)

/**
 * How long a Deployment of 3 replicas takes from kubectl having applied it to all pods being Ready, in milliseconds: a watch sees
 * both the object appear and its status say 3.
 */
export async function applyToReady(start: () => Promise<BenchServer>): Promise<number> {
  const server = await start()
  const folder = await mkdtemp(path.join(tmpdir(), 'kubewright-bench-'))
  const client = createClient({ kubeconfig: server.kubeconfig })
  try {
    const file = path.join(folder, 'web.yaml')
    await writeFile(file, JSON.stringify(WEB))
    const signal = AbortSignal.timeout(30_000)
    const watch = client.watch(Deployment, { namespace: 'default', signal })
    const events = watch[Symbol.asyncIterator]()
    let next = events.next()
    // The watch must stand before kubectl writes, else the object is first seen when it is half ready.
    await client.create(Deployment, marker)
    await next
    next = events.next()
    const applied = exec('kubectl', ['apply', '-f', file], {
      env: { ...process.env, KUBECONFIG: server.kubeconfig },
    })
    let appeared: number | undefined
    for (;;) {
      const { value: event, done } = await next
      if (done) throw new Error('the watch ended before the Deployment was ready')
      next = events.next()
      if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue
      if (event.object.metadata.name !== 'web') continue
      appeared ??= performance.now()
      if (event.object.status?.readyReplicas === 3) break
    }
    const ready = performance.now() - (appeared ?? Number.NaN)
    next.catch(() => {})
    await applied
    return ready
  } finally {
    await client.close()
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

const labels = { app: 'marker' }

/** A Deployment of no pods, to see that the watch stands. */
const marker = {
  metadata: { name: 'marker', namespace: 'default' },
  spec: {
    replicas: 0,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: { containers: [{ name: 'marker', image: 'nginx:1.25' }] },
    },
  },
}

const WEB = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'nginx:1.25' }] },
    },
  },
}
