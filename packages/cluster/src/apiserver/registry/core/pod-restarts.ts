import { itemsAt, objectAt, textAt, type Readable } from '../fields.ts'

const RULE_LISTS = ['initContainers', 'containers']

/** Whether the end of one container can start all of a pod's again (AllContainersCouldRestart). */
export const canRestartAll = (spec: Readable | undefined): boolean =>
  RULE_LISTS.some((list) =>
    itemsAt(spec, list).some((it) =>
      itemsAt(it, 'restartPolicyRules').some((rule) => rule['action'] === 'RestartAllContainers'),
    ),
  )

/** Whether a container starts again after it ended so: by its rules, else its own policy, else the pod's (ContainerShouldRestart). */
export function restartsAfter(
  container: Readable,
  spec: Readable | undefined,
  exitCode: number,
): boolean {
  const own = textAt(container, 'restartPolicy')
  if (own !== '' && itemsAt(container, 'restartPolicyRules').some((it) => fits(it, exitCode))) {
    return true
  }
  switch (own || textAt(spec, 'restartPolicy')) {
    case 'Always':
      return true
    case 'OnFailure':
      return exitCode !== 0
    default:
      return false
  }
}

function fits(rule: Readable, exitCode: number): boolean {
  const codes = objectAt(rule, 'exitCodes')
  const values = (codes?.['values'] as readonly number[] | null | undefined) ?? []
  const isIn = values.includes(exitCode)
  return textAt(codes, 'operator') === 'In' ? isIn : textAt(codes, 'operator') === 'NotIn' && !isIn
}
