import type { Pod, TopologySpreadConstraint } from 'kubewright/kinds/core/v1'
import { type LabelSelector, selectorOf } from 'kubewright/machinery'
import { matchesNodeAffinity } from '../node-affinity.ts'
import type { NodeInfo } from '../node-info.ts'
import type { PodInfo } from '../pod-info.ts'
import { type Plugin, type PodFilter, refusal } from '../plugin.ts'
import { untoleratedTaint } from '../taints.ts'
import type { World } from '../world.ts'
import { siblingsOf } from './siblings.ts'

const NAME = 'PodTopologySpread'
const UNEVEN = "node(s) didn't match pod topology spread constraints"
const TOO_UNEVEN = refusal(NAME, false, UNEVEN)
const NOWHERE = refusal(NAME, true, `${UNEVEN} (missing required label)`)
const HOSTNAME = 'kubernetes.io/hostname'

/** A constraint, and which pods count for it. */
interface Constraint {
  readonly key: string
  readonly maxSkew: number
  readonly minDomains: number
  readonly counts: (pod: Pod) => boolean
  /** What its pods have in common, so that nodes keep their counts. */
  readonly text: string
  readonly isCounted: (node: NodeInfo) => boolean
}

function constraintOf(
  pod: Pod,
  it: TopologySpreadConstraint,
  selector: LabelSelector = selectorOf(it.labelSelector),
): Constraint {
  const own = pod.metadata.labels ?? {}
  const alike = (it.matchLabelKeys ?? []).filter((key) => key in own)
  const { nodeAffinityPolicy = 'Honor', nodeTaintsPolicy = 'Ignore' } = it
  return {
    key: it.topologyKey,
    maxSkew: it.maxSkew,
    minDomains: it.minDomains ?? 1,
    counts: ({ metadata: { labels = {} } }) =>
      selector.matches(labels) && alike.every((key) => labels[key] === own[key]),
    text: JSON.stringify([
      pod.metadata.namespace,
      selector.text,
      ...alike.map((key) => [key, own[key]]),
    ]),
    isCounted: ({ node }) =>
      (nodeAffinityPolicy === 'Ignore' || matchesNodeAffinity(node, pod.spec)) &&
      (nodeTaintsPolicy === 'Ignore' || !untoleratedTaint(node.spec?.taints, pod.spec.tolerations)),
  }
}

const constraintsOf = (pod: Pod, action: string): readonly Constraint[] =>
  (pod.spec.topologySpreadConstraints ?? [])
    .filter((it) => it.whenUnsatisfiable === action)
    .map((it) => constraintOf(pod, it))

/** How many of a node's pods count for a constraint. */
const countOn = (node: NodeInfo, { text, counts }: Constraint, namespace: string | undefined) =>
  node.countPods(
    text,
    ({ pod }) =>
      pod.metadata.namespace === namespace &&
      pod.metadata.deletionTimestamp === undefined &&
      counts(pod),
  )

const hasKeys = (node: NodeInfo, constraints: readonly Constraint[]): boolean =>
  constraints.every((it) => node.labels[it.key] !== undefined)

/** How many pods count for a constraint in each part of the cluster. */
class Spread {
  readonly constraint: Constraint
  readonly #counts = new Map<string, number>()
  #fewest: number | undefined

  constructor(constraint: Constraint) {
    this.constraint = constraint
  }

  add(node: NodeInfo, amount: number): void {
    if (!this.constraint.isCounted(node)) return
    const value = node.labels[this.constraint.key]!
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + amount)
    this.#fewest = undefined
  }

  /** How much fuller a node's part is than the emptiest; parts that are not there yet count as empty ones. */
  skew(node: NodeInfo): number {
    const { key, minDomains } = this.constraint
    this.#fewest ??= Math.min(...this.#counts.values())
    const fewest = this.#counts.size < minDomains ? 0 : this.#fewest
    return (this.#counts.get(node.labels[key]!) ?? 0) - fewest
  }
}

