import {
  forbiddenField,
  invalidValue,
  isDns1123Label,
  isPercent,
  notSupported,
  required,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import {
  has,
  itemsAt,
  mapAt,
  numberAt,
  objectAt,
  same,
  textAt,
  type Fields,
  type Readable,
} from '../fields.ts'
import {
  checkIntOrPercent,
  checkLabelSelector,
  checkName,
  checkNonNegative,
  checkNonNegativeFields,
  checkOneOf,
  isEmptySelector,
  selects,
  type Errors,
} from '../generic/checks.ts'
import type { Draft } from '../strategy.ts'
import { checkClaimSpec } from '../core/persistent-volume-claim-validation.ts'
import { checkPodTemplate, checkTemplateMeta } from '../core/pod-validation.ts'

const IMMUTABLE = 'field is immutable'
const NO_MATCH = '`selector` does not match template `labels`'

const specOf = (object: Readable): Readable => objectAt(object, 'spec') ?? {}

/** A selector that says something, and the template that it selects (every kind of apps/v1 has both). */
function checkSelectorAndTemplate(errors: Errors, spec: Readable, kind: string): boolean {
  const selector = objectAt(spec, 'selector')
  if (selector === undefined) {
    errors.push(required('spec.selector'))
  } else {
    checkLabelSelector(errors, 'spec.selector', selector)
    if (isEmptySelector(selector)) {
      errors.push(invalidValue('spec.selector', selector, `empty selector is invalid for ${kind}`))
    }
  }
  return selector === undefined || isReadable(selector)
}

/** Whether Go could make a selector of it: with known operators, and values where they belong. */
function isReadable(selector: Readable): boolean {
  const errors: Errors = []
  checkLabelSelector(errors, '', selector)
  return errors.length === 0
}

function checkTemplateLabels(errors: Errors, spec: Readable): void {
  const selector = objectAt(spec, 'selector')
  const labels = mapAt(objectAt(objectAt(spec, 'template'), 'metadata'), 'labels')
  if ((selector && isEmptySelector(selector)) || selects(selector, labels)) return
  errors.push(invalidValue('spec.template.metadata.labels', labelsOrNull(labels), NO_MATCH))
}

/** Labels as Go prints them: by name, and null where there are none. */
export const labelsOrNull = (labels: Readonly<Record<string, string>>): unknown =>
  Object.keys(labels).length === 0
    ? null
    : Object.fromEntries(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** Pods that are kept up are restarted always, and have no end. */
function checkLasting(errors: Errors, spec: Readable, kind: string): void {
  const pod = objectAt(objectAt(spec, 'template'), 'spec')
  const policy = textAt(pod, 'restartPolicy')
  if (policy !== 'Always') {
    errors.push(notSupported('spec.template.spec.restartPolicy', policy, ['Always']))
  }
  if (has(pod, 'activeDeadlineSeconds')) {
    const why = `activeDeadlineSeconds in ${kind} is not Supported`
    errors.push(forbiddenField('spec.template.spec.activeDeadlineSeconds', why))
  }
}

function checkReplicaTemplate(errors: Errors, spec: Readable): void {
  checkTemplateLabels(errors, spec)
  checkPodTemplate(errors, 'spec.template', objectAt(spec, 'template') ?? {})
  checkLasting(errors, spec, 'ReplicaSet')
}

/** A new or changed Deployment (ValidateDeploymentSpec). */
export function validateDeployment(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = specOf(object)
  checkNonNegative(errors, 'spec.replicas', numberAt(spec, 'replicas'))
  if (checkSelectorAndTemplate(errors, spec, 'deployment')) checkReplicaTemplate(errors, spec)
  else errors.push(invalidValue('spec.selector', spec['selector'], 'invalid label selector'))
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
    errors.push(notSupported('spec.strategy', goStrategy(strategy), ['Recreate', 'RollingUpdate']))
}

/** A strategy as Go prints it, which has no names of its own for the fields. */
const goStrategy = (strategy: Readable): unknown => ({
  Type: textAt(strategy, 'type'),
  RollingUpdate: strategy['rollingUpdate'] ?? null,
})

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

/** A number, or the number in front of a percent sign; what is neither counts as nothing. */
function amount(value: unknown): number {
  if (typeof value === 'number') return value
  return typeof value === 'string' ? Number.parseInt(value, 10) || 0 : 0
}

/** At most a hundred percent (IsNotMoreThan100Percent). */
export function checkAtMostAll(errors: Errors, field: string, value: unknown): void {
  if (typeof value !== 'string' || isPercent(value).length > 0 || amount(value) <= 100) return
  errors.push(invalidValue(field, value, 'must not be greater than 100%'))
}

function selectorStays(object: Readable, old: Readable): readonly FieldError[] {
  const selector = specOf(object)['selector']
  return same(selector, specOf(old)['selector'])
    ? []
    : [invalidValue('spec.selector', selector ?? null, IMMUTABLE)]
}

/** Rules that need not be asked again of a spec that did not change: most updates change something else. */
const unlessSame =
  (rules: (object: Draft) => readonly FieldError[]) =>
  (object: Draft, old: UnknownObject): readonly FieldError[] =>
    object['spec'] === old['spec'] ? [] : [...rules(object), ...selectorStays(object, old)]

export const validateDeploymentUpdate: (
  object: Draft,
  old: UnknownObject,
) => readonly FieldError[] = unlessSame(validateDeployment)

/** A new or changed ReplicaSet (ValidateReplicaSetSpec). */
export function validateReplicaSet(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = specOf(object)
  checkNonNegativeFields(errors, 'spec', spec, ['replicas', 'minReadySeconds'])
  if (checkSelectorAndTemplate(errors, spec, 'deployment')) checkReplicaTemplate(errors, spec)
  else errors.push(invalidValue('spec.selector', spec['selector'], 'invalid label selector'))
  return errors
}

export const validateReplicaSetUpdate: (
  object: Draft,
  old: UnknownObject,
) => readonly FieldError[] = unlessSame(validateReplicaSet)

/** A new or changed DaemonSet (ValidateDaemonSetSpec). */
export function validateDaemonSet(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = specOf(object)
  const selector = objectAt(spec, 'selector')
  const labels = mapAt(objectAt(objectAt(spec, 'template'), 'metadata'), 'labels')
  checkLabelSelector(errors, 'spec.selector', selector)
  const readable = selector === undefined || isReadable(selector)
  if (readable && !(selector && isEmptySelector(selector)) && !selects(selector, labels)) {
    errors.push(invalidValue('spec.template.metadata.labels', labelsOrNull(labels), NO_MATCH))
  }
  if (selector && isEmptySelector(selector)) {
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
    errors.push(notSupported('spec.updateStrategy', goStrategy(strategy), known))
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

export const validateDaemonSetUpdate: (object: Draft, old: UnknownObject) => readonly FieldError[] =
  unlessSame(validateDaemonSet)

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
    errors.push(invalidValue(`${at}.rollingUpdate`, goRolling(rolling), why))
  } else if (type === 'RollingUpdate') {
    const partition = numberAt(rolling, 'partition')
    checkNonNegative(errors, `${at}.rollingUpdate.partition`, partition)
  } else if (type !== 'OnDelete') {
    errors.push(invalidValue(at, goStrategy(strategy), "must be 'RollingUpdate' or 'OnDelete'"))
  }
  const retention = objectAt(spec, 'persistentVolumeClaimRetentionPolicy') ?? {}
  for (const name of ['whenDeleted', 'whenScaled']) {
    const field = `spec.persistentVolumeClaimRetentionPolicy.${name}`
    checkOneOf(errors, field, textAt(retention, name), POLICIES)
  }
}

const goRolling = (rolling: Readable): unknown => ({
  Partition: numberAt(rolling, 'partition') ?? 0,
  MaxUnavailable: rolling['maxUnavailable'] ?? null,
})

function checkStatefulRest(errors: Errors, spec: Readable): void {
  checkNonNegativeFields(errors, 'spec', spec, ['replicas', 'minReadySeconds'])
  const start = numberAt(objectAt(spec, 'ordinals'), 'start')
  checkNonNegative(errors, 'spec.ordinals.start', start)
  if (checkSelectorAndTemplate(errors, spec, 'statefulset')) {
    checkTemplateLabels(errors, spec)
    checkPodTemplate(errors, 'spec.template', templateWithClaims(spec))
    checkTemplateMeta(errors, 'spec.template', objectAt(spec, 'template') ?? {})
  } else errors.push(invalidValue('spec.selector', spec['selector'], ''))
  checkLasting(errors, spec, 'StatefulSet')
}

/** Pods of a set see its claims as volumes, and have names that the set gives them. */
function templateWithClaims(spec: Readable): Fields {
  const template = objectAt(spec, 'template') ?? {}
  const pod = objectAt(template, 'spec') ?? {}
  const claims = itemsAt(spec, 'volumeClaimTemplates').map((it) =>
    textAt(objectAt(it, 'metadata'), 'name'),
  )
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
  const labels = mapAt(objectAt(template, 'metadata'), 'labels')
  if (Object.keys(selector).some((key) => labels[key] !== selector[key])) {
    errors.push(invalidValue('spec.template.metadata.labels', labelsOrNull(labels), NO_MATCH))
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

/** A revision says something, and never says anything else (ValidateControllerRevisionCreate). */
export function validateRevision(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  checkNonNegative(errors, 'revision', numberAt(object, 'revision'))
  const data = object['data']
  if (data === undefined || data === null) errors.push(required('data', 'data is mandatory'))
  else if (typeof data !== 'object' || Array.isArray(data)) {
    errors.push(required('data', 'data must be a valid JSON object'))
  }
  return errors
}

export function validateRevisionUpdate(object: Draft, old: UnknownObject): readonly FieldError[] {
  const errors: Errors = []
  checkNonNegative(errors, 'revision', numberAt(object, 'revision'))
  if (!same(object['data'], old['data'])) {
    errors.push(invalidValue('data', object['data'] ?? null, IMMUTABLE))
  }
  return errors
}

/** Counts in a status are not negative, and no part is more than the whole (ValidateDeploymentStatus and its siblings). */
export const statusCounts =
  (names: readonly string[], parts: readonly string[], ready: string) =>
  (object: Draft, old: UnknownObject): readonly FieldError[] => {
    const errors: Errors = []
    const status = objectAt(object, 'status')
    checkNonNegativeFields(errors, 'status', status, [...names, ...parts, 'collisionCount'])
    const count = (name: string): number => numberAt(status, name) ?? 0
    for (const name of parts) {
      if (count(name) > count('replicas')) {
        const why = 'cannot be greater than status.replicas'
        errors.push(invalidValue(`status.${name}`, count(name), why))
      }
    }
    if (count('availableReplicas') > count('readyReplicas')) {
      const why = `cannot be greater than ${ready}`
      errors.push(invalidValue('status.availableReplicas', count('availableReplicas'), why))
    }
    const collisions = numberAt(objectAt(old, 'status'), 'collisionCount')
    if (collisions !== undefined && count('collisionCount') < collisions) {
      const why = 'cannot be decremented'
      errors.push(invalidValue('status.collisionCount', count('collisionCount'), why))
    }
    return errors
  }
