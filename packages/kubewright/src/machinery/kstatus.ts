import { findCondition } from './condition.ts'
import type { KubeObject } from './object.ts'

/** How far an object has come to what its spec asks for, in the words of kstatus (cli-utils/pkg/kstatus). */
export interface Progress {
  readonly status: 'InProgress' | 'Failed' | 'Current' | 'Terminating'
  /** Why, for people; empty when current. */
  readonly message: string
}

interface Statused extends KubeObject {
  readonly kind?: string
  readonly apiVersion?: string
  readonly spec?: {
    readonly replicas?: number
    readonly completions?: number
    readonly type?: string
  }
  readonly status?: {
    readonly observedGeneration?: number
    readonly conditions?: readonly {
      readonly type: string
      readonly status: string
      readonly reason?: string
      readonly message?: string
    }[]
    readonly replicas?: number
    readonly updatedReplicas?: number
    readonly readyReplicas?: number
    readonly availableReplicas?: number
    readonly desiredNumberScheduled?: number
    readonly updatedNumberScheduled?: number
    readonly numberAvailable?: number
    readonly phase?: string
  }
}

const current: Progress = { status: 'Current', message: '' }
const waiting = (message: string): Progress => ({ status: 'InProgress', message })

/**
 * What an object's status says of it. Any kind: being deleted, a generation that was not observed, the conditions Stalled, Reconciling and
 * Ready. Deployments, StatefulSets, ReplicaSets, DaemonSets, Jobs, Pods and PersistentVolumeClaims: what their own fields say. An object
 * that says nothing is current.
 */
export function progressOf(object: KubeObject): Progress {
  const it = object as Statused
  if (it.metadata.deletionTimestamp) return { status: 'Terminating', message: 'being deleted' }
  const { observedGeneration, conditions } = it.status ?? {}
  const { generation } = it.metadata
  if (
    observedGeneration !== undefined &&
    generation !== undefined &&
    observedGeneration < generation
  )
    return waiting(`generation ${generation} has not been observed yet`)
  const holds = (type: string): { readonly message?: string } | undefined => {
    const found = findCondition(conditions, type)
    return found?.status === 'True' ? found : undefined
  }
  const stalled = holds('Stalled')
  if (stalled) return { status: 'Failed', message: stalled.message ?? 'stalled' }
  const reconciling = holds('Reconciling')
  if (reconciling) return waiting(reconciling.message ?? 'reconciling')
  const special = it.kind ? KINDS[it.kind] : undefined
  if (special) return special(it, holds)
  const ready = findCondition(conditions, 'Ready')
  if (ready && ready.status !== 'True') return waiting(ready.message || ready.reason || 'not ready')
  return current
}

type Holds = (type: string) => { readonly message?: string } | undefined

const KINDS: Readonly<Record<string, (it: Statused, holds: Holds) => Progress>> = {
  Deployment: (it, holds) => {
    const late = findCondition(it.status?.conditions, 'Progressing')
    if (late?.reason === 'ProgressDeadlineExceeded')
      return { status: 'Failed', message: late.message ?? late.reason }
    return replicas(it, it.status?.availableReplicas, 'available') ?? available(holds)
  },
  StatefulSet: (it) => replicas(it, it.status?.readyReplicas, 'ready') ?? current,
  ReplicaSet: (it) => {
    const { replicas: wanted = 1 } = it.spec ?? {}
    return counted(it.status?.readyReplicas, wanted, 'ready') ?? current
  },
  DaemonSet: ({ status = {} }) => {
    const {
      desiredNumberScheduled: wanted,
      updatedNumberScheduled: updated,
      numberAvailable,
    } = status
    if (wanted === undefined) return waiting('not scheduled yet')
    return (
      counted(updated, wanted, 'updated') ??
      counted(numberAvailable, wanted, 'available') ??
      current
    )
  },
  Job: (_, holds) => {
    const failed = holds('Failed')
    if (failed) return { status: 'Failed', message: failed.message ?? 'failed' }
    return holds('Complete') ? current : waiting('not complete yet')
  },
  Pod: ({ status = {} }, holds) => {
    const { phase } = status
    if (phase === 'Succeeded') return current
    if (phase === 'Failed') return { status: 'Failed', message: 'the pod failed' }
    return holds('Ready') ? current : waiting(`the pod is ${phase?.toLowerCase() ?? 'pending'}`)
  },
  PersistentVolumeClaim: ({ status = {} }) =>
    status.phase === 'Bound'
      ? current
      : waiting(`the claim is ${status.phase?.toLowerCase() ?? 'pending'}`),
}

const available = (holds: Holds): Progress =>
  holds('Available') ? current : waiting('not available yet')

/** Replicas that were updated, and of those that do what they should. */
function replicas(
  { spec, status = {} }: Statused,
  good: number | undefined,
  word: string,
): Progress | undefined {
  const { replicas: wanted = 1 } = spec ?? {}
  if (status.observedGeneration === undefined) return waiting('not observed yet')
  const found = counted(status.updatedReplicas, wanted, 'updated') ?? counted(good, wanted, word)
  if (found) return found
  const { replicas: all = 0 } = status
  return all > wanted ? waiting(`${all - wanted} old replicas are to go`) : undefined
}

function counted(have: number | undefined = 0, wanted: number, word: string): Progress | undefined {
  return have < wanted ? waiting(`${have} of ${wanted} replicas are ${word}`) : undefined
}
