import { type UnknownObject, nameIsDnsLabel } from 'kubewright/machinery'
import {
  ensureObject,
  fillAbsent,
  fillEmpty,
  has,
  itemsAt,
  numberAt,
  objectAt,
  same,
  type Fields,
} from '../fields.ts'
import { contentChanged, specChanged, statusOnly, whole } from '../generic/whole-and-status.ts'
import type { Draft, Strategy, StrategyContext } from '../strategy.ts'
import { defaultPodTemplate } from '../core/pod-defaults.ts'
import { defaultClaim } from '../core/persistent-volume-claim-defaults.ts'
import { claimSpecWarnings } from '../core/persistent-volume-claim-warnings.ts'
import { nameWarnings } from '../core/pod.ts'
import { withTemplate } from '../core/pod-template.ts'
import { templateWarnings } from '../core/pod-warnings.ts'
import * as daemons from './daemon-set-validation.ts'
import * as deployments from './deployment-validation.ts'
import { validateRevision, validateRevisionUpdate } from './revision-validation.ts'
import { validateStatefulSet, validateStatefulSetUpdate } from './stateful-set-validation.ts'
import { statusCounts } from './workload-checks.ts'

const specOf = (object: Draft): Fields => ensureObject(object, 'spec')

function defaultTemplate(spec: Fields): void {
  defaultPodTemplate(ensureObject(spec, 'template'))
}

/** The defaults of kubernetes/pkg/apis/apps/v1/defaults.go, a kind each. */
function defaultDeployment(object: Draft): void {
  const spec = specOf(object)
  fillAbsent(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 })
  const strategy = ensureObject(spec, 'strategy')
  fillEmpty(strategy, { type: 'RollingUpdate' })
  if (strategy['type'] === 'RollingUpdate') {
    fillAbsent(ensureObject(strategy, 'rollingUpdate'), { maxUnavailable: '25%', maxSurge: '25%' })
  }
  defaultTemplate(spec)
}

function defaultReplicaSet(object: Draft): void {
  const spec = specOf(object)
  fillAbsent(spec, { replicas: 1 })
  defaultTemplate(spec)
}

function defaultDaemonSet(object: Draft): void {
  const spec = specOf(object)
  fillAbsent(spec, { revisionHistoryLimit: 10 })
  const strategy = ensureObject(spec, 'updateStrategy')
  fillEmpty(strategy, { type: 'RollingUpdate' })
  if (strategy['type'] === 'RollingUpdate') {
    fillAbsent(ensureObject(strategy, 'rollingUpdate'), { maxUnavailable: 1, maxSurge: 0 })
  }
  defaultTemplate(spec)
}

function defaultStatefulSet(object: Draft): void {
  const spec = specOf(object)
  fillEmpty(spec, { podManagementPolicy: 'OrderedReady' })
  fillAbsent(spec, { replicas: 1, revisionHistoryLimit: 10, serviceName: '' })
  const strategy = ensureObject(spec, 'updateStrategy')
  if (!strategy['type']) {
    strategy['type'] = 'RollingUpdate'
    ensureObject(strategy, 'rollingUpdate')
  }
  if (strategy['type'] === 'RollingUpdate' && has(strategy, 'rollingUpdate')) {
    fillAbsent(ensureObject(strategy, 'rollingUpdate'), { partition: 0 })
  }
  fillEmpty(ensureObject(spec, 'persistentVolumeClaimRetentionPolicy'), {
    whenDeleted: 'Retain',
    whenScaled: 'Retain',
  })
  for (const claim of itemsAt(spec, 'volumeClaimTemplates')) {
    claim['apiVersion'] = 'v1'
    claim['kind'] = 'PersistentVolumeClaim'
    ensureObject(claim, 'metadata')
    defaultClaim(claim)
  }
  defaultTemplate(spec)
}

const replicaCounts = statusCounts(
  ['replicas', 'observedGeneration', 'terminatingReplicas'],
  ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
  'readyReplicas',
)

const warnings = templateWarnings(
  (object) => objectAt(objectAt(object, 'spec'), 'template'),
  'spec.template',
)

/** The warnings of a kind whose name pods inherit. */
const namedWarnings = {
  ...warnings,
  warningsOnCreate: (object: Draft, context: StrategyContext) => [
    ...nameWarnings(object, 'Pod names and hostnames'),
    ...warnings.warningsOnCreate(object, context),
  ],
}

