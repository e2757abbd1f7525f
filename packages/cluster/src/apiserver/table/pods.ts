import type { ContainerStatus, Pod, PodTemplate } from 'kubewright/kinds/core/v1'
import { age } from './age.ts'
import type { TableRowCondition } from './columns.ts'
import { containerCells, labelsText, orNone } from './format.ts'
import { printer, type Printer } from './printer.ts'

/** What the containers of a pod come to. */
interface Summary {
  readonly reason: string
  readonly ready: number
  readonly restarts: number
  /** When a container last ended, as a timestamp; empty where none did. */
  readonly lastRestart: string
}

function podCells(pod: Pod, now: number): readonly unknown[] {
  const init = initSummary(pod)
  const all =
    init.blocked && !isInitialized(pod)
      ? init
      : containerSummary(pod, init.restartable, init.reason)
  const total =
    pod.spec.containers.length + (pod.spec.initContainers ?? []).filter(isRestartable).length
  return [
    pod.metadata.name,
    `${all.ready}/${total}`,
    deletionReason(pod) ?? all.reason,
    restartsText(all, now),
    age(pod.metadata.creationTimestamp, now),
    orNone(pod.status?.podIPs?.[0]?.ip),
    orNone(pod.spec.nodeName),
    orNone(pod.status?.nominatedNodeName),
    readinessGates(pod),
  ]
}

const isRestartable = (container: { readonly restartPolicy?: string } | undefined): boolean =>
  container?.restartPolicy === 'Always'

function ownReason(pod: Pod): string {
  const gated = pod.status?.conditions?.some(
    (it) => it.type === 'PodScheduled' && it.reason === 'SchedulingGated',
  )
  return gated ? 'SchedulingGated' : pod.status?.reason || pod.status?.phase || ''
}

/** Init containers up to the first that is not done: it blocks the others, and names the reason. */
function initSummary(pod: Pod): Summary & {
  readonly blocked: boolean
  readonly restartable: Omit<Summary, 'reason'>
} {
  const specs = new Map(pod.spec.initContainers?.map((it) => [it.name, it]))
  let all: Summary = { reason: ownReason(pod), ready: 0, restarts: 0, lastRestart: '' }
  let restartable: Omit<Summary, 'reason'> = { ready: 0, restarts: 0, lastRestart: '' }
  for (const [index, status] of (pod.status?.initContainerStatuses ?? []).entries()) {
    const stays = isRestartable(specs.get(status.name))
    const running = stays && status.started === true
    const ready = all.ready + (running && status.ready && !endedWell(status) ? 1 : 0)
    all = { ...counted(all, status), ready, reason: all.reason }
    restartable = { ...(stays ? counted(restartable, status) : restartable), ready }
    if (endedWell(status) || running) continue
    const reason = initReason(status, `${index}/${specs.size}`)
    return { ...all, reason, blocked: true, restartable }
  }
  return { ...all, blocked: false, restartable }
}

const endedWell = (status: ContainerStatus): boolean => status.state?.terminated?.exitCode === 0

function counted(
  sum: Omit<Summary, 'reason'>,
  status: ContainerStatus,
): Pick<Summary, 'restarts' | 'lastRestart'> {
  const ended = status.lastState?.terminated?.finishedAt ?? ''
  return {
    restarts: sum.restarts + status.restartCount,
    lastRestart: ended > sum.lastRestart ? ended : sum.lastRestart,
  }
}

function initReason(status: ContainerStatus, progress: string): string {
  const { terminated, waiting } = status.state ?? {}
  if (terminated) return `Init:${endReason(terminated)}`
  const waits = waiting?.reason
  return waits && waits !== 'PodInitializing' ? `Init:${waits}` : `Init:${progress}`
}

function endReason(it: {
  readonly reason?: string
  readonly signal?: number
  readonly exitCode: number
}): string {
  if (it.reason) return it.reason
  return it.signal ? `Signal:${it.signal}` : `ExitCode:${it.exitCode}`
}

/** The containers proper, the last one first: the first container has the last word on the reason. */
function containerSummary(pod: Pod, start: Omit<Summary, 'reason'>, startReason: string): Summary {
  let sum = start
  let reason = startReason
  let errorReason = ''
  let running = false
  for (const status of (pod.status?.containerStatuses ?? []).toReversed()) {
    sum = { ...counted(sum, status), ready: sum.ready }
    const { waiting, terminated } = status.state ?? {}
    if (waiting?.reason) reason = waiting.reason
    else if (terminated) {
      reason = endReason(terminated)
      if (terminated.exitCode !== 0) errorReason = reason
    } else if (status.ready && status.state?.running) {
      running = true
      sum = { ...sum, ready: sum.ready + 1 }
    }
  }
  if (reason === 'Completed') reason = afterCompletion(pod, running, errorReason)
  return { ...sum, reason }
}

/** A pod of which something still runs has not completed. */
function afterCompletion(pod: Pod, running: boolean, errorReason: string): string {
  if (running && hasCondition(pod, 'Ready')) return 'Running'
  if (errorReason !== '') return errorReason
  return running ? 'NotReady' : 'Completed'
}

const hasCondition = (pod: Pod, type: string): boolean =>
  pod.status?.conditions?.some((it) => it.type === type && it.status === 'True') ?? false

const isInitialized = (pod: Pod): boolean =>
  pod.status?.conditions?.find((it) => it.type === 'Initialized')?.status === 'True'

function deletionReason(pod: Pod): string | undefined {
  if (!pod.metadata.deletionTimestamp) return undefined
  if (pod.status?.reason === 'NodeLost') return 'Unknown'
  const phase = pod.status?.phase ?? ''
  return phase === 'Succeeded' || phase === 'Failed' ? undefined : 'Terminating'
}

function restartsText({ restarts, lastRestart }: Summary, now: number): string {
  return restarts !== 0 && lastRestart !== ''
    ? `${restarts} (${age(lastRestart, now)} ago)`
    : String(restarts)
}

function readinessGates(pod: Pod): string {
  const gates = pod.spec.readinessGates ?? []
  if (gates.length === 0) return '<none>'
  const open = gates.filter((gate) => {
    const condition = pod.status?.conditions?.find((it) => it.type === gate.conditionType)
    return condition?.status === 'True'
  })
  return `${open.length}/${gates.length}`
}

const COMPLETED: Readonly<Record<string, string>> = {
  Succeeded: 'The pod has completed successfully.',
  Failed: 'The pod failed.',
}

function podConditions(pod: Pod): readonly TableRowCondition[] {
  const reason = pod.status?.phase ?? ''
  const message = COMPLETED[reason]
  return message === undefined ? [] : [{ type: 'Completed', status: 'True', reason, message }]
}

/** Printers of pods and what makes them. */
export const PODS: Readonly<Record<string, Printer>> = {
  '/pods': printer<Pod>(podCells, { conditions: podConditions }),
  '/podtemplates': printer<PodTemplate>((it) => [
    it.metadata.name,
    ...containerCells(it.template?.spec.containers),
    labelsText(it.template?.metadata?.labels),
  ]),
}
