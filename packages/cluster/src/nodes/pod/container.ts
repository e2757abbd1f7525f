import type { Container, Pod } from 'kubewright/kinds/core/v1'
import { digest } from '../container/image.ts'
import type { ContainerRole, ContainerRun } from './state.ts'

/** `false` keeps the pod's containers from ever becoming ready. */
export const READY = 'kubewright.dev/ready'

/** Why a pod failed that was active for longer than it may. */
export const DEADLINE = 'DeadlineExceeded'

/** The container of the pod's spec that a run is of. */
export function specOf(pod: Pod, run: ContainerRun): Container {
  const all = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])]
  return all.find((it) => it.name === run.name) ?? { name: run.name }
}

/** The id of a container's present run, as containerd's are printed. */
export function containerId(pod: Pod, run: ContainerRun): string {
  return `containerd://${digest(`${pod.metadata.uid}/${run.name}/${run.starts}`)}`
}

/** Whether a container that ended with `code` is started again: by its role first, then by the pod's restart policy. */
export function restartsAfter(pod: Pod, role: ContainerRole, code: number): boolean {
  const policy = pod.spec?.restartPolicy ?? 'Always'
  if (role === 'sidecar') return true
  if (role === 'init') return code !== 0 && policy !== 'Never'
  return policy === 'Always' || (policy === 'OnFailure' && code !== 0)
}
