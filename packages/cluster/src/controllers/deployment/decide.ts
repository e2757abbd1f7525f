import type { Deployment, DeploymentStatus, ReplicaSet } from 'kubewright/kinds/apps/v1'
import { Deployment as DeploymentKind } from 'kubewright/kinds/apps/v1'
import { controllerReference, type Draft, findCondition } from 'kubewright/machinery'
import { POD_TEMPLATE_HASH, templatesEqual, withoutKey } from '../workload/pod-template.ts'
import { templateHash } from '../workload/template-hash.ts'
import {
  type DeploymentObserved,
  type DeploymentPlan,
  type DeploymentStep,
  normal,
  warning,
} from './plan.ts'
import {
  allOf,
  annotationsOfRollback,
  byCreation,
  compareRevisions,
  currentAnnotations,
  lastRevision,
  maxRevision,
  replicasAnnotations,
  REVISION,
  revisionOf,
  type Revisions,
  ROLLBACK_TO,
  sortRevisions,
} from './revision.ts'
import { currentSize, oldPodsRunning, rollForward, stopOld } from './rollout.ts'
import { isScalingEvent, resize, scaleDeployment, type Scaling, size, totalSize } from './scale.ts'
import {
  condition,
  countedStatus,
  isComplete,
  pausedStatus,
  rolloutStatus,
  setCondition,
  untilDeadline,
} from './status.ts'
import { historyLimit, isRollingUpdate, progressDeadline, wanted } from './strategy.ts'

/** A sync under way: the steps so far and what they make of the replica sets, the status and the revision annotation. */
interface Draught {
  readonly observed: DeploymentObserved
  readonly revisions: Revisions
  readonly steps: readonly DeploymentStep[]
  readonly status: DeploymentStatus
  readonly revision: string | undefined
}

/**
 * What a deployment needs now (kubernetes/pkg/controller/deployment syncDeployment). Each sync makes one move; the changes that it
 * causes bring the next.
 */
export function planDeployment(observed: DeploymentObserved): DeploymentPlan {
  const { deployment, replicaSets, now } = observed
  if (selectsEverything(deployment)) return refuseToSelectAll(deployment)
  const revisions = sortRevisions(deployment, replicaSets)
  const start: Draught = {
    observed,
    revisions,
    steps: [],
    status: deployment.status ?? {},
    revision: deployment.metadata.annotations?.[REVISION],
  }
  if (deployment.metadata.deletionTimestamp !== undefined) return counted(syncCurrent(start))
  const draught = { ...start, status: pausedStatus(deployment, now) }
  if (deployment.spec?.paused) return pausedPlan(draught)
  if (rollbackTarget(deployment) !== undefined) return rollbackPlan(draught)
  if (isScalingEvent(deployment, revisions)) return counted(scaled(syncCurrent(draught)))
  return isRollingUpdate(deployment) ? rollingPlan(draught) : recreatePlan(draught)
}

function selectsEverything(deployment: Deployment): boolean {
  const { matchLabels = {}, matchExpressions = [] } = deployment.spec?.selector ?? {}
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0
}

function refuseToSelectAll(deployment: Deployment): DeploymentPlan {
  const generation = deployment.metadata.generation ?? 0
  return {
    steps: [
      warning(
        'SelectingAll',
        'This deployment is selecting all pods. A non-empty selector is required.',
      ),
    ],
    status: { ...deployment.status, observedGeneration: generation },
    revision: deployment.metadata.annotations?.[REVISION],
    after: undefined,
  }
}

/** Ends a sync with the counts alone: nothing rolls. */
function counted(it: Draught): DeploymentPlan {
  const { deployment, now } = it.observed
  const status = countedStatus(deployment, it.status, it.revisions, now)
  return { steps: it.steps, status, revision: it.revision, after: undefined }
}

/** Ends a sync of a rollout: counts, progress and failures. */
function rolled(it: Draught): DeploymentPlan {
  const { deployment, now } = it.observed
  const status = rolloutStatus(deployment, it.status, it.revisions, now)
  const after = untilDeadline(deployment, status, now)
  return { steps: it.steps, status, revision: it.revision, after }
}

function applied(it: Draught, scaling: Scaling): Draught {
  return { ...it, revisions: scaling.revisions, steps: [...it.steps, ...scaling.steps] }
}

function scaled(it: Draught): Draught {
  return applied(it, scaleDeployment(it.observed.deployment, it.revisions))
}

