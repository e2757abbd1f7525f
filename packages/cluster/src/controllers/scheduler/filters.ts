import type { NodeInfo } from './node-info.ts'
import type { PodInfo } from './pod-info.ts'
import { isRefusal, type Plugin, type PodFilter, type Refusal, refusal } from './plugin.ts'
import type { World } from './world.ts'

/** What all plugins together ask of the nodes for one pod. */
export class Filters {
  readonly #pod: PodInfo
  readonly #world: World
  readonly #filters: readonly PodFilter[]
  /** The only nodes that come into question; undefined: all. */
  readonly only: ReadonlySet<string> | undefined
  /** Which plugins limit the nodes to {@link only}. */
  readonly limiting: readonly string[]

  constructor(
    pod: PodInfo,
    world: World,
    found: readonly (readonly [plugin: string, filter: PodFilter])[],
  ) {
    this.#pod = pod
    this.#world = world
    this.#filters = found.map(([, it]) => it)
    const limits = found.filter(([, it]) => it.only !== undefined)
    this.limiting = limits.map(([name]) => name).sort()
    this.only = limits
      .map(([, it]) => it.only!)
      .reduce<ReadonlySet<string> | undefined>((all, it) => all?.intersection(it) ?? it, undefined)
  }

  /** Why the pod does not fit on a node; undefined when it does. */
  refusal(node: NodeInfo): Refusal | undefined {
    for (const it of this.#filters) {
      const found = it.refuses(node)
      if (found) return found
    }
    return undefined
  }

  /**
   * As {@link refusal}, with room kept for pods that are as important and were promised the node. It must do without them as well:
   * they may never come, and it may want them near.
   */
  refusalBesideNominated(node: NodeInfo): Refusal | undefined {
    const nominated = this.#world
      .nominatedTo(node.name)
      .filter((it) => it.priority >= this.#pod.priority && it.uid !== this.#pod.uid)
    if (nominated.length === 0) return this.refusal(node)
    for (const it of nominated) this.putOn(node, it)
    const found = this.refusal(node)
    for (const it of nominated) this.takeOff(node, it)
    return found ?? this.refusal(node)
  }

  /** Supposes a pod on a node; {@link takeOff} ends that. */
  putOn(node: NodeInfo, pod: PodInfo): void {
    this.#world.putOn(node, pod)
    for (const it of this.#filters) it.added?.(pod, node)
  }

  takeOff(node: NodeInfo, pod: PodInfo): void {
    this.#world.takeOff(node, pod)
    for (const it of this.#filters) it.removed?.(pod, node)
  }
}

/** Asks the plugins about a pod: their filters, or the first refusal of all nodes that is final (RunPreFilterPlugins). */
export function filtersFor(
  pod: PodInfo,
  world: World,
  plugins: readonly Plugin[],
): Filters | Refusal {
  const found: (readonly [string, PodFilter])[] = []
  for (const { name, filter } of plugins) {
    const answer = filter?.(pod, world)
    if (isRefusal(answer)) return answer
    if (answer) found.push([name, answer])
  }
  const filters = new Filters(pod, world, found)
  return filters.only?.size === 0 ? torn(filters.limiting) : filters
}

function torn(limiting: readonly string[]): Refusal {
  const why =
    limiting.length === 1
      ? `node(s) didn't satisfy plugin ${limiting[0]}`
      : `node(s) didn't satisfy plugin(s) [${limiting.join(' ')}] simultaneously`
  return refusal(limiting.join(' '), true, why)
}
