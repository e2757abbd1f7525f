import type { Deployment, ReplicaSet } from 'kubewright/kinds/apps/v1'
import type { Pod } from 'kubewright/kinds/core/v1'
import { planDeployment } from './decide.ts'
import type { DeploymentPlan, DeploymentStep } from './plan.ts'
import { REVISION } from './revision.ts'

/** A deployment and its replica sets, as a server would keep them: what a plan says is done to it, and nothing else. */
export interface World {
  deployment: Deployment
  readonly replicaSets: Map<string, ReplicaSet>
  now: number
}

/** A world with one deployment, whose defaults are those that a server fills in. */
export function world(
  name: string,
  image: string,
  replicas: number,
  strategy: Deployment['spec']['strategy'] = {
    type: 'RollingUpdate',
    rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' },
  },
): World {
  return {
    deployment: {
      metadata: { name, namespace: 'default', uid: `uid-${name}`, generation: 1 },
      spec: {
        replicas,
        selector: { matchLabels: { app: name } },
        template: template(name, image),
        strategy: strategy!,
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
      },
    },
    replicaSets: new Map(),
    now: Date.UTC(2026, 0, 1),
  }
}

/** The pod template of a deployment with one container. */
export function template(name: string, image: string): Deployment['spec']['template'] {
  return { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image }] } }
}

/** Changes the spec, as an update by a user does. */
export function edit(it: World, spec: Partial<Deployment['spec']>): void {
  const { metadata } = it.deployment
  it.deployment = {
    ...it.deployment,
    metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1 },
    spec: { ...it.deployment.spec, ...spec },
  }
}

/** One sync: plans, does what the plan says, and tells the plan. */
export function sync(
  it: World,
  pods: ReadonlyMap<string, readonly Pod[]> = new Map(),
): DeploymentPlan {
  it.now += 1000
  const replicaSets = [...it.replicaSets.values()]
  const plan = planDeployment({ deployment: it.deployment, replicaSets, pods, now: it.now })
  for (const step of plan.steps) perform(it, step)
  const { metadata } = it.deployment
  it.deployment = {
    ...it.deployment,
    metadata: {
      ...metadata,
      annotations: {
        ...metadata.annotations,
        ...(plan.revision !== undefined && { [REVISION]: plan.revision }),
      },
    },
    status: plan.status,
  }
  return plan
}

function perform(it: World, step: DeploymentStep): void {
  switch (step.type) {
    case 'create':
      it.replicaSets.set(step.name, stored(step.replicaSet as ReplicaSet, it.now))
      break
    case 'update':
      it.replicaSets.set(step.replicaSet.metadata.name!, renewed(step.replicaSet))
      break
    case 'delete':
      it.replicaSets.delete(step.replicaSet.metadata.name!)
      break
    case 'replace':
      it.deployment = step.deployment
      edit(it, {})
      break
    case 'event':
      break
  }
}

function stored(replicaSet: ReplicaSet, now: number): ReplicaSet {
  const { name } = replicaSet.metadata
  return {
    ...replicaSet,
    metadata: {
      ...replicaSet.metadata,
      uid: `uid-${name}`,
      generation: 1,
      creationTimestamp: new Date(now).toISOString(),
    },
    status: { replicas: 0 },
  }
}

function renewed(replicaSet: ReplicaSet): ReplicaSet {
  const { metadata } = replicaSet
  return { ...replicaSet, metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1 } }
}

/** Does what a replica set's own controller and the nodes do: pods exist as wanted, and at most `ready` of them are available. */
export function settle(
  it: World,
  ready: (name: string, replicas: number) => number = (_, n) => n,
): void {
  for (const [name, set] of it.replicaSets) {
    const replicas = set.spec.replicas ?? 1
    const available = Math.min(replicas, ready(name, replicas))
    it.replicaSets.set(name, {
      ...set,
      status: {
        replicas,
        readyReplicas: available,
        availableReplicas: available,
        terminatingReplicas: 0,
        observedGeneration: set.metadata.generation ?? 0,
      },
    })
  }
}

/** The world in lines: the deployment's counts and conditions, and every replica set. */
export function picture(it: World): string {
  const { status, metadata } = it.deployment
  const conditions = (status?.conditions ?? []).map((c) => `${c.type}=${c.status}/${c.reason}`)
  const sets = [...it.replicaSets.values()].map((set) => {
    const revision = set.metadata.annotations?.[REVISION]
    const image = set.spec.template?.spec.containers[0]?.image
    return `  ${set.metadata.name} rev ${revision} ${image}: wants ${set.spec.replicas}, available ${set.status?.availableReplicas ?? 0}`
  })
  const counts = `updated ${status?.updatedReplicas ?? 0} of ${status?.replicas ?? 0}, available ${status?.availableReplicas ?? 0}`
  return [
    `deployment ${metadata.name} rev ${metadata.annotations?.[REVISION]}: ${counts}; ${conditions.join(' ')}`,
    ...sets,
  ].join('\n')
}
