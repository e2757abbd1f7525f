import type { Container, Pod } from 'kubewright/kinds/core/v1'
import { digest } from '../container/image.ts'
import type { ContainerRole, ContainerRun } from './state.ts'

/** Why a pod failed that was active for longer than it may. */
export const DEADLINE = 'DeadlineExceeded'

/** The container of the pod's spec that a run is of. */
export function specOf({ spec }: Pod, { name }: Pick<ContainerRun, 'name'>): Container {
  return (
    spec?.containers.find((it) => it.name === name) ??
    spec?.initContainers?.find((it) => it.name === name) ??
    (spec?.ephemeralContainers?.find((it) => it.name === name) as Container | undefined) ?? { name }
  )
}

/** The id of a container's present run, as containerd's are printed. */
export function containerId(pod: Pod, run: ContainerRun): string {
  return `containerd://${digest(`${pod.metadata.uid}/${run.name}/${run.starts}`)}`
}

/**
 * Whether a container that ended with `code` is started again: by its role first, then by its own rules and restart policy (KEP-5307) where it is named
 * and has them, then by those of the pod.
 */
export function restartsAfter(
  pod: Pod,
  role: ContainerRole,
  code: number,
  container?: string,
): boolean {
  if (role === 'sidecar') return true
  if (role === 'ephemeral') return false
  const own = container === undefined ? undefined : specOf(pod, { name: container })
  if (own?.restartPolicyRules?.some((it) => ruleMatches(it, code))) return true
  const policy = own?.restartPolicy ?? pod.spec?.restartPolicy ?? 'Always'
  if (role === 'init') return code !== 0 && policy !== 'Never'
  return policy === 'Always' || (policy === 'OnFailure' && code !== 0)
}

type RestartRule = NonNullable<Container['restartPolicyRules']>[number]

function ruleMatches({ action, exitCodes }: RestartRule, code: number): boolean {
  const isNamed = exitCodes?.values?.includes(code) ?? false
  return (
    action === 'Restart' && exitCodes !== undefined && (exitCodes.operator === 'In') === isNamed
  )
}