function pausedPlan(it: Draught): DeploymentPlan {
  const now = scaled(syncCurrent(it))
  return counted(rollbackTarget(it.observed.deployment) === undefined ? cleanedUp(now) : now)
}

function rollingPlan(start: Draught): DeploymentPlan {
  const it = ensureCurrent(start)
  const scaling = rollForward(it.observed.deployment, it.revisions)
  const next = applied(it, scaling)
  return rolled(scaling.scaled ? next : cleanedUpWhenComplete(next))
}

function recreatePlan(start: Draught): DeploymentPlan {
  const { deployment, pods } = start.observed
  const it = syncCurrent(start)
  const stopping = stopOld(deployment, it.revisions)
  if (stopping.scaled) return rolled(applied(it, stopping))
  if (oldPodsRunning(it.revisions, pods)) return rolled(it)
  const made = ensureCurrent(it)
  const { current } = made.revisions
  const grown = current
    ? applied(made, resize(deployment, made.revisions, current, wanted(deployment)))
    : made
  return rolled(cleanedUpWhenComplete(grown))
}

/** Brings the annotations of the current replica set, and the deployment's revision, up to date. */
function syncCurrent(it: Draught): Draught {
  const { deployment, now } = it.observed
  const { current, old } = it.revisions
  if (!current) return it
  const annotations = currentAnnotations(
    deployment,
    current.metadata.annotations,
    maxRevision(old) + 1n,
  )
  const minReadySeconds = deployment.spec?.minReadySeconds ?? 0
  const updated: ReplicaSet = {
    ...current,
    metadata: { ...current.metadata, annotations },
    spec: { ...current.spec!, minReadySeconds },
  }
  const changed =
    (current.spec?.minReadySeconds ?? 0) !== minReadySeconds ||
    differ(current.metadata.annotations, annotations)
  const found = condition(
    'Progressing',
    'True',
    'FoundNewReplicaSet',
    `Found new replica set "${current.metadata.name}"`,
    now,
  )
  const unsaid =
    progressDeadline(deployment) !== undefined &&
    !findCondition(it.status.conditions, 'Progressing')
  return {
    ...it,
    revisions: changed ? { current: updated, old } : it.revisions,
    steps: changed ? [...it.steps, { type: 'update', replicaSet: updated }] : it.steps,
    status: unsaid ? setCondition(it.status, found) : it.status,
    revision: annotations[REVISION],
  }
}

function differ(
  a: Readonly<Record<string, string>> = {},
  b: Readonly<Record<string, string>> = {},
): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...keys].some((key) => a[key] !== b[key])
}

/** The current replica set, made now when there is none. */
function ensureCurrent(it: Draught): Draught {
  return it.revisions.current ? syncCurrent(it) : createCurrent(it)
}

function createCurrent(it: Draught): Draught {
  const { deployment, now } = it.observed
  const { old } = it.revisions
  const revision = maxRevision(old) + 1n
  const replicas = currentSize(deployment, 0, totalSize(old))
  const replicaSet = newReplicaSet(deployment, revision, replicas)
  const name = replicaSet.metadata!.name!
  const created = condition(
    'Progressing',
    'True',
    'NewReplicaSetCreated',
    `Created new replica set "${name}"`,
    now,
  )
  const event = normal('ScalingReplicaSet', `Scaled up replica set ${name} from 0 to ${replicas}`)
  return {
    ...it,
    revisions: { current: replicaSet as ReplicaSet, old },
    steps: [...it.steps, { type: 'create', name, replicaSet }, ...(replicas > 0 ? [event] : [])],
    status:
      progressDeadline(deployment) === undefined ? it.status : setCondition(it.status, created),
    revision: String(revision),
  }
}

const NAME_MAX = 253

