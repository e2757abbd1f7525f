import { isDeleting, type Client, type Kind, type KubeObject } from 'kubewright'
import { ReplicaSet } from 'kubewright/kinds/apps/v1'
import { Pod } from 'kubewright/kinds/core/v1'
import { AppOTP } from '../kind.ts'
import type { Column, Screen } from './screen.ts'

/** Tells of every AppOTP, ReplicaSet and pod that changes what it shows, until the signal aborts. */
export async function watchAll(client: Client, screen: Screen, signal: AbortSignal): Promise<void> {
  const watching = { client, screen, signal }
  await Promise.all([
    watch(watching, AppOTP, 'status', appState),
    watch(watching, ReplicaSet, 'replicaset', setState),
    watch(watching, Pod, 'pod', podState),
  ])
}

interface Watching {
  readonly client: Client
  readonly screen: Screen
  readonly signal: AbortSignal
}

/** One line for every change of what `stateOf` says; nothing while it says nothing. */
async function watch<T extends KubeObject>(
  { client, screen, signal }: Watching,
  kind: Kind<T>,
  column: Column,
  stateOf: (object: T) => string | undefined,
): Promise<void> {
  const shown = new Map<string, string>()
  while (!signal.aborted) {
    try {
      for await (const event of client.watch(kind, { namespace: 'default', signal })) {
        if (event.type === 'ERROR' || event.type === 'BOOKMARK') continue
        const name = event.object.metadata.name ?? ''
        const state = event.type === 'DELETED' ? 'gone' : stateOf(event.object)
        if (state === undefined || shown.get(name) === state) continue
        shown.set(name, state)
        screen.line(column, `${name} ${state}`)
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
}

/** What the operator says of an AppOTP; nothing before it has said anything. */
export function appState({ spec, status }: AppOTP): string | undefined {
  if (!status?.deploymentStatus) return undefined
  return `deploymentStatus: ${status.deploymentStatus}, ${status.readyReplicas ?? 0} of ${spec.size} ready`
}

/** How many pods the Deployment controller wants of a ReplicaSet. */
export function setState({ spec }: ReplicaSet): string {
  const { replicas = 0 } = spec ?? {}
  return `of the Deployment controller: ${replicas} ${replicas === 1 ? 'pod' : 'pods'} wanted`
}

/** What `kubectl get pods` shows in its STATUS column, and whether the pod is ready. */
export function podState(pod: Pod): string {
  const { status, spec } = pod
  if (isDeleting(pod)) return 'Terminating'
  const waiting = status?.containerStatuses?.find((it) => it.state?.waiting)?.state?.waiting?.reason
  if (waiting) return waiting
  const ready = status?.conditions?.some((it) => it.type === 'Ready' && it.status === 'True')
  const phase = status?.phase ?? 'Pending'
  if (phase === 'Running') return ready ? 'Running, Ready' : 'Running'
  return spec?.nodeName ? `${phase} on ${spec.nodeName}` : phase
}
