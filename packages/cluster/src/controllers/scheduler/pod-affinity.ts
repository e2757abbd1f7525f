import type { Pod, PodAffinityTerm } from 'kubewright/kinds/core/v1'
import { selectorOf } from 'kubewright/machinery'
import { type Filter, misfit, type World } from './filter.ts'

/** A required term of a pod's affinity to other pods. */
interface Term {
  readonly topologyKey: string
  readonly matches: (other: Pod) => boolean
}

const namespaceOf = (pod: Pod): string => pod.metadata.namespace ?? ''

function termOf(owner: Pod, term: PodAffinityTerm, world: World): Term {
  const selects = selectorOf(term.labelSelector)
  const places = selectorOf(term.namespaceSelector)
  const own = !term.namespaces?.length && !term.namespaceSelector
  const namespaces = own ? [namespaceOf(owner)] : (term.namespaces ?? [])
  const isThere = (namespace: string): boolean =>
    namespaces.includes(namespace) || places.matches(world.namespaceLabels?.(namespace) ?? {})
  const ownLabels = owner.metadata.labels ?? {}
  const alike = (term.matchLabelKeys ?? []).filter((key) => key in ownLabels)
  const unlike = (term.mismatchLabelKeys ?? []).filter((key) => key in ownLabels)
  return {
    topologyKey: term.topologyKey,
    matches: (other) => {
      const labels = other.metadata.labels ?? {}
      return (
        selects.matches(labels) &&
        isThere(namespaceOf(other)) &&
        alike.every((key) => labels[key] === ownLabels[key]) &&
        unlike.every((key) => labels[key] !== ownLabels[key])
      )
    },
  }
}

type Which = 'podAffinity' | 'podAntiAffinity'

const requiredTerms = (pod: Pod, which: Which): readonly PodAffinityTerm[] =>
  pod.spec.affinity?.[which]?.requiredDuringSchedulingIgnoredDuringExecution ?? []

/** Whether where other pods run matters to a pod. */
export const mindsOthers = (pod: Pod): boolean =>
  requiredTerms(pod, 'podAffinity').length > 0 || requiredTerms(pod, 'podAntiAffinity').length > 0

/** The parts of the cluster, as `key=value` of a node's labels, in which a term finds a pod. */
function placesOf(term: Term, world: World): ReadonlySet<string> {
  const found = new Set<string>()
  for (const { node, pods } of world.nodes) {
    const value = node.metadata.labels?.[term.topologyKey]
    if (value !== undefined && pods.some(term.matches)) found.add(value)
  }
  return found
}

/** Pods that ask for the company of others, or not to have it (kubernetes/pkg/scheduler interpodaffinity). */
export function podAffinityFilter(pod: Pod, world: World): Filter | undefined {
  const termsOf = (which: Which): readonly Term[] =>
    requiredTerms(pod, which).map((it) => termOf(pod, it, world))
  const [wanted, unwanted] = [termsOf('podAffinity'), termsOf('podAntiAffinity')]
  const closed = closedPlaces(pod, world)
  if (wanted.length === 0 && unwanted.length === 0 && closed.length === 0) return undefined
  const company = wanted.map((it) => [it.topologyKey, placesOf(it, world)] as const)
  const foes = unwanted.map((it) => [it.topologyKey, placesOf(it, world)] as const)
  // The first of pods that want to be together has nobody to go to.
  const isFirst =
    company.every(([, places]) => places.size === 0) && wanted.every((it) => it.matches(pod))
  return (_, { node: { metadata } }) => {
    const labels = metadata.labels ?? {}
    const isIn = ([key, places]: readonly [string, ReadonlySet<string>]): boolean =>
      key in labels && places.has(labels[key]!)
    const hasKeys = wanted.every((it) => it.topologyKey in labels)
    if (!hasKeys || (!isFirst && !company.every(isIn))) {
      return misfit(true, "node(s) didn't match pod affinity rules")
    }
    if (foes.some(isIn)) return misfit(false, "node(s) didn't match pod anti-affinity rules")
    return closed.some(([key, value]) => labels[key] === value)
      ? misfit(false, "node(s) didn't satisfy existing pods anti-affinity rules")
      : undefined
  }
}

/** The parts of the cluster whose pods do not want this one near them. */
function closedPlaces(pod: Pod, world: World): readonly (readonly [string, string])[] {
  const closed: (readonly [string, string])[] = []
  for (const { node, pods } of world.nodes) {
    for (const other of pods) {
      for (const it of requiredTerms(other, 'podAntiAffinity')) {
        const value = node.metadata.labels?.[it.topologyKey]
        if (value === undefined || !termOf(other, it, world).matches(pod)) continue
        closed.push([it.topologyKey, value])
      }
    }
  }
  return closed
}
