import type { Client } from 'kubewright/client'
import { CustomResourceDefinition } from 'kubewright/kinds/apiextensions.k8s.io/v1'
import { Namespace } from 'kubewright/kinds/core/v1'
import { DEFINITION, nameOf, RECONCILED, SEEDED, text, Widget } from './widgets.ts'

/** Installs the definition and the namespaces, and waits until Widgets are served. */
export async function prepare(client: Client): Promise<void> {
  await client.apply(CustomResourceDefinition, DEFINITION, { force: true })
  for (const name of [SEEDED, RECONCILED]) await client.apply(Namespace, { metadata: { name } })
  for (let tries = 0; ; tries++) {
    const served = await client.list(Widget, { limit: 1 }).then(
      () => true,
      () => false,
    )
    if (served) return
    if (tries > 300) throw new Error('Widgets were not served within 30 s')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/**
 * Makes `to` Widgets, from the one of number `from` on. A real server's are written to etcd as that server would have stored them: over
 * its API a hundred thousand would take longer than all that is measured. Ours takes them over its API.
 */
export async function seed(
  client: Client,
  from: number,
  to: number,
  etcd: string | undefined,
): Promise<void> {
  if (from === 0) await client.create(Widget, widget(0))
  if (!etcd) return inParallel(Math.max(from, 1), to, 32, (at) => client.create(Widget, widget(at)))
  const first = await client.get(Widget, { namespace: SEEDED, name: nameOf(0) })
  const { resourceVersion: _, ...metadata } = first.metadata
  const stored = (at: number): object => ({
    ...first,
    metadata: { ...metadata, name: nameOf(at), uid: uidOf(at) },
    spec: { ...first.spec, text: text(at) },
  })
  const batches = Array.from(
    { length: Math.ceil((to - from) / BATCH) },
    (_, at) => from + at * BATCH,
  )
  for (const start of batches)
    await putAll(etcd, range(Math.max(start, 1), Math.min(start + BATCH, to)), stored)
}

/** Waits until a server shows all that was seeded: it hears of what came to etcd a moment later, and whoever asks first should not pay for it. */
export async function served(client: Client, size: number): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    let found = 0
    for await (const _ of client.listAll(Widget, { resourceVersion: '0' })) found++
    if (found === size) return
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  throw new Error(`the server did not show ${size} Widgets`)
}

/** What etcd takes in one transaction. */
const BATCH = 120

const widget = (at: number) => ({
  metadata: { name: nameOf(at), namespace: SEEDED, labels: { app: 'bench' } },
  spec: { replicas: at, text: text(at) },
})

const uidOf = (at: number): string => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at)

async function putAll(
  etcd: string,
  numbers: readonly number[],
  stored: (at: number) => object,
): Promise<void> {
  const base64 = (it: string): string => Buffer.from(it).toString('base64')
  const success = numbers.map((at) => ({
    requestPut: {
      key: base64(`/registry/bench.kubewright.dev/widgets/${SEEDED}/${nameOf(at)}`),
      value: base64(JSON.stringify(stored(at))),
    },
  }))
  const response = await fetch(`${etcd}/v3/kv/txn`, {
    method: 'POST',
    body: JSON.stringify({ success }),
  })
  if (!response.ok) throw new Error(`etcd answered ${response.status}: ${await response.text()}`)
  await response.body?.cancel()
}

/** Does something for each number, so many at once. */
export async function inParallel(
  from: number,
  to: number,
  width: number,
  task: (at: number) => Promise<unknown>,
): Promise<void> {
  let next = from
  const lane = async (): Promise<void> => {
    while (next < to) await task(next++)
  }
  await Promise.all(Array.from({ length: width }, lane))
}
