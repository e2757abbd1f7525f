import type { Client } from 'kubewright'
import { Pod } from 'kubewright/kinds/core/v1'
import type { Screen } from './screen.ts'

/** Tells of every pod that changes what it shows, until the signal aborts. */
export async function watchPods(
  client: Client,
  screen: Screen,
  signal: AbortSignal,
): Promise<void> {
  const shown = new Map<string, string>()
  try {
    for await (const event of client.watch(Pod, { namespace: 'default', signal })) {
      if (event.type === 'ERROR' || event.type === 'BOOKMARK') continue
      const name = event.object.metadata.name ?? ''
      const state = event.type === 'DELETED' ? 'gone' : podState(event.object)
      if (shown.get(name) === state) continue
      shown.set(name, state)
      screen.line('pod', `${name} ${state}`)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** What `kubectl get pods` shows in its STATUS column, and whether the pod is ready. */
export function podState({ metadata, status, spec }: Pod): string {
  if (metadata.deletionTimestamp) return 'Terminating'
  const waiting = status?.containerStatuses?.find((it) => it.state?.waiting)?.state?.waiting?.reason
  if (waiting) return waiting
  const ready = status?.conditions?.some((it) => it.type === 'Ready' && it.status === 'True')
  const phase = status?.phase ?? 'Pending'
  if (phase === 'Running') return ready ? 'Running, Ready' : 'Running'
  return spec?.nodeName ? `${phase} on ${spec.nodeName}` : phase
}
