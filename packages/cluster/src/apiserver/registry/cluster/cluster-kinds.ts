import { timeText } from 'kubewright/machinery'
import { nodeLabelWarning } from '../core/node-label-warnings.ts'
import { ensureObject, fillAbsent, fillEmpty, mapAt, objectAt } from '../fields.ts'
import { firstGeneration, specChanged, statusOnly, whole } from '../generic/whole-and-status.ts'
import type { Draft, Strategy } from '../strategy.ts'
import * as rules from './cluster-validation.ts'
import * as flow from './flow-control-validation.ts'

function dropCoordinatedElection(object: Draft): void {
  const spec = objectAt(object, 'spec')
  delete spec?.['strategy']
  delete spec?.['preferredHolder']
}

/** Lease (kubernetes/pkg/registry/coordination/lease/strategy.go). */
export const LEASE: Strategy = Object.freeze({
  // `spec` is written even when empty; coordinated leader election is off in v1.36.
  applyDefaults: (object: Draft) => void ensureObject(object, 'spec'),
  prepareForCreate: dropCoordinatedElection,
  prepareForUpdate: dropCoordinatedElection,
  validate: rules.validateLease,
  validateUpdate: rules.validateLease,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
})

/** PriorityClass: a generation that never moves (kubernetes/pkg/registry/scheduling/priorityclass/strategy.go). */
export const PRIORITY_CLASS: Strategy = Object.freeze({
  applyDefaults: (object: Draft) => {
    fillAbsent(object, { value: 0, preemptionPolicy: 'PreemptLowerPriority' })
  },
  prepareForCreate: firstGeneration,
  validate: rules.validatePriorityClass,
  validateUpdate: rules.validatePriorityClassUpdate,
})

const runtimeWarnings = (object: Draft): readonly string[] =>
  Object.keys(mapAt(objectAt(object, 'scheduling'), 'nodeSelector')).flatMap((key) => {
    const why = nodeLabelWarning(key)
    return why === undefined ? [] : [`scheduling.nodeSelector: ${why}`]
  })

/** RuntimeClass (kubernetes/pkg/registry/node/runtimeclass/strategy.go). */
export const RUNTIME_CLASS: Strategy = Object.freeze({
  validate: rules.validateRuntimeClass,
  validateUpdate: rules.validateRuntimeClassUpdate,
  warningsOnCreate: runtimeWarnings,
  warningsOnUpdate: runtimeWarnings,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
})

/** FlowSchema (kubernetes/pkg/registry/flowcontrol/flowschema/strategy.go). */
export const FLOW_SCHEMA: Strategy = Object.freeze({
  applyDefaults: (object: Draft) =>
    fillEmpty(ensureObject(object, 'spec'), { matchingPrecedence: 1000 }),
  ...whole({ emptyStatus: {}, counts: specChanged }),
  validate: flow.validateFlowSchema,
  validateUpdate: flow.validateFlowSchema,
  subresources: {
    status: { ...statusOnly({ statusKeeps: 'metadata' }), validateUpdate: flow.validateFlowStatus },
  },
})

function defaultPriorityLevel(object: Draft): void {
  const spec = ensureObject(object, 'spec')
  const exempt = objectAt(spec, 'exempt')
  if (exempt) fillAbsent(exempt, { nominalConcurrencyShares: 0, lendablePercent: 0 })
  const limited = objectAt(spec, 'limited')
  if (!limited) return
  fillAbsent(limited, { nominalConcurrencyShares: 30, lendablePercent: 0 })
  const queuing = objectAt(ensureObject(limited, 'limitResponse'), 'queuing')
  if (queuing) fillEmpty(queuing, { queues: 64, handSize: 8, queueLengthLimit: 50 })
}

/** PriorityLevelConfiguration (kubernetes/pkg/registry/flowcontrol/prioritylevelconfiguration/strategy.go). */
export const PRIORITY_LEVEL: Strategy = Object.freeze({
  applyDefaults: defaultPriorityLevel,
  validate: flow.validatePriorityLevel,
  validateUpdate: flow.validatePriorityLevel,
  ...whole({ emptyStatus: {}, counts: specChanged }),
  subresources: {
    status: { ...statusOnly({ statusKeeps: 'metadata' }), validateUpdate: flow.validateFlowStatus },
  },
})

const LOCAL = Object.freeze({
  type: 'Available',
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
})

/** APIService (kube-aggregator/pkg/registry/apiservice/strategy.go): one without a service is served here. */
export const API_SERVICE: Strategy = Object.freeze({
  applyDefaults: (object: Draft) => {
    const service = objectAt(objectAt(object, 'spec'), 'service')
    if (service) fillAbsent(service, { port: 443 })
  },
  ...whole({ emptyStatus: {} }),
  prepareForCreate: (object, context) => {
    const local = !objectAt(objectAt(object, 'spec'), 'service')
    const lastTransitionTime = timeText(context.clock.now())
    object['status'] = local ? { conditions: [{ ...LOCAL, lastTransitionTime }] } : {}
  },
  validate: rules.validateApiService,
  validateUpdate: rules.validateApiService,
  allowUnconditionalUpdate: false,
  subresources: {
    status: {
      ...statusOnly({ statusKeeps: 'metadata' }),
      validateUpdate: rules.validateApiServiceStatus,
      allowUnconditionalUpdate: false,
    },
  },
} satisfies Strategy)

/** A kind with a spec and a status of which nothing more is known: generation by spec, status apart. */
export const SPEC_AND_STATUS: Strategy = Object.freeze({
  ...whole({ emptyStatus: {}, counts: specChanged }),
  subresources: { status: statusOnly() },
})

/** A kind without a status. */
export const PLAIN: Strategy = Object.freeze({})
