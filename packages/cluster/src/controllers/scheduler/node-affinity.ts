import type {
  Node,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodSpec,
} from 'kubewright/kinds/core/v1'

type Requirement = NodeSelectorRequirement

const integer = (text: string | undefined): number | undefined =>
  /^-?[0-9]+$/.test(text ?? '') ? Number(text) : undefined

function holds(requirement: Requirement, value: string | undefined): boolean {
  const values = requirement.values ?? []
  switch (requirement.operator as string) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    case 'Gt':
    case 'Lt':
      return isBeyond(requirement.operator, integer(value), integer(values[0]))
    default:
      return false
  }
}

function isBeyond(operator: string, value: number | undefined, limit: number | undefined): boolean {
  if (value === undefined || limit === undefined) return false
  return operator === 'Gt' ? value > limit : value < limit
}

/** Whether a node matches a term: all its requirements on labels and fields; an empty term matches nothing. */
export function matchesTerm(node: Node, term: NodeSelectorTerm): boolean {
  const { matchExpressions = [], matchFields = [] } = term
  if (matchExpressions.length === 0 && matchFields.length === 0) return false
  return (
    matchExpressions.every((it) => holds(it, node.metadata.labels?.[it.key])) &&
    matchFields.every((it) => it.key === 'metadata.name' && holds(it, node.metadata.name))
  )
}

/** Whether a node has the labels that a pod selects, and matches one of its required affinity terms. */
export function matchesNodeAffinity(node: Node, spec: PodSpec | undefined): boolean {
  const labels = Object.entries(spec?.nodeSelector ?? {})
  if (labels.some(([key, value]) => node.metadata.labels?.[key] !== value)) return false
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  return !required || required.nodeSelectorTerms.some((it) => matchesTerm(node, it))
}

/** Whether a pod minds at all which node it gets. */
export function isNodeAffine({ nodeSelector, affinity }: PodSpec): boolean {
  return (
    Object.keys(nodeSelector ?? {}).length > 0 ||
    affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution !== undefined
  )
}

/**
 * The only nodes that a pod's required affinity can mean, where each of its terms names nodes, as those of a DaemonSet's pods do;
 * undefined where one does not.
 */
export function namedNodes({ affinity }: PodSpec): ReadonlySet<string> | undefined {
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  if (!required) return undefined
  const names = required.nodeSelectorTerms.map(namesOf)
  if (names.includes(undefined)) return undefined
  return new Set(names.flatMap((it) => [...(it ?? [])]))
}

function namesOf({ matchFields = [] }: NodeSelectorTerm): ReadonlySet<string> | undefined {
  return matchFields
    .filter((it) => it.key === 'metadata.name' && it.operator === 'In')
    .map((it) => new Set(it.values))
    .reduce<Set<string> | undefined>((all, it) => (all ? all.intersection(it) : it), undefined)
}
