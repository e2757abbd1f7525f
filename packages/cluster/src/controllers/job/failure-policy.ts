import type { Job } from 'kubewright/kinds/batch/v1'
import type { ContainerStatus, Pod } from 'kubewright/kinds/core/v1'

type Policy = NonNullable<NonNullable<Job['spec']>['podFailurePolicy']>
type Rule = Policy['rules'][number]
type ExitCodes = NonNullable<Rule['onExitCodes']>

/** What a pod failure policy makes of a failed pod: whether it counts, and the sentence with which the whole job fails. */
export interface FailureVerdict {
  readonly counts: boolean
  readonly action: Rule['action'] | undefined
  readonly failsJob: string | undefined
}

const COUNTS: FailureVerdict = { counts: true, action: undefined, failsJob: undefined }

/** Judges a failed pod by the first rule that matches it (KEP-3329). Without a policy, or a match, a failure counts. */
export function judgeFailure(policy: Policy | undefined, pod: Pod): FailureVerdict {
  for (const [index, rule] of (policy?.rules ?? []).entries()) {
    const subject = matched(rule, pod)
    if (subject === undefined) continue
    const failsJob = `${subject} matching ${rule.action} rule at index ${index}`
    return {
      counts: rule.action !== 'Ignore',
      action: rule.action,
      failsJob: rule.action === 'FailJob' ? failsJob : undefined,
    }
  }
  return COUNTS
}

/** What of the pod a rule matches, as the beginning of a sentence. */
function matched(rule: Rule, pod: Pod): string | undefined {
  const { namespace, name } = pod.metadata
  if (rule.onExitCodes) {
    const container = exited(rule.onExitCodes, pod)
    const code = container?.state?.terminated?.exitCode
    return (
      container &&
      `Container ${container.name} for pod ${namespace}/${name} failed with exit code ${code}`
    )
  }
  const condition = pod.status?.conditions?.find((it) =>
    rule.onPodConditions?.some(
      (one) => one.type === it.type && (one.status ?? 'True') === it.status,
    ),
  )
  return condition && `Pod ${namespace}/${name} has condition ${condition.type}`
}

function exited(codes: ExitCodes, pod: Pod): ContainerStatus | undefined {
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {}
  return [...containerStatuses, ...initContainerStatuses].find((it) => {
    const code = it.state?.terminated?.exitCode ?? 0
    if (code === 0 || (codes.containerName && codes.containerName !== it.name)) return false
    return codes.values.includes(code) === (codes.operator === 'In')
  })
}
