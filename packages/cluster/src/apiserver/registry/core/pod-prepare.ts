import type { UnknownObject } from 'kubewright/machinery'
import {
  ensureObject,
  has,
  itemsAt,
  keep,
  objectAt,
  same,
  textAt,
  textsAt,
  type Fields,
  type Readable,
} from '../fields.ts'
import type { Draft, StrategyContext } from '../strategy.ts'
import { keepMetadata } from '../generic/whole-and-status.ts'
import { nowText } from './now-text.ts'
import { qosClass } from './pod-resources.ts'
import { dropDisabledFields } from './pod-disabled.ts'
import { adoptAppArmor } from './profile-annotations.ts'

/** A new pod is Pending, whatever it says (kubernetes/pkg/registry/core/pod/strategy.go PrepareForCreate). */
export function preparePod(object: Draft, context: StrategyContext): void {
  const spec = ensureObject(object, 'spec')
  object.metadata.generation = 1
  const given = textAt(objectAt(object, 'status'), 'qosClass')
  const status: Fields = { phase: 'Pending', qosClass: given || qosClass(spec) }
  object['status'] = status
  dropDisabledFields(spec)
  if (itemsAt(spec, 'schedulingGates').length > 0) status['conditions'] = [gated(nowText(context))]
  selectByOwnLabels(object, spec)
  adoptAppArmor(object, context)
}

const gated = (now: string): Fields => ({
  type: 'PodScheduled',
  status: 'False',
  lastProbeTime: null,
  lastTransitionTime: now,
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
})

/** Keys named by `matchLabelKeys` select by the pod's own values (KEP-3633, KEP-3243). */
function selectByOwnLabels(object: Draft, spec: Readable): void {
  const labels = object.metadata.labels ?? {}
  for (const constraint of itemsAt(spec, 'topologySpreadConstraints')) {
    addOwnLabels(constraint, 'matchLabelKeys', 'In', labels)
  }
  const affinity = objectAt(spec, 'affinity')
  for (const which of ['podAffinity', 'podAntiAffinity']) {
    const rules = objectAt(affinity, which)
    const terms = [
      ...itemsAt(rules, 'preferredDuringSchedulingIgnoredDuringExecution').map((it) =>
        objectAt(it, 'podAffinityTerm'),
      ),
      ...itemsAt(rules, 'requiredDuringSchedulingIgnoredDuringExecution'),
    ]
    for (const term of terms) {
      if (term === undefined) continue
      addOwnLabels(term, 'matchLabelKeys', 'In', labels)
      addOwnLabels(term, 'mismatchLabelKeys', 'NotIn', labels)
    }
  }
}

function addOwnLabels(
  term: Fields,
  list: string,
  operator: string,
  labels: Readonly<Record<string, string>>,
): void {
  const selector = objectAt(term, 'labelSelector')
  if (selector === undefined) return
  const added = textsAt(term, list)
    .filter((key) => labels[key] !== undefined)
    .map((key) => ({ key, operator, values: [labels[key]!] }))
  if (added.length === 0) return
  selector['matchExpressions'] = [...itemsAt(selector, 'matchExpressions'), ...added]
}

/** An update of a pod keeps its status; what it may change of the spec is for validation to say. */
export function preparePodUpdate(object: Draft, old: UnknownObject): void {
  keep(object, old, 'status')
  dropDisabledFields(ensureObject(object, 'spec'), objectAt(old, 'spec'))
  countPodGeneration(object, old)
}

function countPodGeneration(object: Draft, old: UnknownObject): void {
  if (same(object['spec'], old['spec'])) return
  object.metadata.generation = (old.metadata.generation ?? 0) + 1
}

/** A write of the status keeps the class and the generations that it does not know. */
export function preparePodStatus(object: Draft, old: UnknownObject): void {
  keep(object, old, 'spec')
  delete object.metadata.deletionTimestamp
  keep(object.metadata as Fields, old.metadata as Readable, 'ownerReferences')
  const status = ensureObject(object, 'status')
  const before = objectAt(old, 'status') ?? {}
  if (!status['qosClass']) keep(status, before, 'qosClass')
  if (!status['observedGeneration']) keep(status, before, 'observedGeneration')
  keepConditionGenerations(status, before)
  dropDisabledStatus(status, before)
}

const CONTAINER_STATUSES = [
  'containerStatuses',
  'initContainerStatuses',
  'ephemeralContainerStatuses',
]

/** Features of nodes that v1.36 has off: what image a volume was, and devices that count as the node's own. */
function dropDisabledStatus(status: Fields, before: Readable): void {
  const mounts = (of: Readable): readonly Fields[] =>
    CONTAINER_STATUSES.flatMap((list) =>
      itemsAt(of, list).flatMap((it) => itemsAt(it, 'volumeMounts')),
    )
  if (!mounts(before).some((it) => has(it, 'volumeStatus'))) {
    for (const it of mounts(status)) delete it['volumeStatus']
  }
  const claims = 'nodeAllocatableResourceClaimStatuses'
  if (!has(before, claims)) delete status[claims]
}

function keepConditionGenerations(status: Readable, before: Readable): void {
  const left = [...itemsAt(before, 'conditions')]
  for (const condition of itemsAt(status, 'conditions')) {
    const i = left.findIndex((it) => textAt(it, 'type') === textAt(condition, 'type'))
    const [was] = i < 0 ? [] : left.splice(i, 1)
    if (was && !condition['observedGeneration']) keep(condition, was, 'observedGeneration')
  }
}

/** Only the ephemeral containers of the new object count. */
export function prepareEphemeralContainers(object: Draft, old: UnknownObject): void {
  const containers = objectAt(object, 'spec')?.['ephemeralContainers']
  const spec: Fields = { ...objectAt(old, 'spec') }
  if (containers === undefined) delete spec['ephemeralContainers']
  else spec['ephemeralContainers'] = containers
  object['spec'] = spec
  keep(object, old, 'status')
  keepMetadata(object.metadata as Fields, old.metadata as Readable)
  countPodGeneration(object, old)
}

/** Only resources and resize policies of the new object count (KEP-1287). */
export function prepareResize(object: Draft, old: UnknownObject): void {
  const asked = ensureObject(object, 'spec')
  const before = objectAt(old, 'spec') ?? {}
  if (sameNames(asked, before)) object['spec'] = resized(asked, before)
  keep(object, old, 'status')
  keepMetadata(object.metadata as Fields, old.metadata as Readable)
  countPodGeneration(object, old)
}

const LISTS = ['containers', 'initContainers'] as const

const sameNames = (a: Readable, b: Readable): boolean =>
  LISTS.every((list) =>
    same(
      itemsAt(a, list).map((it) => it['name']),
      itemsAt(b, list).map((it) => it['name']),
    ),
  )

function resized(asked: Readable, before: Readable): Fields {
  const spec: Fields = { ...before }
  keep(spec, asked, 'resources')
  for (const list of LISTS) {
    if (!has(before, list)) continue
    spec[list] = itemsAt(before, list).map((container, i) => {
      const next: Fields = { ...container }
      const wanted = itemsAt(asked, list)[i] ?? {}
      keep(next, wanted, 'resources')
      keep(next, wanted, 'resizePolicy')
      return next
    })
  }
  return spec
}
