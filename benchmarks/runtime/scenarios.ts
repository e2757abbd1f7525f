import type { Client } from 'kubewright/client'
import { median } from '../table.ts'
import { startOperator, type Program } from './operator-process.ts'
import { inParallel } from './seed.ts'
import { nameOf, RECONCILED, text, Widget } from './widgets.ts'

/** Figures by the name of their row. */
export type Figures = Readonly<Record<string, number>>

/** How long after a sync memory is looked at, ms. */
const SETTLE = 2_000

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Time to mirror `count` seeded objects, and memory a moment afterwards. */
export async function sync(program: Program, kubeconfig: string, count: number): Promise<Figures> {
  const operator = await startOperator(program, 'sync', kubeconfig, count)
  try {
    await pause(SETTLE)
    const size = `sync-${count / 1000}k`
    return {
      [`${size}-ms`]: operator.syncedAfter,
      [`${size}-cpu`]: (await operator.cpu()) / count,
      [`${size}-rss`]: await operator.memory(),
    }
  } finally {
    await operator.stop()
  }
}

/** How many resources converge, how long changes go on (ms), and how many a second. */
export interface Load {
  readonly converge: number
  readonly changesFor: number
  readonly changesPerSecond: number
}

/** Start to first reconcile; then many new resources; then steady changes. */
export async function reconcile(
  program: Program,
  kubeconfig: string,
  client: Client,
  load: Load,
): Promise<Figures> {
  const statuses = watchStatuses(client)
  await statuses.ready
  await client.create(Widget, widgetOf('first', 1))
  const started = performance.now()
  const seen = statuses.until('first', 1)
  const operator = await startOperator(program, 'reconcile', kubeconfig, 1)
  try {
    const first = (await seen) - started
    const converged = await converge(client, statuses, operator.cpu, load.converge)
    const latencies = await change(client, statuses, load).catch((error: unknown) => {
      console.error('the server could not keep up with the changes:', error)
      return {}
    })
    return { 'first-reconcile-ms': first, ...converged, ...latencies }
  } finally {
    await operator.stop()
    statuses.stop()
  }
}

const widgetOf = (name: string, replicas: number) => ({
  metadata: { name, namespace: RECONCILED },
  spec: { replicas, text: text(replicas) },
})

async function converge(
  client: Client,
  statuses: Statuses,
  cpu: () => Promise<number>,
  count: number,
): Promise<Figures> {
  const before = await cpu()
  const began = performance.now()
  const all = Array.from({ length: count }, (_, at) => statuses.until(nameOf(at), at + 1))
  await inParallel(0, count, 32, (at) => client.create(Widget, widgetOf(nameOf(at), at + 1)))
  const last = Math.max(...(await Promise.all(all)))
  await pause(500)
  const size = `converge-${count / 1000}k`
  return { [`${size}-ms`]: last - began, [`${size}-cpu`]: ((await cpu()) - before) / count }
}

/** Changes at a steady pace, whatever comes of them; from sending each change to seeing its status. */
async function change(client: Client, statuses: Statuses, load: Load): Promise<Figures> {
  const { changesFor, changesPerSecond, converge: objects } = load
  const count = Math.round((changesFor / 1000) * changesPerSecond)
  const began = performance.now()
  const latencies: Promise<number>[] = []
  for (let at = 0; at < count; at++) {
    const due = began + (at * 1000) / changesPerSecond
    const early = due - performance.now()
    if (early > 1) await pause(early)
    latencies.push(changeOne(client, statuses, nameOf(at % objects), 1_000_000 + at))
  }
  const ended = await Promise.allSettled(latencies)
  const lost = ended.filter((it) => it.status === 'rejected')
  if (lost.length > 0)
    throw new Error(`${lost.length} of ${count} changes`, { cause: lost[0]?.reason })
  const all = ended
    .flatMap((it) => (it.status === 'fulfilled' ? [it.value] : []))
    .sort((a, b) => a - b)
  return {
    'latency-p50-ms': median(all),
    'latency-p99-ms': all[Math.floor(all.length * 0.99)] ?? 0,
  }
}

async function changeOne(
  client: Client,
  statuses: Statuses,
  name: string,
  replicas: number,
): Promise<number> {
  const sent = performance.now()
  const seen = statuses.until(name, replicas)
  const key = { namespace: RECONCILED, name }
  const patched = client.patch(Widget, key, { type: 'merge', body: { spec: { replicas } } })
  const [at] = await Promise.all([seen, patched])
  return at - sent
}

/** Tells when the status of a Widget has come to what it should be. */
interface Statuses {
  readonly ready: Promise<void>
  /** Resolves to the time (`performance.now()`) at which it was seen; rejects after two minutes. */
  until(name: string, replicas: number): Promise<number>
  stop(): void
}

function watchStatuses(client: Client): Statuses {
  const waiting = new Map<string, { readonly replicas: number; seen: () => void }>()
  const stopping = new AbortController()
  const ready = Promise.withResolvers<void>()
  const follow = async (): Promise<void> => {
    const { metadata } = await client.list(Widget, { namespace: RECONCILED })
    let resourceVersion = metadata.resourceVersion ?? ''
    while (!stopping.signal.aborted) {
      const options = { namespace: RECONCILED, resourceVersion, signal: stopping.signal }
      ready.resolve()
      for await (const event of client.watch(Widget, options)) {
        if (event.type === 'ERROR') throw new Error(event.object.message)
        resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion
        if (event.type === 'BOOKMARK') continue
        const { metadata: meta, status } = event.object
        const wanted = waiting.get(meta.name ?? '')
        if (wanted && status?.replicas === wanted.replicas) wanted.seen()
      }
    }
  }
  follow().catch((error: unknown) => {
    if (!stopping.signal.aborted) console.error('the bench lost its watch', error)
  })
  return {
    ready: ready.promise,
    until: (name, replicas) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(
          () => reject(new Error(`the status of ${name} never came to ${replicas}`)),
          120_000,
        )
        const seen = (): void => {
          clearTimeout(late)
          waiting.delete(name)
          resolve(performance.now())
        }
        waiting.set(name, { replicas, seen })
      }),
    stop: () => stopping.abort(new Error('stopped')),
  }
}
