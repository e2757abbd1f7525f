import type { Job } from 'kubewright/kinds/batch/v1'
import { countIndexes, countShared, type Indexes, parseIndexes } from './indexes.ts'

type Policy = NonNullable<NonNullable<Job['spec']>['successPolicy']>

/** The sentence with which an indexed job succeeds early, or undefined while no rule of its success policy holds (KEP-3998). */
export function metSuccessPolicy(
  policy: Policy | undefined,
  completions: number,
  succeeded: Indexes,
): string | undefined {
  const index = (policy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) {
      return succeededCount !== undefined && countIndexes(succeeded) >= succeededCount
    }
    const required = parseIndexes(succeededIndexes, completions)
    const reached = countShared(required, succeeded)
    if (required.length === 0) return false
    return reached === countIndexes(required) || reached >= (succeededCount ?? Infinity)
  })
  return index < 0 ? undefined : `Matched rules at index ${index}`
}
