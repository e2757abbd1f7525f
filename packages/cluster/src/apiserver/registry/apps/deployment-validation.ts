import {
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import { mapAt, numberAt, objectAt, textAt, type Readable } from '../fields.ts'
import {
  checkIntOrPercent,
  checkNonNegative,
  checkNonNegativeFields,
  type Errors,
} from '../generic/checks.ts'
import { internalForm } from '../generic/internal-form.ts'
import type { Draft } from '../strategy.ts'
import { checkPodTemplate } from '../core/pod-validation.ts'
import {
  amount,
  checkAtMostAll,
  checkLasting,
  checkReplicaTemplate,
  checkSelector,
  noMatch,
  selectorShown,
  specOf,
  unlessSame,
} from './workload-checks.ts'

/** A new or changed Deployment (ValidateDeploymentSpec). */
export function validateDeployment(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = specOf(object)
  checkNonNegative(errors, 'spec.replicas', numberAt(spec, 'replicas'))
  if (checkSelector(errors, spec, 'deployment')) checkReplicaTemplate(errors, spec)
  else
    errors.push(
      invalidValue(
        'spec.selector',
        selectorShown(objectAt(spec, 'selector')),
        'invalid label selector',
      ),
    )
  checkStrategy(errors, objectAt(spec, 'strategy') ?? {})
  checkNonNegativeFields(errors, 'spec', spec, ['minReadySeconds', 'revisionHistoryLimit'])
  const deadline = numberAt(spec, 'progressDeadlineSeconds')
  if (deadline !== undefined) {
    checkNonNegative(errors, 'spec.progressDeadlineSeconds', deadline)
    if (deadline <= (numberAt(spec, 'minReadySeconds') ?? 0)) {
      const why = 'must be greater than minReadySeconds'
      errors.push(invalidValue('spec.progressDeadlineSeconds', deadline, why))
    }
  }
  return errors
}

function checkStrategy(errors: Errors, strategy: Readable): void {
  const type = textAt(strategy, 'type')
  const rolling = objectAt(strategy, 'rollingUpdate')
  if (type === 'Recreate') {
    if (rolling === undefined) return
    const why = "may not be specified when strategy `type` is 'Recreate'"
    errors.push(forbiddenField('spec.strategy.rollingUpdate', why))
  } else if (type === 'RollingUpdate') checkRolling(errors, rolling ?? {})
  else
    errors.push(
      notSupported('spec.strategy', internalForm('DeploymentStrategy', strategy), [
        'Recreate',
        'RollingUpdate',
      ]),
    )
}

function checkRolling(errors: Errors, rolling: Readable): void {
  const at = 'spec.strategy.rollingUpdate'
  for (const name of ['maxUnavailable', 'maxSurge']) {
    checkIntOrPercent(errors, `${at}.${name}`, rolling[name])
  }
  if (amount(rolling['maxUnavailable']) === 0 && amount(rolling['maxSurge']) === 0) {
    const why = 'may not be 0 when `maxSurge` is 0'
    errors.push(invalidValue(`${at}.maxUnavailable`, rolling['maxUnavailable'], why))
  }
  checkAtMostAll(errors, `${at}.maxUnavailable`, rolling['maxUnavailable'])
}

/** A changed Deployment (ValidateDeploymentUpdate). */
export const validateDeploymentUpdate: (
  object: Draft,
  old: UnknownObject,
) => readonly FieldError[] = unlessSame(validateDeployment)

/** A new or changed ReplicaSet (ValidateReplicaSetSpec). */
export function validateReplicaSet(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = specOf(object)
  checkNonNegativeFields(errors, 'spec', spec, ['replicas', 'minReadySeconds'])
  if (checkSelector(errors, spec, 'deployment')) checkReplicaTemplate(errors, spec)
  else
    errors.push(
      invalidValue(
        'spec.selector',
        selectorShown(objectAt(spec, 'selector')),
        'invalid label selector',
      ),
    )
  return errors
}

/** A changed ReplicaSet (ValidateReplicaSetUpdate). */
export const validateReplicaSetUpdate: (
  object: Draft,
  old: UnknownObject,
) => readonly FieldError[] = unlessSame(validateReplicaSet)

/** A new or changed ReplicationController (ValidateReplicationControllerSpec). */
export function validateReplicationController(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = specOf(object)
  checkNonNegativeFields(errors, 'spec', spec, ['minReadySeconds'])
  const selector = mapAt(spec, 'selector')
  if (Object.keys(selector).length === 0) errors.push(required('spec.selector'))
  checkNonNegative(errors, 'spec.replicas', numberAt(spec, 'replicas'))
  const template = objectAt(spec, 'template')
  if (template === undefined) {
    errors.push(required('spec.template'))
    return errors
  }
  const meta = objectAt(template, 'metadata')
  const labels = mapAt(meta, 'labels')
  if (Object.keys(selector).some((key) => labels[key] !== selector[key])) {
    errors.push(noMatch('spec.template', meta))
  }
  checkPodTemplate(errors, 'spec.template', template)
  checkLasting(errors, spec, 'ReplicationController')
  return errors
}

/** A PodTemplate (ValidatePodTemplate). */
export function validatePodTemplate(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  checkPodTemplate(errors, 'template', objectAt(object, 'template') ?? {})
  return errors
}