function filter({ pod }: PodInfo, world: World): PodFilter | undefined {
  const constraints = constraintsOf(pod, 'DoNotSchedule')
  if (constraints.length === 0) return undefined
  const { namespace } = pod.metadata
  const spreads = constraints.map((it) => new Spread(it))
  for (const node of world.nodes)
    if (hasKeys(node, constraints))
      for (const it of spreads) it.add(node, countOn(node, it.constraint, namespace))
  const change = (by: 1 | -1) => (other: PodInfo, node: NodeInfo) => {
    if (other.pod.metadata.namespace !== namespace || !hasKeys(node, constraints)) return
    for (const it of spreads) if (it.constraint.counts(other.pod)) it.add(node, by)
  }
  return {
    refuses: (node) => {
      for (const it of spreads) {
        const { key, counts, maxSkew } = it.constraint
        if (node.labels[key] === undefined) return NOWHERE
        if (it.skew(node) + (counts(pod) ? 1 : 0) > maxSkew) return TOO_UNEVEN
      }
      return undefined
    },
    added: change(1),
    removed: change(-1),
  }
}

/** What pods of services and controllers are spread by where they say nothing themselves (podtopologyspread systemDefaultConstraints). */
const DEFAULTS: readonly TopologySpreadConstraint[] = [
  { topologyKey: HOSTNAME, maxSkew: 3, whenUnsatisfiable: 'ScheduleAnyway' },
  { topologyKey: 'topology.kubernetes.io/zone', maxSkew: 5, whenUnsatisfiable: 'ScheduleAnyway' },
]

function softConstraints(pod: Pod, world: World): readonly Constraint[] {
  if (pod.spec.topologySpreadConstraints?.length) return constraintsOf(pod, 'ScheduleAnyway')
  const siblings = siblingsOf(pod, world.lookup)
  return siblings ? DEFAULTS.map((it) => constraintOf(pod, it, siblings)) : []
}

function score(
  { pod }: PodInfo,
  world: World,
  nodes: readonly NodeInfo[],
): readonly number[] | undefined {
  const constraints = softConstraints(pod, world)
  if (constraints.length === 0) return undefined
  const { namespace } = pod.metadata
  // Defaults are for clusters with and without zones: there a label may be missing.
  const strict = (pod.spec.topologySpreadConstraints?.length ?? 0) > 0
  const isIgnored = (it: NodeInfo): boolean => strict && !hasKeys(it, constraints)
  const counted = nodes.filter((it) => !isIgnored(it))
  const parts = constraints.map((it) => (it.key === HOSTNAME ? undefined : partsOf(it, counted)))
  for (const node of parts.some((it) => it) ? world.nodes : []) {
    if (isIgnored(node)) continue
    for (const [index, it] of constraints.entries()) {
      const value = node.labels[it.key] ?? ''
      const before = parts[index]?.get(value)
      if (before === undefined || !it.isCounted(node)) continue
      parts[index]!.set(value, before + countOn(node, it, namespace))
    }
  }
  const weights = parts.map((it) => Math.log((it?.size ?? counted.length) + 2))
  const crowd = (node: NodeInfo): number => {
    let sum = 0
    for (const [index, it] of constraints.entries()) {
      const value = node.labels[it.key]
      if (value === undefined) continue
      const count = parts[index]?.get(value) ?? countOn(node, it, namespace)
      sum += count * weights[index]! + it.maxSkew - 1
    }
    return Math.round(sum)
  }
  return turned(nodes.map((it) => (isIgnored(it) ? undefined : crowd(it))))
}

const partsOf = ({ key }: Constraint, nodes: readonly NodeInfo[]): Map<string, number> =>
  new Map(nodes.map((it) => [it.labels[key] ?? '', 0]))

/** Makes the lowest count the best score; nodes without the labels get none. */
function turned(crowds: readonly (number | undefined)[]): readonly number[] {
  const known = crowds.filter((it) => it !== undefined)
  const [least, most] = [Math.min(...known), Math.max(0, ...known)]
  return crowds.map((it) => {
    if (it === undefined) return 0
    return most === 0 ? 100 : Math.trunc((100 * (most + least - it)) / most)
  })
}

/** Keeps pods evenly spread over the parts of a cluster (plugins/podtopologyspread). */
export const topologySpread: Plugin = {
  name: NAME,
  weight: 2,
  filter,
  score,
  mayHelp: (it) => it.kind === 'Pod' || it.kind === 'Node',
}
