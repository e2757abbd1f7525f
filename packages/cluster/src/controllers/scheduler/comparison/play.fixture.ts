import { systemClock } from 'kubewright/base'
import type { Client } from 'kubewright/client'
import { Namespace, PersistentVolume, Pod, ServiceAccount } from 'kubewright/kinds/core/v1'
import { Event } from 'kubewright/kinds/events.k8s.io/v1'
import { PriorityClass } from 'kubewright/kinds/scheduling.k8s.io/v1'
import { CSIDriver, CSINode, StorageClass } from 'kubewright/kinds/storage.k8s.io/v1'
import { findCondition, isAlreadyExists, isNotFound, type Kind } from 'kubewright/machinery'
import { NODES, type Scenario, type Step } from './scenarios.fixture.ts'

/** What a scheduler did with the pods of a scenario, one line each. */
export type Answers = readonly string[]

const PATIENCE = 10_000
const CLUSTER_WIDE: readonly Kind[] = [
  PersistentVolume,
  StorageClass,
  CSIDriver,
  CSINode,
  PriorityClass,
]

/** Plays scenarios against a server that a scheduler alone works on, and tells what came of them. */
export class Player {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  async prepare(): Promise<void> {
    for (const it of NODES) await this.#do(it, 'default')
  }

  async play({ name, steps }: Scenario): Promise<Answers> {
    const namespace = `s-${name.replaceAll(' ', '-')}`
    await this.#client.create(Namespace, { metadata: { name: namespace } })
    await this.#client.create(ServiceAccount, { metadata: { name: 'default', namespace } })
    const answers: string[] = []
    for (const step of steps) {
      const answer = await this.#do(step, namespace)
      if (answer !== undefined) answers.push(answer)
    }
    answers.push(...(await this.#preempted(namespace)))
    await this.#clean(namespace)
    return answers
  }

  async #do(step: Step, namespace: string): Promise<string | undefined> {
    const client = this.#client
    const keyOf = ({ kind, name }: { readonly kind: Kind; readonly name: string }) =>
      kind.scope === 'Namespaced' ? { namespace, name } : { name }
    switch (step.do) {
      case 'create': {
        const { metadata, ...rest } = step.object as { readonly metadata: object }
        const at = step.kind.scope === 'Namespaced' ? { namespace } : {}
        try {
          await client.create(step.kind, { metadata: { ...metadata, ...at }, ...rest } as never)
        } catch (error) {
          if (!isAlreadyExists(error)) throw error
        }
        return undefined
      }
      case 'status': {
        const patch = { type: 'merge', body: { status: step.status } } as const
        await client.patch(step.kind, keyOf(step), patch, { subresource: 'status' })
        return undefined
      }
      case 'patch':
        await client.patch(step.kind, keyOf(step), { type: 'merge', body: step.body })
        return undefined
      case 'delete':
        await client.delete(step.kind, keyOf(step), { gracePeriodSeconds: 0 })
        return undefined
      case 'ask':
        return this.#ask(namespace, step.pod, step.until)
    }
  }

  async #ask(namespace: string, name: string, until: string | undefined): Promise<string> {
    const key = { namespace, name }
    const end = systemClock.now() + PATIENCE
    for (;;) {
      const pod = await this.#client.get(Pod, key)
      const answer = told(pod, until)
      if (answer !== undefined) return `${name}: ${answer}`
      if (systemClock.now() > end) return `${name}: (nothing)`
      await systemClock.sleep(1)
    }
  }

  async #preempted(namespace: string): Promise<Answers> {
    const events = await this.#client.list(Event, { namespace })
    return events.items
      .filter((it) => it.reason === 'Preempted')
      .map((it) => `${it.regarding?.name}: ${it.reason}`)
      .sort()
  }

  async #clean(namespace: string): Promise<void> {
    const now = { gracePeriodSeconds: 0 } as const
    for (const pod of (await this.#client.list(Pod, { namespace })).items)
      await this.#client.delete(Pod, { namespace, name: pod.metadata.name! }, now)
    for (const kind of CLUSTER_WIDE)
      for (const it of (await this.#client.list(kind)).items) {
        if (it.metadata.name!.startsWith('system-')) continue
        const body = { metadata: { finalizers: null } }
        try {
          await this.#client.patch(kind, it.metadata.name!, { type: 'merge', body })
          await this.#client.delete(kind, it.metadata.name!, now)
        } catch (error) {
          if (!isNotFound(error)) throw error
        }
      }
  }
}

/** What is known of a pod: where it is, or why it is nowhere. */
function told(pod: Pod, until: string | undefined): string | undefined {
  if (pod.spec.nodeName) return until === 'refused' ? undefined : `on ${pod.spec.nodeName}`
  if (until === 'placed') return undefined
  const condition = findCondition(pod.status?.conditions, 'PodScheduled')
  if (condition?.status !== 'False') return undefined
  const promised = pod.status?.nominatedNodeName
  return `${condition.reason}: ${condition.message}${promised ? ` (${promised} promised)` : ''}`
}
