import { specChanged, statusOnly, whole } from '../generic/whole-and-status.ts'
import { invalidValue, type FieldError } from 'kubewright/machinery'
import { checkAtMostAll } from '../apps/workload-checks.ts'
import { has, itemsAt, objectAt, textAt } from '../fields.ts'
import { checkConditions } from '../generic/conditions.ts'
import {
  checkIntOrPercent,
  checkLabelSelector,
  checkNonNegativeFields,
  checkOneOf,
  type Errors,
} from '../generic/checks.ts'
import type { Draft, Strategy } from '../strategy.ts'

/** A budget names one bound, and whose pods it is about (ValidatePodDisruptionBudgetSpec). */
function validateBudget(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec') ?? {}
  if (has(spec, 'minAvailable') && has(spec, 'maxUnavailable')) {
    const why = 'minAvailable and maxUnavailable cannot be both set'
    const shown = {
      MinAvailable: spec['minAvailable'],
      Selector: spec['selector'] ?? null,
      MaxUnavailable: spec['maxUnavailable'],
      UnhealthyPodEvictionPolicy: spec['unhealthyPodEvictionPolicy'] ?? null,
    }
    errors.push(invalidValue('spec', shown, why))
  }
  for (const name of ['minAvailable', 'maxUnavailable']) {
    checkIntOrPercent(errors, `spec.${name}`, spec[name])
    checkAtMostAll(errors, `spec.${name}`, spec[name])
  }
  checkLabelSelector(errors, 'spec.selector', objectAt(spec, 'selector'))
  if (has(spec, 'unhealthyPodEvictionPolicy')) {
    const policy = textAt(spec, 'unhealthyPodEvictionPolicy')
    checkOneOf(errors, 'spec.unhealthyPodEvictionPolicy', policy, [
      'AlwaysAllow',
      'IfHealthyBudget',
    ])
  }
  return errors
}

function validateStatus(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  checkConditions(errors, 'status.conditions', itemsAt(objectAt(object, 'status'), 'conditions'))
  const counts = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods']
  checkNonNegativeFields(errors, 'status', objectAt(object, 'status') ?? {}, counts)
  return errors
}

/** PodDisruptionBudget (kubernetes/pkg/registry/policy/poddisruptionbudget/strategy.go). */
export const POD_DISRUPTION_BUDGET: Strategy = Object.freeze({
  ...whole({
    emptyStatus: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
    counts: specChanged,
  }),
  validate: validateBudget,
  validateUpdate: validateBudget,
  allowUnconditionalUpdate: false,
  subresources: {
    status: { ...statusOnly(), validateUpdate: validateStatus, allowUnconditionalUpdate: false },
  },
})
