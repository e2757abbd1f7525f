import type { Pod } from 'kubewright/kinds/core/v1'
import type { ResourceClaim } from 'kubewright/kinds/resource.k8s.io/v1'
import { isPodTerminal } from '../workload/pod.ts'

/** What a generated name may be long at most before its five random characters. */
const LONGEST = 57

/** The beginning of the name of a claim that is made for a pod: both names, each cut in proportion where they are too long. */
export function generatedClaimName(pod: string, claim: string): string {
  const name = `${pod}-${claim}-`
  if (name.length <= LONGEST) return name
  const cut = (it: string): string => it.slice(0, Math.trunc((it.length * LONGEST) / name.length))
  return `${cut(pod)}-${cut(claim)}`
}

/** Whether a pod will not run any more: it has ended, or is to go and was never placed. */
export const isPodDone = (pod: Pod): boolean =>
  isPodTerminal(pod) || (pod.metadata.deletionTimestamp !== undefined && !pod.spec.nodeName)

type Reservations = NonNullable<NonNullable<ResourceClaim['status']>['reservedFor']>

/** For whom a claim stays reserved: pods that are the same and not done, and what is no pod. */
export const reservations = (
  { status }: ResourceClaim,
  find: (name: string) => Pod | undefined,
): Reservations =>
  (status?.reservedFor ?? []).filter(({ apiGroup, resource, name, uid }) => {
    if (apiGroup || resource !== 'pods') return true
    const pod = find(name)
    return pod?.metadata.uid === uid && !isPodDone(pod)
  })
