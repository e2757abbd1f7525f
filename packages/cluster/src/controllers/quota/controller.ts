import {
  controller,
  type ControllerDefinition,
  type KeyContext,
  type Listers,
} from 'kubewright/controller'
import { metadataOf } from 'kubewright/client'
import {
  ConfigMap,
  PersistentVolumeClaim,
  Pod,
  ReplicationController,
  ResourceQuota,
  Secret,
  Service,
} from 'kubewright/kinds/core/v1'
import { ResourceClaim } from 'kubewright/kinds/resource.k8s.io/v1'
import { type Kind, type KubeObject } from 'kubewright/machinery'
import { countsDevices } from '../../apiserver/admission/quota-devices.ts'
import { sameMeaning, updateStatus } from '../workload/writes.ts'
import { type Counted, type Usage, usageOf, usedOf } from './usage.ts'

/** How often what is counted on the server is counted again, in milliseconds. */
const RECOUNT = 5000
/** How often everything is: what admission charged for an object that then came to nothing is given back (kube-controller-manager --resource-quota-sync-period). */
const FULL_RESYNC = 5 * 60_000

/** Counts for ResourceQuotas what is used (kubernetes/pkg/controller/resourcequota). Objects of other kinds are counted on the server. */
export function resourceQuotaController(): ControllerDefinition {
  const inNamespace = (it: KubeObject, { lister }: Listers): readonly ResourceQuota[] =>
    lister(ResourceQuota).list({ namespace: it.metadata.namespace })
  return (
    controller(ResourceQuota, { name: 'resourcequota-controller', pace: false, resync: 0 })
      // Admission charges quotas in their status before there is what it charges for: that is no reason to count.
      .where((event) => event.type !== 'update' || limitsChanged(event))
      .watches(Pod, inNamespace, {
        where: (event) => event.type !== 'update' || phaseChanged(event),
      })
      .watches(Service, inNamespace)
      .watches(PersistentVolumeClaim, inNamespace)
      .watches(ConfigMap, inNamespace, { where: ({ type }) => type !== 'update' })
      .watches(Secret, inNamespace, { where: ({ type }) => type !== 'update' })
      .watches(ReplicationController, inNamespace, { where: ({ type }) => type !== 'update' })
      .reconcile(async (quota, context) => {
        const hard = quota.spec?.hard ?? {}
        const used = usedOf(hard, await usageFor(quota, context))
        if (!sameMeaning(quota.status, { hard, used })) {
          await updateStatus(context, ResourceQuota, { ...quota, status: { hard, used } })
        }
        const others = Object.keys(hard).some(
          (name) => countedKind(name) !== undefined || countsDevices(name),
        )
        return { requeueAfter: others ? RECOUNT : FULL_RESYNC }
      })
  )
}

const limitsChanged = ({
  old,
  object,
}: {
  readonly old: ResourceQuota
  readonly object: ResourceQuota
}): boolean =>
  !sameMeaning(old.spec, object.spec) || !sameMeaning(object.spec?.hard, object.status?.hard)

const phaseChanged = ({ old, object }: { readonly old: Pod; readonly object: Pod }): boolean =>
  old.status?.phase !== object.status?.phase || old.status?.qosClass !== object.status?.qosClass

/** The resource in `count/deployments.apps`, unless it is counted otherwise. */
function countedKind(name: string): string | undefined {
  if (countsDevices(name)) return undefined
  const resource = /^count\/(.+)$/.exec(name)?.[1]
  return resource && !CACHED.some(([, plural]) => plural === resource) ? resource : undefined
}

const CACHED: readonly (readonly [kind: Kind, plural: string])[] = [
  [Pod, 'pods'],
  [Service, 'services'],
  [PersistentVolumeClaim, 'persistentvolumeclaims'],
  [ConfigMap, 'configmaps'],
  [Secret, 'secrets'],
  [ReplicationController, 'replicationcontrollers'],
  [ResourceQuota, 'resourcequotas'],
]

async function usageFor(quota: ResourceQuota, context: KeyContext): Promise<Usage> {
  const { lister, clock } = context
  const { namespace } = quota.metadata
  const cached = CACHED.map(([kind, plural]) =>
    usageOf(quota, { group: '', plural }, () => lister(kind).list({ namespace }), clock.now()),
  )
  const others = [await otherCounts(quota, context), await deviceCounts(quota, context)]
  return Object.assign({}, ...cached, ...others) as Usage
}

/** What ResourceClaims take, where a quota asks for devices by their class. */
async function deviceCounts(quota: ResourceQuota, { client, clock }: KeyContext): Promise<Usage> {
  const { namespace = '' } = quota.metadata
  if (!Object.keys(quota.spec?.hard ?? {}).some(countsDevices)) return {}
  const claims = (await client.list(ResourceClaim, { namespace })).items
  return usageOf(quota, CLAIMS, () => claims, clock.now())
}

const CLAIMS: Counted = Object.freeze({ group: 'resource.k8s.io', plural: 'resourceclaims' })

/** Kinds of other groups are counted on the server; a quota with scopes counts none of them. */
async function otherCounts(quota: ResourceQuota, { client }: KeyContext): Promise<Usage> {
  const { hard = {}, scopes = [], scopeSelector } = quota.spec ?? {}
  const usage: Record<string, string> = {}
  if (scopes.length > 0 || scopeSelector) return usage
  for (const name of Object.keys(hard)) {
    const resource = countedKind(name)
    const served = resource === undefined ? undefined : await client.kinds.find(resource)
    if (!served || served.kind.scope !== 'Namespaced') continue
    const { namespace = '' } = quota.metadata
    const list = await client.list(metadataOf(served.kind), { namespace })
    usage[name] = String(list.items.length)
  }
  return usage
}
