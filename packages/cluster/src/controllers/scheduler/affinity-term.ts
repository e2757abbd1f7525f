import type { Pod, PodAffinityTerm } from 'kubewright/kinds/core/v1'
import { selectorOf } from 'kubewright/machinery'

/** A term of a pod's affinity to other pods, or against them. */
export interface AffinityTerm {
  readonly topologyKey: string
  /** Of a preferred term; 0 of a required one. */
  readonly weight: number
  /** Whether it means a pod, whose namespace has these labels. */
  readonly matches: (other: Pod, namespaceLabels: Labels | undefined) => boolean
}

type Labels = Readonly<Record<string, string>>

const has = (pod: Pod, key: string): boolean => pod.metadata.labels?.[key] !== undefined
const sameLabel = (a: Pod, b: Pod, key: string): boolean =>
  a.metadata.labels?.[key] === b.metadata.labels?.[key]

/** Makes the {@link AffinityTerm} of a pod (kube-scheduler/framework newAffinityTerm). */
export function affinityTerm(owner: Pod, term: PodAffinityTerm, weight: number = 0): AffinityTerm {
  const selects = selectorOf(term.labelSelector)
  const places = selectorOf(term.namespaceSelector)
  const own = !term.namespaces?.length && !term.namespaceSelector
  const namespaces = new Set(own ? [owner.metadata.namespace] : term.namespaces)
  const alike = (term.matchLabelKeys ?? []).filter((key) => has(owner, key))
  const unlike = (term.mismatchLabelKeys ?? []).filter((key) => has(owner, key))
  return {
    topologyKey: term.topologyKey,
    weight,
    matches: (other, labels) =>
      (namespaces.has(other.metadata.namespace) || places.matches(labels ?? {})) &&
      selects.matches(other.metadata.labels ?? {}) &&
      alike.every((key) => sameLabel(owner, other, key)) &&
      unlike.every((key) => !sameLabel(owner, other, key)),
  }
}
