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
import { type Kind, type KubeObject, quantityOf } from 'kubewright/machinery'
import { sameMeaning, updateStatus } from '../workload/writes.ts'
import {
  addUsage,
  claimUsage,
  matchesScopes,
  podUsage,
  serviceUsage,
  type Usage,
  usedOf,
} from './usage.ts'

const NONE: Usage = new Map()
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
        const used = usedOf(hard, await usageFor(quota, Object.keys(hard), context))
        if (!sameMeaning(quota.status, { hard, used })) {
          await updateStatus(context, ResourceQuota, { ...quota, status: { hard, used } })
        }
        const others = Object.keys(hard).some((name) => countedKind(name) !== undefined)
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

/** The resource in `count/deployments.apps`, unless it is counted from the cache. */
function countedKind(name: string): string | undefined {
  const resource = /^count\/(.+)$/.exec(name)?.[1]
  return resource && !CACHED.some(([, names]) => names.includes(name)) ? resource : undefined
}

const CACHED: readonly (readonly [kind: Kind, names: readonly string[]])[] = [
  [Pod, ['count/pods', 'pods']],
  [Service, ['count/services', 'services']],
  [PersistentVolumeClaim, ['count/persistentvolumeclaims', 'persistentvolumeclaims']],
  [ConfigMap, ['count/configmaps', 'configmaps']],
  [Secret, ['count/secrets', 'secrets']],
  [ReplicationController, ['count/replicationcontrollers', 'replicationcontrollers']],
  [ResourceQuota, ['count/resourcequotas', 'resourcequotas']],
]

async function usageFor(
  quota: ResourceQuota,
  names: readonly string[],
  context: KeyContext,
): Promise<Usage> {
  const { lister } = context
  const where = { namespace: quota.metadata.namespace }
  const pods = lister(Pod)
    .list(where)
    .filter((it) => matchesScopes(quota, it))
    .map(podUsage)
  // A quota with scopes counts pods alone.
  if (quota.spec?.scopes?.length || quota.spec?.scopeSelector) return pods.reduce(addUsage, NONE)
  const counted = CACHED.slice(3).map(([kind, those]): Usage => {
    const count = quantityOf(lister(kind).list(where).length)
    return new Map(those.map((name) => [name, count]))
  })
  return [
    ...pods,
    ...lister(Service).list(where).map(serviceUsage),
    ...lister(PersistentVolumeClaim).list(where).map(claimUsage),
    ...counted,
    await otherCounts(quota, names, context),
  ].reduce(addUsage, NONE)
}

async function otherCounts(
  quota: ResourceQuota,
  names: readonly string[],
  { client }: KeyContext,
): Promise<Usage> {
  const usage = new Map<string, ReturnType<typeof quantityOf>>()
  for (const name of names) {
    const resource = countedKind(name)
    const served = resource === undefined ? undefined : await client.kinds.find(resource)
    if (!served || served.kind.scope !== 'Namespaced') continue
    const { namespace = '' } = quota.metadata
    const list = await client.list(metadataOf(served.kind), { namespace })
    usage.set(name, quantityOf(list.items.length))
  }
  return usage
}
