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
