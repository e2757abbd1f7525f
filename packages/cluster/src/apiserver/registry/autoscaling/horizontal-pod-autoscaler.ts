import type { UnknownObject } from 'kubewright/machinery'
import {
  ensureObject,
  fillAbsent,
  has,
  itemsAt,
  objectAt,
  type Fields,
  type Readable,
} from '../fields.ts'
import { convertBuiltin } from '../convert.ts'
import { statusOnly, whole } from '../generic/whole-and-status.ts'
import type { Draft, Strategy, StrategyContext } from '../strategy.ts'
import {
  validateAutoscaler,
  validateAutoscalerStatus,
  validateAutoscalerUpdate,
} from './autoscaler-validation.ts'
import { canonicalAmount } from '../core/resource-list.ts'

/** Behaviour that an author leaves out when he says anything about behaviour (apis/autoscaling/v2/defaults.go). */
const SCALE_UP: Readable = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
}
const SCALE_DOWN: Readable = {
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
}
const CPU_PERCENT = 80

function defaultV2(object: Draft): void {
  const spec = ensureObject(object, 'spec')
  fillAbsent(spec, { minReplicas: 1 })
  if (itemsAt(spec, 'metrics').length === 0) {
    spec['metrics'] = [
      {
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: CPU_PERCENT } },
      },
    ]
  }
  for (const metric of itemsAt(spec, 'metrics')) canonicalMetric(metric)
  const behavior = objectAt(spec, 'behavior')
  if (behavior) {
    behavior['scaleUp'] = withRules(behavior, 'scaleUp', SCALE_UP)
    behavior['scaleDown'] = withRules(behavior, 'scaleDown', SCALE_DOWN)
  }
  const status = ensureObject(object, 'status')
  fillAbsent(status, { desiredReplicas: 0 })
  status['currentMetrics'] ??= null
}

const SOURCES = ['resource', 'pods', 'object', 'external', 'containerResource']

function canonicalMetric(metric: Fields): void {
  for (const source of SOURCES) {
    const target = objectAt(objectAt(metric, source), 'target')
    canonicalAmount(target, 'value')
    canonicalAmount(target, 'averageValue')
  }
}

function withRules(behavior: Fields, name: string, defaults: Readable): Fields {
  const rules: Fields = { ...objectAt(behavior, name) }
  for (const field in defaults)
    if (!has(rules, field)) rules[field] = structuredClone(defaults[field])
  canonicalAmount(rules, 'tolerance')
  return rules
}

function defaultV1(object: Draft): void {
  const spec = ensureObject(object, 'spec')
  fillAbsent(spec, { minReplicas: 1 })
  const status = ensureObject(object, 'status')
  fillAbsent(status, { currentReplicas: 0, desiredReplicas: 0 })
  // Other metrics, if there are any, live in an annotation; without them the CPU is what counts.
  const others = object.metadata.annotations?.[METRICS]
  if (!others) fillAbsent(spec, { targetCPUUtilizationPercentage: CPU_PERCENT })
}

/** Where v1 keeps what only v2 has a field for. */
export const METRICS = 'autoscaling.alpha.kubernetes.io/metrics'

const RULES = {
  validate: validateAutoscaler,
  validateUpdate: validateAutoscalerUpdate,
  subresources: { status: { ...statusOnly(), validateUpdate: validateAutoscalerStatus } },
} satisfies Strategy

/** HorizontalPodAutoscaler of v2 (kubernetes/pkg/registry/autoscaling/horizontalpodautoscaler/strategy.go). */
export const AUTOSCALER_V2: Strategy = Object.freeze({
  applyDefaults: defaultV2,
  ...whole({ emptyStatus: { desiredReplicas: 0, currentMetrics: null } }),
  ...RULES,
})

const asV2 = (object: UnknownObject): UnknownObject =>
  convertBuiltin(object, 'autoscaling/v1', 'autoscaling/v2')

const wholeV2 = whole({ emptyStatus: { desiredReplicas: 0, currentMetrics: null } })
const statusV2 = statusOnly()

/** Does with an object of v1 what is meant for one of v2: what v1 has no fields for travels in annotations. */
function throughV2(object: Draft, change: (draft: Draft) => void): void {
  const draft = structuredClone(asV2(object as UnknownObject)) as Draft
  change(draft)
  const back = convertBuiltin(draft as UnknownObject, 'autoscaling/v2', 'autoscaling/v1') as Draft
  for (const name in object) delete (object as Fields)[name]
  Object.assign(object, back)
}

/** HorizontalPodAutoscaler of v1. */
export const AUTOSCALER_V1: Strategy = Object.freeze({
  applyDefaults: defaultV1,
  ...wholeV2,
  prepareForCreate: (object: Draft, context: StrategyContext) =>
    throughV2(object, (draft) => void wholeV2.prepareForCreate(draft, context)),
  prepareForUpdate: (object: Draft, old: UnknownObject, context: StrategyContext) =>
    throughV2(object, (draft) => void wholeV2.prepareForUpdate(draft, asV2(old), context)),
  // Both versions have one set of rules, which names fields as v2 does.
  validate: (object: Draft) => validateAutoscaler(asV2(object as UnknownObject)),
  validateUpdate: (object: Draft, old: UnknownObject) =>
    validateAutoscalerUpdate(asV2(object as UnknownObject), asV2(old)),
  // What is stored is of v2, and has its defaults.
  canonicalize: (object: Draft) => throughV2(object, defaultV2),
  subresources: {
    status: {
      ...statusV2,
      prepareForUpdate: (object: Draft, old: UnknownObject, context: StrategyContext) =>
        throughV2(object, (draft) => void statusV2.prepareForUpdate(draft, asV2(old), context)),
      validateUpdate: (object: Draft) =>
        validateAutoscalerStatus(asV2(object as UnknownObject) as Draft),
    },
  },
} satisfies Strategy)