const TEMPLATE = ['spec', 'template'] as const
const DEPLOYMENT_STATUS = { emptyStatus: {}, statusKeeps: 'labels' } as const

/** Deployment: a change of its annotations counts as well (kubernetes/pkg/registry/apps/deployment/strategy.go). */
export const DEPLOYMENT: Strategy = Object.freeze({
  applyDefaults: defaultDeployment,
  ...withTemplate(
    whole({
      ...DEPLOYMENT_STATUS,
      counts: (object, old) =>
        specChanged(object, old) ||
        !same(
          objectAt(object, 'metadata')?.['annotations'] ?? {},
          objectAt(old, 'metadata')?.['annotations'] ?? {},
        ),
    }),
    TEMPLATE,
  ),
  validate: deployments.validateDeployment,
  validateUpdate: deployments.validateDeploymentUpdate,
  ...namedWarnings,
  subresources: {
    status: {
      ...statusOnly(DEPLOYMENT_STATUS),
      validateUpdate: statusCounts(
        ['observedGeneration', 'replicas', 'unavailableReplicas', 'terminatingReplicas'],
        ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
        'readyReplicas',
      ),
    },
  },
})

/** ReplicaSet (kubernetes/pkg/registry/apps/replicaset/strategy.go). */
export const REPLICA_SET: Strategy = Object.freeze({
  applyDefaults: defaultReplicaSet,
  ...withTemplate(whole({ emptyStatus: { replicas: 0 }, counts: specChanged }), TEMPLATE),
  validate: deployments.validateReplicaSet,
  validateUpdate: deployments.validateReplicaSetUpdate,
  ...namedWarnings,
  subresources: { status: { ...statusOnly(), validateUpdate: replicaCounts } },
})

const statefulSet = withTemplate(
  whole({ emptyStatus: { replicas: 0, availableReplicas: 0 }, counts: specChanged }),
  TEMPLATE,
)

/** StatefulSet (kubernetes/pkg/registry/apps/statefulset/strategy.go). */
export const STATEFUL_SET: Strategy = Object.freeze({
  applyDefaults: defaultStatefulSet,
  ...statefulSet,
  prepareForCreate: (object, context) => {
    dropMaxUnavailable(object)
    return statefulSet.prepareForCreate(object, context)
  },
  prepareForUpdate: (object, old, context) => {
    const held = rollingUpdate(old as Draft)
    if (!has(held, 'maxUnavailable')) dropMaxUnavailable(object)
    return statefulSet.prepareForUpdate(object, old, context)
  },
  validateName: nameIsDnsLabel,
  validate: validateStatefulSet,
  validateUpdate: validateStatefulSetUpdate,
  warningsOnCreate: (object, context) => [
    ...warnings.warningsOnCreate(object, context),
    ...setWarnings(object, ''),
  ],
  warningsOnUpdate: (object, old, context) => [
    ...warnings.warningsOnUpdate(object, old, context),
    ...setWarnings(object, '.Spec'),
  ],
  subresources: {
    status: {
      ...statusOnly(),
      validateUpdate: statusCounts(
        ['replicas', 'observedGeneration'],
        ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
        'status.readyReplicas',
      ),
    },
  },
} satisfies Strategy)

/** Kubernetes names the claims' fields otherwise on an update. */
function setWarnings(object: Draft, within: string): readonly string[] {
  const spec = objectAt(object, 'spec')
  const revisions =
    'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended'
  return [
    ...itemsAt(spec, 'volumeClaimTemplates').flatMap((it, i) =>
      claimSpecWarnings(objectAt(it, 'spec'), `spec.volumeClaimTemplates[${i}]${within}`),
    ),
    ...((numberAt(spec, 'revisionHistoryLimit') ?? 0) < 0 ? [revisions] : []),
  ]
}

const rollingUpdate = (object: Draft): Fields | undefined =>
  objectAt(objectAt(objectAt(object, 'spec'), 'updateStrategy'), 'rollingUpdate')

/** The feature MaxUnavailableStatefulSet is off in v1.36. */
function dropMaxUnavailable(object: Draft): void {
  delete rollingUpdate(object)?.['maxUnavailable']
}

