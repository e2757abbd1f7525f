import {
  invalidValue,
  notSupported,
  required,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import { mapAt, numberAt, objectAt, textAt, type Readable } from '../fields.ts'
import {
  checkIntOrPercent,
  checkLabelSelector,
  checkNonNegative,
  checkNonNegativeFields,
  isEmptySelector,
  selects,
  type Errors,
} from '../generic/checks.ts'
import { internalForm } from '../generic/internal-form.ts'
import type { Draft } from '../strategy.ts'
import { checkPodTemplate } from '../core/pod-validation.ts'
import {
  amount,
  checkAtMostAll,
  checkCollisions,
  checkLasting,
  isReadable,
  noMatch,
  specOf,
  unlessSame,
} from './workload-checks.ts'

/** A new or changed DaemonSet (ValidateDaemonSetSpec). */
export function validateDaemonSet(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = specOf(object)
  const selector = objectAt(spec, 'selector')
  const meta = objectAt(objectAt(spec, 'template'), 'metadata')
  checkLabelSelector(errors, 'spec.selector', selector)
  const readable = selector === undefined || isReadable(selector)
  const empty = selector !== undefined && isEmptySelector(selector)
  if (readable && !empty && !selects(selector, mapAt(meta, 'labels'))) {
    errors.push(noMatch('spec.template', meta))
  }
  if (empty) {
    errors.push(invalidValue('spec.selector', selector, 'empty selector is invalid for daemonset'))
  }
  checkPodTemplate(errors, 'spec.template', objectAt(spec, 'template') ?? {})
  checkLasting(errors, spec, 'DaemonSet')
  checkNonNegative(errors, 'spec.minReadySeconds', numberAt(spec, 'minReadySeconds'))
  checkDaemonStrategy(errors, objectAt(spec, 'updateStrategy') ?? {})
  checkNonNegative(errors, 'spec.revisionHistoryLimit', numberAt(spec, 'revisionHistoryLimit'))
  return errors
}

function checkDaemonStrategy(errors: Errors, strategy: Readable): void {
  const type = textAt(strategy, 'type')
  if (type === 'OnDelete') return
  if (type !== 'RollingUpdate') {
    const known = ['RollingUpdate', 'OnDelete']
    errors.push(
      notSupported('spec.updateStrategy', internalForm('DaemonSetUpdateStrategy', strategy), known),
    )
    return
  }
  const at = 'spec.updateStrategy.rollingUpdate'
  const rolling = objectAt(strategy, 'rollingUpdate')
  if (rolling === undefined) return void errors.push(required(at))
  for (const name of ['maxUnavailable', 'maxSurge']) {
    checkIntOrPercent(errors, `${at}.${name}`, rolling[name])
    checkAtMostAll(errors, `${at}.${name}`, rolling[name])
  }
  const down = amount(rolling['maxUnavailable'])
  const up = amount(rolling['maxSurge'])
  if (down !== 0 && up !== 0) {
    const why = 'may not be set when maxUnavailable is non-zero'
    errors.push(invalidValue(`${at}.maxSurge`, rolling['maxSurge'], why))
  }
  if (down === 0 && up === 0) {
    errors.push(required(`${at}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'))
  }
}

/** A changed DaemonSet (ValidateDaemonSetUpdate). */
export const validateDaemonSetUpdate: (object: Draft, old: UnknownObject) => readonly FieldError[] =
  unlessSame(validateDaemonSet)

const COUNTS = [
  'currentNumberScheduled',
  'numberMisscheduled',
  'desiredNumberScheduled',
  'numberReady',
  'observedGeneration',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
  'collisionCount',
]

/** What the controller counts of a DaemonSet (ValidateDaemonSetStatusUpdate). */
export function validateDaemonSetStatus(object: Draft, old: UnknownObject): readonly FieldError[] {
  const errors: Errors = []
  checkNonNegativeFields(errors, 'status', objectAt(object, 'status'), COUNTS)
  checkCollisions(errors, object, old)
  return errors
}
