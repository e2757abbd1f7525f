import type { Node, Pod } from 'kubewright/kinds/core/v1'

/** A node and what runs on it: pods that have ended hold nothing and are not among them. */
export interface NodeInfo {
  readonly node: Node
  readonly pods: readonly Pod[]
}

/** Why a pod does not fit on a node, in the scheduler's words. `hopeless`: not even the removal of other pods would help. */
export interface Misfit {
  readonly reasons: readonly string[]
  readonly hopeless: boolean
}

/** Says why a pod does not fit on a node, or undefined. */
export type Filter = (pod: Pod, info: NodeInfo) => Misfit | undefined

/** All nodes, for what depends on pods elsewhere. */
export interface World {
  readonly nodes: readonly NodeInfo[]
  readonly namespaceLabels?: (namespace: string) => Readonly<Record<string, string>> | undefined
}

export const misfit = (hopeless: boolean, ...reasons: readonly string[]): Misfit => ({
  reasons,
  hopeless,
})