const daemonSet = withTemplate(
  whole({
    emptyStatus: {
      currentNumberScheduled: 0,
      numberMisscheduled: 0,
      desiredNumberScheduled: 0,
      numberReady: 0,
    },
    counts: specChanged,
  }),
  TEMPLATE,
)

/** Where a daemon set counts the changes of its template since the field for it went. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation'

/** DaemonSet (kubernetes/pkg/registry/apps/daemonset/strategy.go, conversion of the template's generation). */
export const DAEMON_SET: Strategy = Object.freeze({
  applyDefaults: (object: Draft) => {
    defaultDaemonSet(object)
    // Every version of the object shows the count, so whoever writes the object owns it.
    setTemplateGeneration(object, Number(object.metadata.annotations?.[TEMPLATE_GENERATION] ?? 0))
  },
  ...daemonSet,
  prepareForCreate: (object, context) => {
    const given = Number(object.metadata.annotations?.[TEMPLATE_GENERATION] ?? 0)
    setTemplateGeneration(object, given >= 1 ? given : 1)
    return daemonSet.prepareForCreate(object, context)
  },
  prepareForUpdate: (object, old, context) => {
    const before = Number(old.metadata.annotations?.[TEMPLATE_GENERATION] ?? 0)
    const changed = !same(
      objectAt(object, 'spec')?.['template'],
      objectAt(old, 'spec')?.['template'],
    )
    setTemplateGeneration(object, changed ? before + 1 : before)
    return daemonSet.prepareForUpdate(object, old, context)
  },
  validate: daemons.validateDaemonSet,
  validateUpdate: daemons.validateDaemonSetUpdate,
  ...warnings,
  subresources: {
    status: {
      ...statusOnly(),
      prepareForUpdate: (object: Draft, old: UnknownObject, context: StrategyContext) => {
        setTemplateGeneration(object, Number(old.metadata.annotations?.[TEMPLATE_GENERATION] ?? 0))
        return statusOnly().prepareForUpdate?.(object, old, context)
      },
      validateUpdate: daemons.validateDaemonSetStatus,
    },
  },
} satisfies Strategy)

function setTemplateGeneration(object: Draft, generation: number): void {
  object.metadata.annotations = {
    ...object.metadata.annotations,
    [TEMPLATE_GENERATION]: String(generation),
  }
}

/** ControllerRevision (kubernetes/pkg/registry/apps/controllerrevision/strategy.go). */
export const CONTROLLER_REVISION: Strategy = Object.freeze({
  validate: validateRevision,
  validateUpdate: validateRevisionUpdate,
})

/** PodTemplate (kubernetes/pkg/registry/core/podtemplate/strategy.go). */
export const POD_TEMPLATE: Strategy = Object.freeze({
  applyDefaults: (object: Draft) => defaultPodTemplate(ensureObject(object, 'template')),
  ...withTemplate(whole({ counts: contentChanged }), ['template']),
  validate: deployments.validatePodTemplate,
  validateUpdate: deployments.validatePodTemplate,
  ...templateWarnings((object) => objectAt(object, 'template'), 'template'),
})

function defaultReplicationController(object: Draft): void {
  const spec = specOf(object)
  fillAbsent(spec, { replicas: 1 })
  const template = objectAt(spec, 'template')
  const labels = objectAt(objectAt(template, 'metadata'), 'labels')
  if (labels) {
    if (Object.keys(objectAt(spec, 'selector') ?? {}).length === 0) spec['selector'] = { ...labels }
    if (Object.keys(object.metadata.labels ?? {}).length === 0) {
      object.metadata.labels = { ...(labels as Record<string, string>) }
    }
  }
  if (template) defaultPodTemplate(template)
}

/** ReplicationController (kubernetes/pkg/registry/core/replicationcontroller/strategy.go). */
export const REPLICATION_CONTROLLER: Strategy = Object.freeze({
  applyDefaults: defaultReplicationController,
  ...withTemplate(whole({ emptyStatus: { replicas: 0 }, counts: specChanged }), TEMPLATE),
  validate: deployments.validateReplicationController,
  validateUpdate: deployments.validateReplicationController,
  ...namedWarnings,
  defaultPropagation: 'Orphan',
  selectableFields: {
    'status.replicas': (it) => String(objectAt(it, 'status')?.['replicas'] ?? 0),
  },
  subresources: { status: { ...statusOnly(), validateUpdate: replicaCounts } },
} satisfies Strategy)
