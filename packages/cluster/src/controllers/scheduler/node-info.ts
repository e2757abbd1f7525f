import type { Node } from 'kubewright/kinds/core/v1'
import type { PodInfo } from './pod-info.ts'
import { type Amounts, allocatable } from './resources.ts'

const NOTHING: Amounts = Object.freeze({})

/**
 * A node and what runs on it, with sums kept as pods come and go: nothing about it is linear in its pods. Pods that have ended hold
 * nothing and are not among them.
 */
export class NodeInfo {
  readonly name: string
  #node: Node | undefined
  #allocatable: Amounts = NOTHING
  readonly #pods = new Map<string, PodInfo>()
  readonly #requested: Record<string, number> = {}
  readonly #assumed: Record<string, number> = {}
  /** Goes up with every pod that comes or goes. */
  #generation = 0
  readonly #counts = new Map<string, { generation: number; count: number }>()
  readonly withAffinity: Set<PodInfo> = new Set()
  readonly withRequiredAnti: Set<PodInfo> = new Set()
  readonly withPorts: Set<PodInfo> = new Set()

  constructor(name: string) {
    this.name = name
  }

  /** The node as it is now. Throws for a name that pods carry and no node has. */
  get node(): Node {
    if (this.#node) return this.#node
    throw new Error(`there is no node ${this.name}: ask for what is in World.nodes`)
  }

  get isThere(): boolean {
    return this.#node !== undefined
  }

  set node(node: Node | undefined) {
    this.#node = node
    this.#allocatable = node ? allocatable(node) : NOTHING
  }

  get labels(): Readonly<Record<string, string>> {
    return this.node.metadata.labels ?? {}
  }

  get allocatable(): Amounts {
    return this.#allocatable
  }

  get pods(): Iterable<PodInfo> {
    return this.#pods.values()
  }

  get podCount(): number {
    return this.#pods.size
  }

  /** What its pods ask for together. */
  get requested(): Amounts {
    return this.#requested
  }

  /** What its pods are taken to use, those that say nothing too. */
  get assumed(): Amounts {
    return this.#assumed
  }

  has(uid: string): boolean {
    return this.#pods.has(uid)
  }

  add(pod: PodInfo): void {
    if (this.#pods.has(pod.uid)) return
    this.#pods.set(pod.uid, pod)
    this.#count(pod, 1)
    if (pod.hasAffinity) this.withAffinity.add(pod)
    if (pod.hasAffinity && pod.terms.requiredAnti.length > 0) this.withRequiredAnti.add(pod)
    if (pod.hostPorts.length > 0) this.withPorts.add(pod)
  }

  remove(uid: string): PodInfo | undefined {
    const pod = this.#pods.get(uid)
    if (!pod) return undefined
    this.#pods.delete(uid)
    this.#count(pod, -1)
    for (const set of [this.withAffinity, this.withRequiredAnti, this.withPorts]) set.delete(pod)
    return pod
  }

  /** How many of its pods something holds of. The answer is kept under `key` until a pod comes or goes. */
  countPods(key: string, holds: (pod: PodInfo) => boolean): number {
    const known = this.#counts.get(key)
    if (known?.generation === this.#generation) return known.count
    let count = 0
    for (const pod of this.#pods.values()) if (holds(pod)) count++
    if (this.#counts.size >= MOST_COUNTS) this.#counts.clear()
    this.#counts.set(key, { generation: this.#generation, count })
    return count
  }

  #count(pod: PodInfo, sign: 1 | -1): void {
    this.#generation++
    addTo(this.#requested, pod.requests, sign)
    addTo(this.#assumed, pod.assumedRequests, sign)
  }
}

/** Selectors whose counts a node keeps; one more, and it forgets them all. */
const MOST_COUNTS = 64

function addTo(sums: Record<string, number>, amounts: Amounts, sign: 1 | -1): void {
  for (const name of Object.keys(amounts)) sums[name] = (sums[name] ?? 0) + sign * amounts[name]!
}
