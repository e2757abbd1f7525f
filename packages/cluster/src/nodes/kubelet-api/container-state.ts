import type { Container, ContainerStatus, Pod } from 'kubewright/kinds/core/v1'

/** The containers of a pod, of all three sorts. */
export const containersOf = ({ spec }: Pod): readonly Container[] => [
  ...(spec?.initContainers ?? []),
  ...(spec?.containers ?? []),
  ...((spec?.ephemeralContainers ?? []) as readonly Container[]),
]

/** What a pod says of one of its containers. */
export const statusOf = ({ status }: Pod, container: string): ContainerStatus | undefined =>
  [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []),
    ...(status?.ephemeralContainerStatuses ?? []),
  ].find((it) => it.name === container)

/** Whether a container runs. */
export const isRunning = (pod: Pod, container: string): boolean =>
  statusOf(pod, container)?.state?.running !== undefined

const PULLS: Readonly<Record<string, string>> = {
  ErrImagePull: "image can't be pulled",
  ImagePullBackOff: 'trying and failing to pull image',
}

/** Why a container has no log to show; undefined when it has one (kubernetes/pkg/kubelet validateContainerLogStatus). */
export function logProblem(pod: Pod, container: string, previous: boolean): string | undefined {
  const which = `container ${JSON.stringify(container)} in pod ${JSON.stringify(pod.metadata.name)}`
  const status = statusOf(pod, container)
  if (!status) return `${which} is not available`
  const { running, terminated, waiting } = status.state ?? {}
  const last = status.lastState?.terminated
  if (previous) return last?.containerID ? undefined : `previous terminated ${which} not found`
  if (running) return undefined
  const ended = terminated?.containerID ? terminated : last
  if (ended?.containerID) return undefined
  if (terminated || ended) return `${which} is terminated`
  if (!waiting) return `${which} is waiting to start - no logs yet`
  const { reason = '' } = waiting
  return `${which} is waiting to start: ${PULLS[reason] ?? reason}`
}
