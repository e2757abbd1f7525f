import { controller, type ControllerDefinition, type KeyContext } from 'kubewright/controller'
import { Deployment, ReplicaSet } from 'kubewright/kinds/apps/v1'
import { Pod } from 'kubewright/kinds/core/v1'
import { controllerOf, isAlreadyExists, selectorOf } from 'kubewright/machinery'
import { BY_OWNER, claimObjects, ORPHANS, orphanValues } from '../workload/claim-objects.ts'
import { isControlledBy } from '../workload/claim.ts'
import { templatesEqual } from '../workload/pod-template.ts'
import {
  AS_CONTROLLER,
  deleteThis,
  isNamespaceEnding,
  messageOf,
  ownerKey,
  sameMeaning,
  updateStatus,
} from '../workload/writes.ts'
import { creationFailed, planDeployment } from './decide.ts'
import type { DeploymentPlan, DeploymentStep } from './plan.ts'
import { REVISION } from './revision.ts'

/** Rolls Deployments out by way of ReplicaSets (kubernetes/pkg/controller/deployment). */
export function deploymentController(): ControllerDefinition {
  return controller(Deployment, { name: 'deployment-controller', pace: false, resync: 0 })
    .owns(ReplicaSet)
    .index(ReplicaSet, ORPHANS, orphanValues)
    .index(Pod, BY_OWNER, (pod) => {
      const uid = controllerOf(pod)?.uid
      return uid ? [uid] : []
    })
    .watches(ReplicaSet, (set, { lister }) =>
      controllerOf(set)
        ? []
        : lister(Deployment)
            .list({ namespace: set.metadata.namespace })
            .filter((it) => selectorOf(it.spec.selector).matches(set.metadata.labels)),
    )
    .watches(
      Pod,
      (pod, { lister }) =>
        ownerKey(pod, 'ReplicaSet').flatMap((key) => {
          const set = lister(ReplicaSet).get(key)
          return set ? ownerKey(set, 'Deployment') : []
        }),
      { where: (event) => event.type === 'delete' },
    )
    .reconcileKey(async (key, context) => {
      const deployment = context.lister(Deployment).get(key)
      return deployment && sync(deployment, context)
    })
}

async function sync(
  deployment: Deployment,
  context: KeyContext,
): Promise<{ readonly requeueAfter?: number } | undefined> {
  const selector = selectorOf(deployment.spec.selector)
  const replicaSets = await claimObjects(context, ReplicaSet, {
    kind: Deployment,
    object: deployment,
    selects: (set) => selector.matches(set.metadata.labels),
  })
  const pods = new Map(
    replicaSets.map((it) => [
      it.metadata.uid!,
      context.lister(Pod).byIndex(BY_OWNER, it.metadata.uid!),
    ]),
  )
  const now = context.clock.now()
  const plan = planDeployment({ deployment, replicaSets, pods, now })
  for (const step of plan.steps) {
    if ((await perform(step, deployment, context)) === 'stop') return undefined
  }
  await tell(deployment, plan, context)
  return plan.after === undefined ? undefined : { requeueAfter: plan.after }
}

/** Does one step; `stop` means that the rest of the plan no longer holds. */
async function perform(
  step: DeploymentStep,
  deployment: Deployment,
  context: KeyContext,
): Promise<'go on' | 'stop'> {
  switch (step.type) {
    case 'create':
      return create(step, deployment, context)
    case 'update':
      await context.client.update(ReplicaSet, step.replicaSet, AS_CONTROLLER)
      return 'go on'
    case 'delete':
      await deleteThis(context, ReplicaSet, step.replicaSet)
      return 'go on'
    case 'replace':
      await context.client.update(Deployment, step.deployment, AS_CONTROLLER)
      return 'go on'
    case 'event': {
      const { level, reason, message } = step
      context.events.record({ kind: Deployment, object: deployment }, level, reason, message)
      return 'go on'
    }
  }
}

async function create(
  step: Extract<DeploymentStep, { readonly type: 'create' }>,
  deployment: Deployment,
  context: KeyContext,
): Promise<'go on' | 'stop'> {
  try {
    await context.client.create(ReplicaSet, step.replicaSet, AS_CONTROLLER)
    return 'go on'
  } catch (error) {
    if (isNamespaceEnding(error)) return 'stop'
    if (isAlreadyExists(error)) return collided(step.name, deployment, context)
    const failed = creationFailed(deployment, step.name, messageOf(error), context.clock.now())
    await perform(failed.event, deployment, context)
    await writeStatus(deployment, failed.status, undefined, context)
    throw error
  }
}

/** The name is taken: by our own replica set, which the cache did not show, or by another, so that the name needs another hash. */
async function collided(
  name: string,
  deployment: Deployment,
  context: KeyContext,
): Promise<'go on' | 'stop'> {
  const there = await context.client.find(ReplicaSet, {
    namespace: deployment.metadata.namespace!,
    name,
  })
  const template = there?.spec.template
  const ours =
    there &&
    isControlledBy(there, deployment) &&
    template &&
    templatesEqual(template, deployment.spec.template)
  if (ours || !there) return 'stop'
  const collisionCount = (deployment.status?.collisionCount ?? 0) + 1
  await writeStatus(deployment, { ...deployment.status, collisionCount }, undefined, context)
  return 'stop'
}

/** Writes status and revision, unless the deployment has been replaced by this very plan or nothing is new. */
async function tell(
  deployment: Deployment,
  plan: DeploymentPlan,
  context: KeyContext,
): Promise<void> {
  if (plan.steps.some((it) => it.type === 'replace')) return
  const sameRevision = deployment.metadata.annotations?.[REVISION] === plan.revision
  if (sameRevision && sameMeaning(deployment.status, plan.status)) return
  await writeStatus(deployment, plan.status, plan.revision, context)
}

async function writeStatus(
  deployment: Deployment,
  status: NonNullable<Deployment['status']>,
  revision: string | undefined,
  context: KeyContext,
): Promise<void> {
  const annotations = {
    ...deployment.metadata.annotations,
    ...(revision !== undefined && { [REVISION]: revision }),
  }
  const metadata = { ...deployment.metadata, annotations }
  await updateStatus(context, Deployment, { ...deployment, metadata, status })
}
