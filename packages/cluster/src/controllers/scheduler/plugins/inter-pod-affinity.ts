import type { Pod } from 'kubewright/kinds/core/v1'
import type { AffinityTerm } from '../affinity-term.ts'
import type { NodeInfo } from '../node-info.ts'
import type { PodInfo } from '../pod-info.ts'
import { type Plugin, type PodFilter, refusal } from '../plugin.ts'
import type { World } from '../world.ts'

const NAME = 'InterPodAffinity'
const ALONE = refusal(NAME, true, "node(s) didn't match pod affinity rules")
const CROWDED = refusal(NAME, false, "node(s) didn't match pod anti-affinity rules")
const UNWANTED = refusal(NAME, false, "node(s) didn't satisfy existing pods anti-affinity rules")

/** What a required term of a pod that runs counts for its like (InterPodAffinityArgs.hardPodAffinityWeight). */
const HARD_WEIGHT = 1

/** Numbers by a part of the cluster: a key of node labels and its value. */
class Places {
  readonly #byKey = new Map<string, Map<string, number>>()

  get isEmpty(): boolean {
    return this.#byKey.size === 0
  }

  add(key: string, { labels }: NodeInfo, amount: number): void {
    const value = labels[key]
    if (value === undefined) return
    const values = this.#byKey.get(key) ?? new Map<string, number>()
    const sum = (values.get(value) ?? 0) + amount
    if (sum === 0) values.delete(value)
    else values.set(value, sum)
    if (values.size === 0) this.#byKey.delete(key)
    else this.#byKey.set(key, values)
  }

  at(key: string, { labels }: NodeInfo): number {
    const value = labels[key]
    return value === undefined ? 0 : (this.#byKey.get(key)?.get(value) ?? 0)
  }

  /** The sum over every key that a node has. */
  total(node: NodeInfo): number {
    let sum = 0
    for (const key of this.#byKey.keys()) sum += this.at(key, node)
    return sum
  }

  someAt(node: NodeInfo): boolean {
    for (const key of this.#byKey.keys()) if (this.at(key, node) > 0) return true
    return false
  }
}

/** Where other pods are that a pod wants near, or far; and where those are that do not want it. */
class Company {
  readonly #self: PodInfo
  readonly #world: World
  readonly friends: Places = new Places()
  readonly foes: Places = new Places()
  readonly closed: Places = new Places()

  constructor(self: PodInfo, world: World) {
    this.#self = self
    this.#world = world
    const { required, requiredAnti } = self.terms
    for (const node of world.withRequiredAnti)
      if (node.isThere) for (const it of node.withRequiredAnti) this.#close(it, node, 1)
    if (required.length + requiredAnti.length === 0) return
    for (const node of world.nodes) for (const it of node.pods) this.#meet(it, node, 1)
  }

  count(pod: PodInfo, node: NodeInfo, by: 1 | -1): void {
    this.#close(pod, node, by)
    this.#meet(pod, node, by)
  }

  #close(pod: PodInfo, node: NodeInfo, by: number): void {
    const own = this.#self.pod
    const labels = this.#world.namespaceLabels(own.metadata.namespace)
    for (const it of pod.terms.requiredAnti)
      if (it.matches(own, labels)) this.closed.add(it.topologyKey, node, by)
  }

  #meet({ pod }: PodInfo, node: NodeInfo, by: number): void {
    const { required, requiredAnti } = this.#self.terms
    const labels = this.#world.namespaceLabels(pod.metadata.namespace)
    const means = (it: AffinityTerm): boolean => it.matches(pod, labels)
    if (required.length > 0 && required.every(means))
      for (const it of required) this.friends.add(it.topologyKey, node, by)
    for (const it of requiredAnti) if (means(it)) this.foes.add(it.topologyKey, node, by)
  }
}

function filter(pod: PodInfo, world: World): PodFilter | undefined {
  if (!pod.hasAffinity && world.withRequiredAnti.size === 0) return undefined
  const { required, requiredAnti } = pod.terms
  const company = new Company(pod, world)
  if (required.length + requiredAnti.length === 0 && company.closed.isEmpty) return undefined
  const labels = world.namespaceLabels(pod.pod.metadata.namespace)
  const likesItself = required.every((it) => it.matches(pod.pod, labels))
  return {
    refuses: (node) => {
      if (!required.every((it) => node.labels[it.topologyKey] !== undefined)) return ALONE
      const among = required.every((it) => company.friends.at(it.topologyKey, node) > 0)
      // The first of pods that want to be together has nobody to go to.
      if (!among && !(company.friends.isEmpty && likesItself)) return ALONE
      if (requiredAnti.some((it) => company.foes.at(it.topologyKey, node) > 0)) return CROWDED
      return company.closed.someAt(node) ? UNWANTED : undefined
    },
    added: (other, node) => company.count(other, node, 1),
    removed: (other, node) => company.count(other, node, -1),
  }
}

function score(
  pod: PodInfo,
  world: World,
  nodes: readonly NodeInfo[],
): readonly number[] | undefined {
  const { preferred, preferredAnti } = pod.terms
  const choosy = preferred.length + preferredAnti.length > 0
  if (!choosy && world.withAffinity.size === 0) return undefined
  const liked = new Places()
  const labels = world.namespaceLabels(pod.pod.metadata.namespace)
  const like = (terms: readonly AffinityTerm[], other: Pod, node: NodeInfo, sign: number): void => {
    const there = other === pod.pod ? labels : world.namespaceLabels(other.metadata.namespace)
    for (const it of terms)
      if (it.matches(other, there))
        liked.add(it.topologyKey, node, (it.weight || HARD_WEIGHT) * sign)
  }
  for (const node of choosy ? world.nodes : world.withAffinity) {
    if (!node.isThere) continue
    for (const other of choosy ? node.pods : node.withAffinity) {
      like(preferred, other.pod, node, 1)
      like(preferredAnti, other.pod, node, -1)
      like(other.terms.required, pod.pod, node, 1)
      like(other.terms.preferred, pod.pod, node, 1)
      like(other.terms.preferredAnti, pod.pod, node, -1)
    }
  }
  return liked.isEmpty ? undefined : stretched(nodes.map((it) => liked.total(it)))
}

/** Scales scores so that the lowest is 0 and the highest 100. */
function stretched(scores: readonly number[]): readonly number[] {
  const least = Math.min(...scores)
  const range = Math.max(...scores) - least
  return scores.map((it) => (range > 0 ? Math.trunc(100 * ((it - least) / range)) : 0))
}

/** Puts pods near others, or far from them (plugins/interpodaffinity). */
export const interPodAffinity: Plugin = {
  name: NAME,
  weight: 2,
  filter,
  score,
  mayHelp: (it) => it.kind === 'Pod' || it.kind === 'Node',
}
