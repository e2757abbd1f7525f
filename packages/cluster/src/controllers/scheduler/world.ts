import type { Node, Pod } from 'kubewright/kinds/core/v1'
import { claimKeys } from '../volume/protection.ts'
import { isPodTerminal } from '../workload/pod.ts'
import type { Lookup } from './lookup.ts'
import { NodeInfo } from './node-info.ts'
import { PodInfo } from './pod-info.ts'

type Labels = Readonly<Record<string, string>>

/**
 * The cluster as the scheduler sees it: nodes with their pods, those too that it has placed and nobody has seen there yet. Kept up by
 * single changes (kubernetes/pkg/scheduler/backend/cache).
 */
export class World {
  readonly lookup: Lookup
  readonly #nodes = new Map<string, NodeInfo>()
  /** Where each pod is, by uid. */
  readonly #places = new Map<string, NodeInfo>()
  readonly #assumed = new Set<string>()
  /** Pods that wait for room on a node that was promised to them, by its name and their uid. */
  readonly #nominated = new Map<string, Map<string, PodInfo>>()
  readonly #claimUsers = new Map<string, number>()
  readonly #imageNodes = new Map<string, number>()
  readonly withAffinity: Set<NodeInfo> = new Set()
  readonly withRequiredAnti: Set<NodeInfo> = new Set()
  #ordered: readonly NodeInfo[] | undefined

  constructor(lookup: Lookup) {
    this.lookup = lookup
  }

  /** The nodes that are there, those of one zone never all in a row (node_tree.go). */
  get nodes(): readonly NodeInfo[] {
    return (this.#ordered ??= interleaved([...this.#nodes.values()].filter((it) => it.isThere)))
  }

  node(name: string): NodeInfo | undefined {
    const found = this.#nodes.get(name)
    return found?.isThere ? found : undefined
  }

  setNode(node: Node): void {
    const info = this.#entry(node.metadata.name!)
    if (info.isThere) this.#countImages(info.node, -1)
    if (!info.isThere || zoneOf(info.node) !== zoneOf(node)) this.#ordered = undefined
    info.node = node
    this.#countImages(node, 1)
  }

  removeNode(name: string): void {
    const info = this.node(name)
    if (!info) return
    this.#countImages(info.node, -1)
    info.node = undefined
    this.#ordered = undefined
    this.#tidy(info)
  }

  /** Takes in what became of a pod that has a node: one that has ended is gone. */
  setPod(pod: Pod): void {
    const { uid } = pod.metadata
    this.removePod(uid!)
    if (isPodTerminal(pod) || !pod.spec.nodeName) return
    this.#place(new PodInfo(pod), pod.spec.nodeName)
  }

  removePod(uid: string): void {
    this.#assumed.delete(uid)
    this.#take(uid)
  }

  /** Counts a pod as placed before anybody knows. */
  assume(pod: PodInfo, node: string): void {
    this.#assumed.add(pod.uid)
    this.#place(pod, node)
  }

  /** Undoes {@link assume}, unless the pod has been seen where it was put. */
  forget(uid: string): void {
    if (this.#assumed.has(uid)) this.removePod(uid)
  }

  isAssumed(uid: string): boolean {
    return this.#assumed.has(uid)
  }

  isPlaced(uid: string): boolean {
    return this.#places.has(uid)
  }

  /** Whether some pod with a node uses a claim, by its `namespace/name`. */
  isClaimUsed(key: string): boolean {
    return this.#claimUsers.has(key)
  }

  /** How many nodes have an image, by its full name. */
  nodesWithImage(name: string): number {
    return this.#imageNodes.get(name) ?? 0
  }

  /** Promises room on a node to a pod; without a node, nothing is promised any more. */
  nominate(pod: PodInfo, node: string | undefined): void {
    for (const [name, pods] of this.#nominated)
      if (pods.delete(pod.uid) && pods.size === 0) this.#nominated.delete(name)
    if (!node) return
    const pods = this.#nominated.get(node) ?? new Map<string, PodInfo>()
    this.#nominated.set(node, pods.set(pod.uid, pod))
  }

  nominatedTo(node: string): readonly PodInfo[] {
    const pods = this.#nominated.get(node)
    return pods ? [...pods.values()] : NOBODY
  }

  namespaceLabels(name: string | undefined): Labels | undefined {
    return this.lookup.namespace(name ?? '')?.metadata.labels
  }

  /** Puts a pod on a node for a look at what would be; end it by {@link takeOff}. Lists of nodes by affinity are kept right. */
  putOn(info: NodeInfo, pod: PodInfo): void {
    info.add(pod)
    this.#file(info)
  }

  takeOff(info: NodeInfo, pod: PodInfo): void {
    info.remove(pod.uid)
    this.#file(info)
  }

  #entry(name: string): NodeInfo {
    let info = this.#nodes.get(name)
    if (!info) this.#nodes.set(name, (info = new NodeInfo(name)))
    return info
  }

  #place(pod: PodInfo, node: string): void {
    this.#take(pod.uid)
    const info = this.#entry(node)
    this.#places.set(pod.uid, info)
    this.putOn(info, pod)
    for (const key of claimKeys(pod.pod))
      this.#claimUsers.set(key, (this.#claimUsers.get(key) ?? 0) + 1)
  }

  #take(uid: string): void {
    const info = this.#places.get(uid)
    const pod = info?.remove(uid)
    if (!info || !pod) return
    this.#places.delete(uid)
    this.#file(info)
    for (const key of claimKeys(pod.pod)) {
      const left = this.#claimUsers.get(key)! - 1
      if (left > 0) this.#claimUsers.set(key, left)
      else this.#claimUsers.delete(key)
    }
    this.#tidy(info)
  }

  #file(info: NodeInfo): void {
    const keep = (set: Set<NodeInfo>, pods: ReadonlySet<PodInfo>): unknown =>
      pods.size > 0 ? set.add(info) : set.delete(info)
    keep(this.withAffinity, info.withAffinity)
    keep(this.withRequiredAnti, info.withRequiredAnti)
  }

  #tidy(info: NodeInfo): void {
    if (!info.isThere && info.podCount === 0) this.#nodes.delete(info.name)
  }

  #countImages(node: Node, by: 1 | -1): void {
    for (const name of imagesOf(node).keys())
      this.#imageNodes.set(name, (this.#imageNodes.get(name) ?? 0) + by)
  }
}

const NOBODY: readonly PodInfo[] = Object.freeze([])

/** The sizes of a node's images by each of their names. */
export function imagesOf(node: Node): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>()
  for (const { names, sizeBytes = 0 } of node.status?.images ?? [])
    for (const name of names ?? []) sizes.set(name, Number(sizeBytes))
  return sizes
}

function zoneOf({ metadata: { labels = {} } }: Node): string {
  const region = labels['topology.kubernetes.io/region'] ?? ''
  return `${region}/${labels['topology.kubernetes.io/zone'] ?? ''}`
}

/** One node of each zone in turn; zones and nodes by name. */
function interleaved(nodes: readonly NodeInfo[]): readonly NodeInfo[] {
  const byName = nodes.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const zones = [...Map.groupBy(byName, (it) => zoneOf(it.node))]
  if (zones.length === 1) return byName
  const queues = zones.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, members]) => members)
  const rounds = Math.max(0, ...queues.map((it) => it.length))
  return Array.from({ length: rounds }, (_, round) =>
    queues.map((it) => it[round]).filter((it) => it !== undefined),
  ).flat()
}
