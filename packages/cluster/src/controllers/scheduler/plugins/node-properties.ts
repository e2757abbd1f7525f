import type { Pod } from 'kubewright/kinds/core/v1'
import { isNodeAffine, matchesNodeAffinity, matchesTerm, namedNodes } from '../node-affinity.ts'
import type { NodeInfo } from '../node-info.ts'
import type { PodInfo } from '../pod-info.ts'
import { type Happening, normalized, type Plugin, refusal } from '../plugin.ts'
import { tolerates, untoleratedTaint } from '../taints.ts'

const CORDON = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' } as const

/** The node of a happening as it is now. */
const nodeOf = (it: Happening): Parameters<typeof matchesNodeAffinity>[0] | undefined =>
  it.kind === 'Node' ? it.now : undefined

const UNSCHEDULABLE = refusal('NodeUnschedulable', true, 'node(s) were unschedulable')

/** Keeps pods from cordoned nodes (plugins/nodeunschedulable). */
export const nodeUnschedulable: Plugin = {
  name: UNSCHEDULABLE.plugin,
  filter: ({ pod }) =>
    untoleratedTaint([CORDON], pod.spec.tolerations) && {
      refuses: ({ node }) => (node.spec?.unschedulable ? UNSCHEDULABLE : undefined),
    },
  mayHelp: (it) => nodeOf(it)?.spec?.unschedulable !== true && it.kind === 'Node',
}

const OTHER_NAME = refusal('NodeName', true, "node(s) didn't match the requested node name")

/** Honours a name that a pod brings along (plugins/nodename). */
export const nodeName: Plugin = {
  name: OTHER_NAME.plugin,
  filter: ({ pod }) =>
    pod.spec.nodeName
      ? { refuses: ({ name }) => (name === pod.spec.nodeName ? undefined : OTHER_NAME) }
      : undefined,
  mayHelp: (it) => it.kind === 'Node' && !it.old,
}

const TAINTED = refusal('TaintToleration', true, 'node(s) had untolerated taint(s)')

/** Keeps pods from nodes whose taints they do not tolerate, and prefers those with fewer soft ones (plugins/tainttoleration). */
export const taintToleration: Plugin = {
  name: TAINTED.plugin,
  weight: 3,
  filter: ({ pod }) => ({
    refuses: ({ node }) =>
      node.spec?.taints && untoleratedTaint(node.spec.taints, pod.spec.tolerations)
        ? TAINTED
        : undefined,
  }),
  score: ({ pod }, _, nodes) =>
    normalized(
      nodes.map((it) => unwelcome(pod, it)),
      true,
    ),
  mayHelp: (it, pod) => {
    const node = nodeOf(it)
    return node !== undefined && !untoleratedTaint(node.spec?.taints, pod.spec.tolerations)
  },
}

/** How many of a node's soft taints a pod does not tolerate. */
function unwelcome({ spec }: Pod, { node }: NodeInfo): number {
  const taints = (node.spec?.taints ?? []).filter((it) => it.effect === 'PreferNoSchedule')
  const tolerations = (spec.tolerations ?? []).filter(
    (it) => !it.effect || it.effect === 'PreferNoSchedule',
  )
  return taints.filter((taint) => !tolerations.some((it) => tolerates(it, taint))).length
}

const UNLIKE = refusal('NodeAffinity', true, "node(s) didn't match Pod's node affinity/selector")
const TORN = refusal('NodeAffinity', true, 'pod affinity terms conflict')

/** Keeps pods to the nodes that they select, and prefers those that they would rather have (plugins/nodeaffinity). */
export const nodeAffinity: Plugin = {
  name: UNLIKE.plugin,
  weight: 2,
  filter: ({ pod: { spec } }) => {
    if (!isNodeAffine(spec)) return undefined
    const only = namedNodes(spec)
    if (only?.size === 0) return TORN
    const refuses = ({ node }: NodeInfo): typeof UNLIKE | undefined =>
      matchesNodeAffinity(node, spec) ? undefined : UNLIKE
    return only ? { only, refuses } : { refuses }
  },
  score: (pod, _, nodes) => {
    const terms = preferredTerms(pod)
    if (terms.length === 0) return undefined
    const liking = ({ node }: NodeInfo): number =>
      terms.filter((it) => matchesTerm(node, it.preference)).reduce((sum, it) => sum + it.weight, 0)
    return normalized(nodes.map(liking))
  },
  mayHelp: (it, pod) => {
    const node = nodeOf(it)
    return node !== undefined && matchesNodeAffinity(node, pod.spec)
  },
}

const preferredTerms = ({ pod }: PodInfo) =>
  pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
