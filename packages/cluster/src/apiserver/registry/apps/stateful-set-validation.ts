import {
  forbiddenField,
  invalidValue,
  isDns1123Label,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import {
  has,
  itemsAt,
  numberAt,
  objectAt,
  same,
  textAt,
  type Fields,
  type Readable,
} from '../fields.ts'
import {
  checkIntOrPercent,
  checkName,
  checkNonNegative,
  checkNonNegativeFields,
  checkOneOf,
  type Errors,
} from '../generic/checks.ts'
import { internalForm } from '../generic/internal-form.ts'
import type { Draft } from '../strategy.ts'
import { checkClaimSpec } from '../core/persistent-volume-claim-validation.ts'
import { checkPodTemplate, checkTemplateMeta } from '../core/pod-validation.ts'
import {
  amount,
  checkAtMostAll,
  checkLasting,
  checkSelector,
  checkTemplateLabels,
  selectorShown,
  specOf,
} from './workload-checks.ts'

const POLICIES = ['Retain', 'Delete']

/** A new StatefulSet (ValidateStatefulSetSpec). */
export function validateStatefulSet(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = specOf(object)
  checkStatefulStrategy(errors, spec)
  itemsAt(spec, 'volumeClaimTemplates').forEach((it, i) =>
    checkClaimSpec(errors, `spec.volumeClaimTemplates[${i}].spec`, objectAt(it, 'spec') ?? {}),
  )
  const service = textAt(spec, 'serviceName')
  if (service !== '') checkName(errors, 'spec.serviceName', service, isDns1123Label)
  checkStatefulRest(errors, spec)
  return errors
}

function checkStatefulStrategy(errors: Errors, spec: Readable): void {
  const management = textAt(spec, 'podManagementPolicy')
  if (management !== 'OrderedReady' && management !== 'Parallel') {
    const why = "must be 'OrderedReady' or 'Parallel'"
    errors.push(invalidValue('spec.podManagementPolicy', management, why))
  }
  const strategy = objectAt(spec, 'updateStrategy') ?? {}
  const rolling = objectAt(strategy, 'rollingUpdate')
  const type = textAt(strategy, 'type')
  const at = 'spec.updateStrategy'
  if (type === 'OnDelete' && rolling) {
    const why = "only allowed for updateStrategy 'RollingUpdate'"
    errors.push(
      invalidValue(
        `${at}.rollingUpdate`,
        internalForm('RollingUpdateStatefulSetStrategy', rolling),
        why,
      ),
    )
  } else if (type === 'RollingUpdate') {
    checkRolling(errors, `${at}.rollingUpdate`, rolling)
  } else if (type !== 'OnDelete') {
    const shown = internalForm('StatefulSetUpdateStrategy', strategy)
    errors.push(invalidValue(at, shown, "must be 'RollingUpdate' or 'OnDelete'"))
  }
  const retention = objectAt(spec, 'persistentVolumeClaimRetentionPolicy') ?? {}
  for (const name of ['whenDeleted', 'whenScaled']) {
    const field = `spec.persistentVolumeClaimRetentionPolicy.${name}`
    checkOneOf(errors, field, textAt(retention, name), POLICIES)
  }
}

function checkRolling(errors: Errors, field: string, rolling: Readable | undefined): void {
  checkNonNegative(errors, `${field}.partition`, numberAt(rolling, 'partition'))
  if (!has(rolling, 'maxUnavailable')) return
  const at = `${field}.maxUnavailable`
  const most = rolling!['maxUnavailable']
  checkIntOrPercent(errors, at, most)
  if (amount(most) === 0) errors.push(invalidValue(at, most, 'cannot be 0'))
  checkAtMostAll(errors, at, most)
}

function checkStatefulRest(errors: Errors, spec: Readable): void {
  checkNonNegativeFields(errors, 'spec', spec, ['replicas', 'minReadySeconds'])
  const start = numberAt(objectAt(spec, 'ordinals'), 'start')
  checkNonNegative(errors, 'spec.ordinals.start', start)
  if (checkSelector(errors, spec, 'statefulset')) {
    checkTemplateLabels(errors, spec)
    checkPodTemplate(errors, 'spec.template', templateWithClaims(spec))
    checkTemplateMeta(errors, 'spec.template', objectAt(spec, 'template') ?? {})
  } else errors.push(invalidValue('spec.selector', selectorShown(objectAt(spec, 'selector')), ''))
  checkLasting(errors, spec, 'StatefulSet')
}

/** Pods of a set see its claims as volumes, and have names that the set gives them. */
function templateWithClaims(spec: Readable): Fields {
  const template = objectAt(spec, 'template') ?? {}
  const pod = objectAt(template, 'spec') ?? {}
  const claims = [
    ...new Set(
      itemsAt(spec, 'volumeClaimTemplates').map((it) => textAt(objectAt(it, 'metadata'), 'name')),
    ),
  ]
  const own = itemsAt(pod, 'volumes').filter((it) => !claims.includes(textAt(it, 'name')))
  const volumes = claims.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }))
  const { subdomain: _, hostname: __, ...rest } = pod
  return { ...template, spec: { ...rest, volumes: [...volumes, ...own] } }
}

const STATEFUL_MUTABLE = [
  'replicas',
  'template',
  'updateStrategy',
  'minReadySeconds',
  'ordinals',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
]

/** What an update may not change of a StatefulSet (ValidateStatefulSetUpdate). */
export function validateStatefulSetUpdate(
  object: Draft,
  old: UnknownObject,
): readonly FieldError[] {
  const errors: Errors = []
  const spec = specOf(object)
  const before = specOf(old)
  if (spec === before) return errors
  checkStatefulStrategy(errors, spec)
  checkStatefulRest(errors, spec)
  const settled: Fields = { ...spec }
  for (const name of STATEFUL_MUTABLE) settled[name] = before[name]
  if (!same(settled, before)) {
    const why =
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
    errors.push(forbiddenField('spec', why))
  }
  return errors
}
