import { startCluster, type Cluster } from '@kubewright/cluster/testing'
import { declaredKinds, installKinds, type Manager, type RuntimeEvent } from 'kubewright'

/** An operator at work in a cluster of its own, and all that its runtime said of it. */
export interface Operated extends AsyncDisposable {
  readonly cluster: Cluster
  readonly client: Cluster['client']
  readonly events: readonly RuntimeEvent[]
  /** How often the reconciler ran for a key since the `from`th event. */
  runs(key: string, from?: number): number
  /** What was sent for a key since the `from`th event: `apply Deployment default/web`, `apply MyApp default/web status`. */
  sent(key: string, from?: number): readonly string[]
  /** Resolves when nothing has happened for a while of requests: whatever was going on has come to rest. */
  quiet(): Promise<void>
}

/** Starts a cluster with an operator's kinds, and the operator in it; both end together. With a port, kubectl can get in too. */
export async function operate(
  app: Manager,
  options: { readonly port?: number } = {},
): Promise<Operated> {
  const cluster = await startCluster(options)
  const { client } = cluster
  const events: RuntimeEvent[] = []
  await installKinds(client, declaredKinds(app.describe().controllers))
  const running = await app.start({
    transport: cluster.fetch,
    observer: (event) => events.push(event),
    cache: { freeze: true },
  })
  return {
    cluster,
    client,
    events,
    runs: (key, from = 0) =>
      events.slice(from).filter((it) => it.type === 'reconcile started' && it.key === key).length,
    sent: (key, from = 0) =>
      events
        .slice(from)
        .flatMap((it) =>
          it.type === 'written' && it.sent && it.key === key
            ? [[it.verb, it.kind, it.object, it.subresource].filter(Boolean).join(' ')]
            : [],
        ),
    async quiet() {
      for (let calm = 0, seen = -1; calm < 100; calm = seen === events.length ? calm + 1 : 0) {
        seen = events.length
        await client.raw({ method: 'GET', path: '/version' })
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
    async [Symbol.asyncDispose]() {
      await running.stop()
      await cluster.close()
    },
  }
}
