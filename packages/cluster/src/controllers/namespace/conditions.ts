import type { Namespace, NamespaceStatus } from 'kubewright/kinds/core/v1'
import { timeText } from 'kubewright/machinery'

type Condition = NonNullable<NamespaceStatus['conditions']>[number]

/** What is left of a namespace that is being deleted. */
export interface Remains {
  /** How many objects are left, by resource (`configmaps.`, `deployments.apps`). */
  readonly byResource: ReadonlyMap<string, number>
  readonly byFinalizer: ReadonlyMap<string, number>
  readonly discoveryError: string | undefined
  readonly errors: readonly string[]
}

type Finding = readonly [reason: string, message: string] | undefined

interface Subject {
  readonly type: string
  readonly fine: readonly [reason: string, message: string]
  readonly find: (remains: Remains) => Finding
}

const listed = (
  counts: ReadonlyMap<string, number>,
  text: (it: string, count: number) => string,
): string =>
  [...counts]
    .map(([it, count]) => text(it, count))
    .sort()
    .join(', ')

const SUBJECTS: readonly Subject[] = [
  {
    type: 'NamespaceDeletionDiscoveryFailure',
    fine: ['ResourcesDiscovered', 'All resources successfully discovered'],
    find: (it) =>
      it.discoveryError === undefined ? undefined : ['DiscoveryFailed', it.discoveryError],
  },
  {
    type: 'NamespaceDeletionGroupVersionParsingFailure',
    fine: ['ParsedGroupVersions', 'All legacy kube types successfully parsed'],
    find: () => undefined,
  },
  {
    type: 'NamespaceDeletionContentFailure',
    fine: ['ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
    find: ({ errors }) =>
      errors.length === 0
        ? undefined
        : [
            'ContentDeletionFailed',
            `Failed to delete all resource types, ${errors.length} remaining: ${[...errors].sort().join(', ')}`,
          ],
  },
  {
    type: 'NamespaceContentRemaining',
    fine: ['ContentRemoved', 'All content successfully removed'],
    find: ({ byResource }) =>
      byResource.size === 0
        ? undefined
        : [
            'SomeResourcesRemain',
            `Some resources are remaining: ${listed(byResource, (it, count) => `${it} has ${count} resource instances`)}`,
          ],
  },
  {
    type: 'NamespaceFinalizersRemaining',
    fine: ['ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
    find: ({ byFinalizer }) =>
      byFinalizer.size === 0
        ? undefined
        : [
            'SomeFinalizersRemain',
            `Some content in the namespace has finalizers remaining: ${listed(byFinalizer, (it, count) => `${it} in ${count} resource instances`)}`,
          ],
  },
]

/** The conditions of a namespace that is being deleted (kubernetes/pkg/controller/namespace/deletion status_condition_utils.go). */
export function terminationConditions(
  namespace: Namespace,
  remains: Remains,
  now: number,
): readonly Condition[] {
  const current = namespace.status?.conditions ?? []
  const owned = SUBJECTS.map((it) => {
    const found = it.find(remains)
    const status = found ? 'True' : 'False'
    const before = current.find((one) => one.type === it.type)
    const [reason, message] = found ?? it.fine
    const since = before?.status === status ? before.lastTransitionTime : undefined
    return { type: it.type, status, lastTransitionTime: since ?? timeText(now), reason, message }
  })
  return [...current.filter((it) => !SUBJECTS.some((one) => one.type === it.type)), ...owned]
}

/** Whether conditions say something else than before. */
export function conditionsDiffer(
  a: readonly Condition[] | undefined,
  b: readonly Condition[],
): boolean {
  const text = (list: readonly Condition[]): string =>
    JSON.stringify(list.map((it) => [it.type, it.status, it.reason, it.message]))
  return text(a ?? []) !== text(b)
}
