import { controller, type ControllerDefinition, type KeyContext } from 'kubewright/controller'
import { Pod, type PodResourceClaim } from 'kubewright/kinds/core/v1'
import { ResourceClaim, ResourceClaimTemplate } from 'kubewright/kinds/resource.k8s.io/v1'
import { controllerOf, isNotFound, keyOf, withoutFinalizer } from 'kubewright/machinery'
import { isPodTerminal } from '../workload/pod.ts'
import {
  AS_CONTROLLER,
  deleteThis,
  isNamespaceEnding,
  messageOf,
  updateStatus,
} from '../workload/writes.ts'
import { BY_OWNER } from '../workload/claim-objects.ts'
import { generatedClaimName, isPodDone, reservations } from './plan.ts'

const POD_CLAIM = 'resource.kubernetes.io/pod-claim-name'
const FINALIZER = 'resource.kubernetes.io/delete-protection'
const BY_TEMPLATE = 'claim-template'

/** Makes the resource claims that pods want by a template, and names them in the pods' status (kubernetes/pkg/controller/resourceclaim). */
export function resourceClaimController(): readonly ControllerDefinition[] {
  return [podClaims(), claimReservations()]
}

function podClaims(): ControllerDefinition {
  const templates = (pod: Pod): readonly string[] =>
    (pod.spec.resourceClaims ?? [])
      .map((it) => it.resourceClaimTemplateName)
      .filter((it) => it !== undefined)
      .map((it) => `${pod.metadata.namespace}/${it}`)
  return controller(Pod, { name: 'resource_claim', pace: false, resync: 0 })
    .where(({ type, object }) => type !== 'delete' && object.spec.resourceClaims !== undefined)
    .index(Pod, BY_TEMPLATE, templates)
    .owns(ResourceClaim, { where: ({ type }) => type === 'delete' })
    .watches(ResourceClaimTemplate, (it, { lister }) =>
      lister(Pod).byIndex(BY_TEMPLATE, `${it.metadata.namespace}/${it.metadata.name}`),
    )
    .reconcile(async (pod, context) => {
      if (!isPodTerminal(pod)) await ensureClaims(pod, context)
    })
}

async function ensureClaims(pod: Pod, context: KeyContext): Promise<void> {
  const known = new Map(
    (pod.status?.resourceClaimStatuses ?? []).map((it) => [it.name, it.resourceClaimName]),
  )
  const made = new Map(known)
  for (const it of pod.spec.resourceClaims ?? []) {
    if (it.resourceClaimTemplateName === undefined || known.get(it.name)) continue
    made.set(it.name, await ensureClaim(pod, it, context))
  }
  if (made.size === known.size) return
  const resourceClaimStatuses = [...made].map(([name, resourceClaimName]) => ({
    name,
    ...(resourceClaimName && { resourceClaimName }),
  }))
  const body = { metadata: { uid: pod.metadata.uid }, status: { resourceClaimStatuses } }
  const options = { fieldOwner: 'ResourceClaimController', subresource: 'status' }
  await context.client.patch(Pod, keyOf(pod), { type: 'strategic', body }, options)
}

async function ensureClaim(
  pod: Pod,
  claim: PodResourceClaim,
  context: KeyContext,
): Promise<string> {
  const { lister, client, events } = context
  const { namespace = '' } = pod.metadata
  const own = lister(ResourceClaim)
    .byIndex(BY_OWNER, pod.metadata.uid!)
    .find((it) => it.metadata.annotations?.[POD_CLAIM] === claim.name)
  if (own) return own.metadata.name!
  try {
    const name = claim.resourceClaimTemplateName!
    const template = lister(ResourceClaimTemplate).get({ namespace, name })
    if (!template)
      throw new Error(
        `resource claim template "${name}": resourceclaimtemplate.resource.k8s.io "${name}" not found`,
      )
    const { metadata = {}, spec } = template.spec
    const draft = {
      metadata: {
        generateName: generatedClaimName(pod.metadata.name!, claim.name),
        namespace,
        annotations: { ...metadata.annotations, [POD_CLAIM]: claim.name },
        ...(metadata.labels && { labels: metadata.labels }),
        ownerReferences: [
          {
            apiVersion: 'v1',
            kind: 'Pod',
            name: pod.metadata.name!,
            uid: pod.metadata.uid!,
            controller: true,
          },
        ],
      },
      spec,
    }
    return (await client.create(ResourceClaim, draft, AS_CONTROLLER)).metadata.name!
  } catch (error) {
    if (!isNamespaceEnding(error))
      events.record(
        { kind: Pod, object: pod },
        'Warning',
        'FailedResourceClaimCreation',
        `PodResourceClaim ${claim.name}: ${messageOf(error)}`,
      )
    throw error
  }
}

const BY_RESERVED = 'reserved'

/** Takes back what claims are reserved for when those pods have ended, and deletes claims that were made for them. */
function claimReservations(): ControllerDefinition {
  return controller(ResourceClaim, { name: 'resource_claim_reservations', pace: false, resync: 0 })
    .index(ResourceClaim, BY_RESERVED, (it) => [
      ...(it.status?.reservedFor ?? []).map((one) => one.uid),
      ...(controllerOf(it) ? [controllerOf(it)!.uid] : []),
    ])
    .watches(
      Pod,
      (it, { lister }) => lister(ResourceClaim).byIndex(BY_RESERVED, it.metadata.uid!),
      {
        where: ({ type, object }) => type === 'delete' || isPodDone(object),
      },
    )
    .reconcileKey(async (key, context) => {
      const claim = context.lister(ResourceClaim).get(key)
      if (claim) await release(claim, context)
    })
}

async function release(claim: ResourceClaim, context: KeyContext): Promise<void> {
  const { lister } = context
  const { namespace = '' } = claim.metadata
  const find = (name: string): Pod | undefined => lister(Pod).get({ namespace, name })
  const remaining = reservations(claim, find)
  const freed = remaining.length < (claim.status?.reservedFor?.length ?? 0)
  const ends = claim.metadata.deletionTimestamp !== undefined && remaining.length === 0
  const isBuiltin = claim.metadata.finalizers?.includes(FINALIZER) === true
  if (freed || (ends && isBuiltin)) {
    const { allocation, reservedFor: _, ...rest } = claim.status ?? {}
    const kept = remaining.length > 0 || !isBuiltin
    const status = {
      ...rest,
      ...(allocation && kept ? { allocation } : {}),
      ...(remaining.length > 0 ? { reservedFor: remaining } : {}),
    }
    const now = await updateStatus(context, ResourceClaim, { ...claim, status })
    if (isBuiltin && now.status?.allocation === undefined) await letGo(now, context)
  }
  const owner = controllerOf(claim)
  const pod = owner?.kind === 'Pod' ? find(owner.name) : undefined
  if (remaining.length === 0 && pod && (pod.metadata.uid !== owner!.uid || isPodDone(pod)))
    await deleteThis(context, ResourceClaim, claim)
}

async function letGo(claim: ResourceClaim, { client }: KeyContext): Promise<void> {
  const finalizers = withoutFinalizer(claim, FINALIZER)
  if (!finalizers) return
  try {
    const metadata = { ...claim.metadata, finalizers }
    await client.update(ResourceClaim, { ...claim, metadata }, AS_CONTROLLER)
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