/** The replica set of the deployment's template, named by its hash. */
function newReplicaSet(
  deployment: Deployment,
  revision: bigint,
  replicas: number,
): Draft<ReplicaSet> {
  const spec = deployment.spec!
  const hash = templateHash(spec.template, deployment.status?.collisionCount)
  const labels = { ...spec.template.metadata?.labels, [POD_TEMPLATE_HASH]: hash }
  const prefix = deployment.metadata.name!.slice(0, NAME_MAX - 1 - hash.length)
  return {
    metadata: {
      name: `${prefix}-${hash}`,
      namespace: deployment.metadata.namespace!,
      labels,
      annotations: {
        ...currentAnnotations(deployment, undefined, revision),
        ...replicasAnnotations(deployment),
      },
      ownerReferences: [controllerReference(DeploymentKind, deployment)],
    },
    spec: {
      replicas,
      ...(spec.minReadySeconds !== undefined && { minReadySeconds: spec.minReadySeconds }),
      selector: {
        ...spec.selector,
        matchLabels: { ...spec.selector.matchLabels, [POD_TEMPLATE_HASH]: hash },
      },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
  }
}

function cleanedUpWhenComplete(it: Draught): Draught {
  const { deployment } = it.observed
  return isComplete(deployment, deployment.status) ? cleanedUp(it) : it
}

/** Deletes the old replica sets beyond the history limit, those of the lowest revisions first, and only empty ones. */
function cleanedUp(it: Draught): Draught {
  const limit = historyLimit(it.observed.deployment)
  if (limit === undefined) return it
  const alive = it.revisions.old.filter((old) => old.metadata.deletionTimestamp === undefined)
  const surplus = alive
    .toSorted((a, b) => compareRevisions(a, b) || byCreation(a, b))
    .slice(0, Math.max(0, alive.length - limit))
    .filter(isEmpty)
  const steps = surplus.map((replicaSet): DeploymentStep => ({ type: 'delete', replicaSet }))
  return { ...it, steps: [...it.steps, ...steps] }
}

function isEmpty(it: ReplicaSet): boolean {
  const observed = it.status?.observedGeneration ?? 0
  return (
    size(it) === 0 && (it.status?.replicas ?? 0) === 0 && (it.metadata.generation ?? 0) <= observed
  )
}

/** The revision in the rollback annotation; 0 means the last one. */
function rollbackTarget(deployment: Deployment): bigint | undefined {
  const text = deployment.metadata.annotations?.[ROLLBACK_TO]
  return text !== undefined && /^-?[0-9]+$/.test(text) ? BigInt(text) : undefined
}

/** Puts an older template back and takes the request away; the next sync rolls it out. */
function rollbackPlan(start: Draught): DeploymentPlan {
  const it = ensureCurrent(start)
  const { deployment } = it.observed
  const sets = allOf(it.revisions)
  const revision = rollbackTarget(deployment) || lastRevision(sets)
  const target = sets.find((set) => revision > 0n && revisionOf(set) === revision)
  const steps = [...it.steps, ...rollbackSteps(deployment, revision, target)]
  return { steps, status: it.status, revision: it.revision, after: undefined }
}

function rollbackSteps(
  deployment: Deployment,
  revision: bigint,
  target: ReplicaSet | undefined,
): readonly DeploymentStep[] {
  const { metadata } = deployment
  const annotations = withoutKey(metadata.annotations, ROLLBACK_TO)
  const cleared: DeploymentStep = {
    type: 'replace',
    deployment: { ...deployment, metadata: { ...metadata, annotations: annotations ?? {} } },
  }
  if (!target) {
    const what =
      revision === 0n
        ? 'Unable to find last revision.'
        : 'Unable to find the revision to rollback to.'
    return [warning('DeploymentRollbackRevisionNotFound', what), cleared]
  }
  if (templatesEqual(deployment.spec!.template, target.spec!.template!)) {
    return [
      warning(
        'DeploymentRollbackTemplateUnchanged',
        `The rollback revision contains the same template as current deployment "${metadata.name}"`,
      ),
      cleared,
    ]
  }
  return [
    { type: 'replace', deployment: rolledBack(deployment, target) },
    normal(
      'DeploymentRollback',
      `Rolled back deployment "${metadata.name}" to revision ${revision}`,
    ),
  ]
}

function rolledBack(deployment: Deployment, target: ReplicaSet): Deployment {
  const template = target.spec!.template!
  const labels = withoutKey(template.metadata?.labels, POD_TEMPLATE_HASH)
  return {
    ...deployment,
    metadata: { ...deployment.metadata, annotations: annotationsOfRollback(deployment, target) },
    spec: {
      ...deployment.spec!,
      template: { ...template, metadata: { ...template.metadata, ...(labels && { labels }) } },
    },
  }
}

/** The status after the current replica set could not be made, and the event that says so. */
export function creationFailed(
  deployment: Deployment,
  name: string,
  error: string,
  now: number,
): { readonly status: DeploymentStatus; readonly event: DeploymentStep } {
  const message = `Failed to create new replica set "${name}": ${error}`
  const status = deployment.status ?? {}
  return {
    status:
      progressDeadline(deployment) === undefined
        ? status
        : setCondition(
            status,
            condition('Progressing', 'False', 'ReplicaSetCreateError', message, now),
          ),
    event: warning('ReplicaSetCreateError', message),
  }
}
