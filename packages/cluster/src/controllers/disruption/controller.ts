import { controller, type ControllerDefinition, type KeyContext } from 'kubewright/controller'
import { ReplicaSet, StatefulSet } from 'kubewright/kinds/apps/v1'
import { Pod, ReplicationController } from 'kubewright/kinds/core/v1'
import { PodDisruptionBudget } from 'kubewright/kinds/policy/v1'
import {
  controllerOf,
  type LabelSelector,
  type OwnerReference,
  selectorOf,
} from 'kubewright/machinery'
import { Deployment } from 'kubewright/kinds/apps/v1'
import { sameMeaning, updateStatus } from '../workload/writes.ts'
import { budgetStatus, EVICTION_TIMEOUT } from './status.ts'

/** Counts for PodDisruptionBudgets how many pods may be evicted (kubernetes/pkg/controller/disruption). */
export function disruptionController(): ControllerDefinition {
  return controller(PodDisruptionBudget, { name: 'controllermanager', pace: false, resync: 0 })
    .watches(Pod, (pod, { lister }) =>
      lister(PodDisruptionBudget)
        .list({ namespace: pod.metadata.namespace })
        .filter((it) => selects(it).matches(pod.metadata.labels)),
    )
    .reads(ReplicaSet, StatefulSet, Deployment, ReplicationController)
    .reconcile(async (budget, context) => {
      const { lister, clock, event } = context
      const pods = lister(Pod)
        .list({ namespace: budget.metadata.namespace })
        .filter((it) => selects(budget).matches(it.metadata.labels))
      if (pods.length === 0) event('Normal', 'NoPods', 'No matching pods found')
      const expected = expectedPods(pods, context)
      const status = budgetStatus({ budget, pods, expected, now: clock.now() })
      if (!sameMeaning(budget.status, status)) {
        await updateStatus(context, PodDisruptionBudget, { ...budget, status })
      }
      return status.disruptedPods ? { requeueAfter: EVICTION_TIMEOUT } : undefined
    })
}

/** In policy/v1 an empty selector selects everything, an absent one nothing. */
function selects(budget: PodDisruptionBudget): LabelSelector {
  return selectorOf(budget.spec?.selector)
}

/** How many pods the controllers of some pods want together. */
function expectedPods(pods: readonly Pod[], context: KeyContext): number {
  const owners = new Map<string, OwnerReference>()
  for (const pod of pods) {
    const owner = controllerOf(pod)
    if (owner) owners.set(owner.uid, owner)
  }
  const namespace = pods[0]?.metadata.namespace ?? ''
  const scales = new Map<string, number>()
  for (const owner of owners.values()) {
    const { uid, scale } = scaleOf(owner, namespace, context)
    scales.set(uid, scale)
  }
  return [...scales.values()].reduce((sum, it) => sum + it, 0)
}

/** A ReplicaSet of a Deployment counts as the Deployment; a kind that cannot be asked counts nothing. */
function scaleOf(
  owner: OwnerReference,
  namespace: string,
  { lister }: KeyContext,
): { readonly uid: string; readonly scale: number } {
  const key = { namespace, name: owner.name }
  const found = ((): { readonly spec?: { readonly replicas?: number } } | undefined => {
    switch (owner.kind) {
      case 'ReplicaSet':
        return lister(ReplicaSet).get(key)
      case 'StatefulSet':
        return lister(StatefulSet).get(key)
      case 'ReplicationController':
        return lister(ReplicationController).get(key)
      default:
        return { spec: { replicas: 0 } }
    }
  })()
  const above = owner.kind === 'ReplicaSet' && found ? controllerOf(found as ReplicaSet) : undefined
  const deployment =
    above?.kind === 'Deployment'
      ? lister(Deployment).get({ namespace, name: above.name })
      : undefined
  if (above && deployment) return { uid: above.uid, scale: deployment.spec.replicas ?? 1 }
  return { uid: owner.uid, scale: found?.spec?.replicas ?? 1 }
}
