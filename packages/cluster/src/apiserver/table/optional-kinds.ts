import type { UnknownObject } from 'kubewright/machinery'
import { age } from './age.ts'
import { labelsText, someOf } from './format.ts'
import { printer, type Printer } from './printer.ts'

/** A condition's type, if it is true. */
const holds = (it: { readonly status?: string }): boolean => it.status === 'True'

/** A count of a list's items, as Go prints a sum of what may be absent. */
const sum = (pools: readonly Counted[], name: keyof Counted): string =>
  String(pools.reduce((all, it) => all + Number(it[name] ?? 0), 0))

interface Counted {
  readonly totalDevices?: number
  readonly availableDevices?: number
  readonly allocatedDevices?: number
  readonly unavailableDevices?: number
  readonly validationError?: string
}

/** Pools that were asked after (printResourcePoolStatusRequest). */
const poolRequest = printer<Loose>((it, now) => {
  const { conditions = [], pools = [], poolCount = 0 } = (it['status'] ?? {}) as LooseStatus
  const over = conditions.find((each) => holds(each) && /^(Complete|Failed)$/.test(each.type))
  const some = over?.type === 'Complete' && poolCount > pools.length
  const failed = over?.type === 'Failed' || it['status'] === undefined
  const counted = failed
    ? ['-', '-', '-', '-', '-']
    : [
        sum(pools, 'totalDevices'),
        sum(pools, 'availableDevices'),
        sum(pools, 'allocatedDevices'),
        sum(pools, 'unavailableDevices'),
        String(pools.filter((each) => each.validationError !== undefined).length),
      ]
  return [
    it.metadata.name,
    (it['spec'] as { readonly driver: string }).driver,
    ...counted,
    poolCount,
    some ? `Complete (${pools.length}/${poolCount} pools)` : (over?.type ?? 'Pending'),
    over?.type === 'Complete' ? age(over.lastTransitionTime, now) : '<none>',
  ]
})

/** A kind that has no types here. */
type Loose = UnknownObject & Readonly<Record<string, unknown>>

interface LooseCondition {
  readonly type: string
  readonly status?: string
  readonly reason?: string
  readonly lastTransitionTime?: string
}

interface LooseStatus {
  readonly conditions?: readonly LooseCondition[]
  readonly pools?: readonly Counted[]
  readonly poolCount?: number
  readonly commonEncodingVersion?: string
  readonly storageVersions?: readonly {
    readonly apiServerID: string
    readonly encodingVersion: string
  }[]
}

const specOf = (it: Loose): Readonly<Record<string, never>> =>
  (it['spec'] ?? {}) as Readonly<Record<string, never>>
const statusOf = (it: Loose): LooseStatus => (it['status'] ?? {}) as LooseStatus

const DECISIONS = ['Issued', 'Denied', 'Failed']

function groupState({ conditions = [] }: LooseStatus): string {
  const disrupted = conditions.findLast((it) => it.type === 'DisruptionTarget')
  if (disrupted) return disrupted.reason ?? ''
  const scheduled = conditions.findLast((it) => it.type === 'PodGroupScheduled')
  if (!scheduled) return 'Pending'
  return holds(scheduled) ? 'Scheduled' : 'Unschedulable'
}

/** Kinds that are served only where they are asked for. */
export const OPTIONAL: Readonly<Record<string, Printer>> = {
  'certificates.k8s.io/clustertrustbundles': printer<Loose>((it) => [
    it.metadata.name,
    specOf(it)['signerName'] || '<none>',
  ]),
  'certificates.k8s.io/podcertificaterequests': printer<Loose>((it) => [
    it.metadata.name,
    specOf(it)['podName'],
    specOf(it)['serviceAccountName'],
    specOf(it)['nodeName'],
    specOf(it)['signerName'],
    statusOf(it).conditions?.findLast((each) => DECISIONS.includes(each.type))?.type ?? 'Pending',
    labelsText(specOf(it)['unverifiedUserAnnotations']),
  ]),
  'coordination.k8s.io/leasecandidates': printer<Loose>((it, now) => [
    it.metadata.name,
    specOf(it)['leaseName'],
    specOf(it)['binaryVersion'],
    specOf(it)['emulationVersion'] ?? '',
    age(it.metadata.creationTimestamp, now),
  ]),
  'internal.apiserver.k8s.io/storageversions': printer<Loose>((it, now) => [
    it.metadata.name,
    statusOf(it).commonEncodingVersion ?? '<unset>',
    someOf(
      (statusOf(it).storageVersions ?? []).map(
        (each) => `${each.apiServerID}=${each.encodingVersion}`,
      ),
    ),
    age(it.metadata.creationTimestamp, now),
  ]),
  'resource.k8s.io/devicetaintrules': printer<Loose>((it, now) => {
    const taint = (specOf(it)['taint'] ?? {}) as Readonly<Record<string, string>>
    return [
      it.metadata.name,
      taint['key'] ?? '',
      taint['value'] ?? '',
      taint['effect'] ?? '',
      taint['timeAdded'] === undefined ? '' : age(taint['timeAdded'], now),
      age(it.metadata.creationTimestamp, now),
    ]
  }),
  'resource.k8s.io/resourcepoolstatusrequests': poolRequest,
  'scheduling.k8s.io/podgroups': printer<Loose>((it, now) => {
    const { schedulingPolicy, podGroupTemplateRef } = specOf(it) as Readonly<
      Record<string, Readonly<Record<string, Readonly<Record<string, string>>>> | undefined>
    >
    return [
      it.metadata.name,
      schedulingPolicy?.['gang'] ? 'Gang' : 'Basic',
      podGroupTemplateRef?.['workload']?.['workloadName'] ?? '<none>',
      groupState(statusOf(it)),
      age(it.metadata.creationTimestamp, now),
    ]
  }),
  'scheduling.k8s.io/workloads': printer<Loose>((it, now) => [
    it.metadata.name,
    age(it.metadata.creationTimestamp, now),
  ]),
  'storagemigration.k8s.io/storageversionmigrations': printer<Loose>((it) => {
    const { group, resource } = (specOf(it)['resource'] ?? {}) as Readonly<Record<string, string>>
    const states = (statusOf(it).conditions ?? []).filter(
      (each) => holds(each) && /^(Running|Failed|Succeeded)$/.test(each.type),
    )
    return [
      it.metadata.name,
      group ? `${resource}.${group}` : resource,
      states.at(-1)?.type ?? 'Unknown',
    ]
  }),
}
