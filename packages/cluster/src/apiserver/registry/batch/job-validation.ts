import {
  duplicate,
  invalidValue,
  isDns1123Label,
  isDns1123Subdomain,
  isQualifiedName,
  notSupported,
  required,
  tooLong,
  tooMany,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import {
  flagAt,
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
  checkLabelSelector,
  checkName,
  checkNonNegative,
  checkNonNegativeFields,
  checkOneOf,
  requireOneOf,
  selects,
  type Errors,
} from '../generic/checks.ts'
import type { Draft } from '../strategy.ts'
import { labelsOrNull } from '../apps/workload-validation.ts'
import { checkPodTemplate } from '../core/pod-validation.ts'
import { scheduleProblem } from './cron-schedule.ts'

const COUNTS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
]
const MOST_INDEXES = 100_000
const MANY_INDEXES = 10_000

/** A new job (ValidateJob). */
export function validateJob(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec') ?? {}
  checkGenerated(errors, object, spec)
  checkJobSpec(errors, 'spec', spec)
  const selector = objectAt(spec, 'selector')
  const labels = mapAt(objectAt(objectAt(spec, 'template'), 'metadata'), 'labels')
  if (selector === undefined) errors.push(required('spec.selector'))
  else checkLabelSelector(errors, 'spec.selector', selector)
  if (!selects(selector, labels)) {
    const why = '`selector` does not match template `labels`'
    errors.push(invalidValue('spec.template.metadata.labels', labelsOrNull(labels), why))
  }
  checkHostname(errors, object, spec)
  return errors
}

/** The names of an indexed job's pods come from its own. */
function checkHostname(errors: Errors, object: Draft, spec: Readable): void {
  const completions = numberAt(spec, 'completions') ?? 0
  if (textAt(spec, 'completionMode') !== 'Indexed' || completions <= 0) return
  const name = object.metadata.name ?? ''
  const longest = `${name}-${completions - 1}`
  if (isDns1123Label(longest).length === 0) return
  const why = `will not able to create pod with invalid DNS label: ${longest}`
  errors.push(invalidValue('metadata.name', name, why))
}

/** A selector that the server makes is the one that it would make (validateGeneratedSelector). */
function checkGenerated(errors: Errors, object: Draft, spec: Readable): void {
  if (flagAt(spec, 'manualSelector') || !has(spec, 'selector')) return
  const { name = '', uid = '' } = object.metadata
  const labels = mapAt(objectAt(objectAt(spec, 'template'), 'metadata'), 'labels')
  const expected: Readonly<Record<string, string>> = {
    'controller-uid': uid,
    'job-name': name,
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
  }
  for (const key in expected) {
    const at = `spec.template.metadata.labels`
    const value = labels[key]
    if (value === undefined) errors.push(required(at, `must be '${expected[key]}'`))
    else if (value !== expected[key]) {
      errors.push(invalidValue(`${at}[${key}]`, labelsOrNull(labels), `must be '${expected[key]}'`))
    }
  }
  if (!selects(objectAt(spec, 'selector'), expected)) {
    const why = '`selector` not auto-generated'
    errors.push(invalidValue('spec.selector', spec['selector'], why))
  }
}

/** The rules of a job's spec that hold in a CronJob too (validateJobSpec). */
function checkJobSpec(errors: Errors, field: string, spec: Readable): void {
  checkNonNegativeFields(errors, field, spec, COUNTS)
  const mode = textAt(spec, 'completionMode')
  if (has(spec, 'maxFailedIndexes') && !has(spec, 'backoffLimitPerIndex')) {
    const why = 'when maxFailedIndexes is specified'
    errors.push(required(`${field}.backoffLimitPerIndex`, why))
  }
  checkManagedBy(errors, `${field}.managedBy`, spec)
  if (mode !== '' && mode !== 'NonIndexed' && mode !== 'Indexed') {
    errors.push(notSupported(`${field}.completionMode`, mode, ['NonIndexed', 'Indexed']))
  }
  if (mode === 'Indexed') checkIndexed(errors, field, spec)
  if (mode === '' || mode === 'NonIndexed') {
    for (const name of ['backoffLimitPerIndex', 'maxFailedIndexes']) {
      if (!has(spec, name)) continue
      errors.push(invalidValue(`${field}.${name}`, spec[name], 'requires indexed completion mode'))
    }
  }
  checkFailurePolicy(errors, `${field}.podFailurePolicy.rules`, spec)
  checkSuccessPolicy(errors, `${field}.successPolicy`, spec)
  checkReplacement(errors, `${field}.podReplacementPolicy`, spec)
  checkPodTemplate(errors, `${field}.template`, objectAt(spec, 'template') ?? {})
  checkRestarts(errors, `${field}.template.spec.restartPolicy`, spec)
}

function checkIndexed(errors: Errors, field: string, spec: Readable): void {
  const completions = numberAt(spec, 'completions')
  const parallelism = numberAt(spec, 'parallelism') ?? 0
  const failed = numberAt(spec, 'maxFailedIndexes')
  if (completions === undefined) {
    errors.push(required(`${field}.completions`, 'when completion mode is Indexed'))
  }
  if (parallelism > MOST_INDEXES) {
    const why = `must be less than or equal to ${MOST_INDEXES} when completion mode is Indexed`
    errors.push(invalidValue(`${field}.parallelism`, parallelism, why))
  }
  if (failed !== undefined && completions !== undefined && failed > completions) {
    const why = 'must be less than or equal to completions'
    errors.push(invalidValue(`${field}.maxFailedIndexes`, failed, why))
  }
  if (failed !== undefined && failed > MOST_INDEXES) {
    const why = `must be less than or equal to ${MOST_INDEXES}`
    errors.push(invalidValue(`${field}.maxFailedIndexes`, failed, why))
  }
  if ((completions ?? 0) <= MOST_INDEXES || !has(spec, 'backoffLimitPerIndex')) return
  checkManyIndexes(errors, field, parallelism, failed)
}

function checkManyIndexes(
  errors: Errors,
  field: string,
  parallelism: number,
  failed: number | undefined,
): void {
  const why = `must be less than or equal to ${MANY_INDEXES} when completions are above ${MOST_INDEXES} and used with backoff limit per index`
  if (failed === undefined) {
    const must = `must be specified when completions is above ${MOST_INDEXES}`
    errors.push(required(`${field}.maxFailedIndexes`, must))
  } else if (failed > MANY_INDEXES) {
    errors.push(invalidValue(`${field}.maxFailedIndexes`, failed, why))
  }
  if (parallelism > MANY_INDEXES) {
    errors.push(invalidValue(`${field}.parallelism`, parallelism, why))
  }
}

/** Who looks after the job: a name with a domain in front (IsDomainPrefixedPath). */
function checkManagedBy(errors: Errors, field: string, spec: Readable): void {
  if (!has(spec, 'managedBy')) return
  const value = textAt(spec, 'managedBy')
  const slash = value.indexOf('/')
  const path = value.slice(slash + 1)
  if (value === '') errors.push(required(field))
  else if (slash <= 0 || path === '') {
    const why = 'must be a domain-prefixed path (such as "acme.io/foo")'
    errors.push(invalidValue(field, value, why))
  } else {
    checkName(errors, field, value.slice(0, slash), isDns1123Subdomain)
    if (!HTTP_PATH.test(path)) {
      const why = `Invalid path (regex used for validation is '${HTTP_PATH.source.slice(1, -1)}')`
      errors.push(invalidValue(field, path, why))
    }
  }
  if (value.length > 63) errors.push(tooLong(field, 63))
}

const HTTP_PATH = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/

function checkRestarts(errors: Errors, field: string, spec: Readable): void {
  const policy = textAt(objectAt(objectAt(spec, 'template'), 'spec'), 'restartPolicy')
  if (policy === '' || policy === 'Always') {
    errors.push(required(field, 'valid values: "OnFailure", "Never"'))
  } else if (policy !== 'OnFailure' && policy !== 'Never') {
    errors.push(notSupported(field, policy, ['OnFailure', 'Never']))
  } else if (has(spec, 'podFailurePolicy') && policy !== 'Never') {
    const why = 'only "Never" is supported when podFailurePolicy is specified'
    errors.push(invalidValue(field, policy, why))
  }
}

function checkReplacement(errors: Errors, field: string, spec: Readable): void {
  if (!has(spec, 'podReplacementPolicy')) return
  const known = has(spec, 'podFailurePolicy') ? ['Failed'] : ['Failed', 'TerminatingOrFailed']
  checkOneOf(errors, field, textAt(spec, 'podReplacementPolicy'), known)
}

const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore']

function checkFailurePolicy(errors: Errors, field: string, spec: Readable): void {
  const rules = itemsAt(objectAt(spec, 'podFailurePolicy'), 'rules')
  if (rules.length > 20) errors.push(tooMany(field, rules.length, 20))
  const pod = objectAt(objectAt(spec, 'template'), 'spec')
  const containers = ['containers', 'initContainers'].flatMap((list) =>
    itemsAt(pod, list).map((it) => textAt(it, 'name')),
  )
  rules.forEach((rule, i) => {
    const at = `${field}[${i}]`
    const action = textAt(rule, 'action')
    if (action === '') {
      errors.push(required(`${at}.action`, `valid values: ${goList(ACTIONS)}`))
    } else if (action === 'FailIndex' && !has(spec, 'backoffLimitPerIndex')) {
      const why = 'requires the backoffLimitPerIndex to be set'
      errors.push(invalidValue(`${at}.action`, action, why))
    } else checkOneOf(errors, `${at}.action`, action, ACTIONS)
    const codes = objectAt(rule, 'onExitCodes')
    const conditions = itemsAt(rule, 'onPodConditions')
    if (codes) checkExitCodes(errors, `${at}.onExitCodes`, codes, containers)
    checkConditions(errors, `${at}.onPodConditions`, conditions)
    if (codes && conditions.length > 0) {
      const why = 'specifying both OnExitCodes and OnPodConditions is not supported'
      errors.push(omitted(at, why))
    }
    if (!codes && conditions.length === 0) {
      errors.push(omitted(at, 'specifying one of OnExitCodes and OnPodConditions is required'))
    }
  })
}

const goList = (values: readonly string[]): string =>
  `[${values.map((it) => JSON.stringify(it)).join(' ')}]`

/** An error that does not repeat the value. */
const omitted = (field: string, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  field,
  detail,
})

const STATUSES = ['False', 'True', 'Unknown']

function checkConditions(errors: Errors, field: string, conditions: readonly Readable[]): void {
  if (conditions.length > 20) errors.push(tooMany(field, conditions.length, 20))
  conditions.forEach((it, i) => {
    checkName(errors, `${field}[${i}].type`, textAt(it, 'type'), isQualifiedName)
    checkOneOf(errors, `${field}[${i}].status`, textAt(it, 'status'), STATUSES)
  })
}

function checkExitCodes(
  errors: Errors,
  field: string,
  codes: Readable,
  containers: readonly string[],
): void {
  const operator = textAt(codes, 'operator')
  if (operator === '') {
    errors.push(required(`${field}.operator`, 'valid values: ["In" "NotIn"]'))
  } else checkOneOf(errors, `${field}.operator`, operator, ['In', 'NotIn'])
  const name = textAt(codes, 'containerName')
  if (has(codes, 'containerName') && !containers.includes(name)) {
    const why = 'must be one of the container or initContainer names in the pod template'
    errors.push(invalidValue(`${field}.containerName`, name, why))
  }
  const values = (codes['values'] as readonly number[] | null | undefined) ?? []
  if (values.length === 0) {
    const shown = codes['values'] ?? null
    errors.push(invalidValue(`${field}.values`, shown, 'at least one value is required'))
  }
  if (values.length > 255) errors.push(tooMany(`${field}.values`, values.length, 255))
  values.forEach((value, i) => {
    if (operator === 'In' && value === 0) {
      errors.push(invalidValue(`${field}.values[${i}]`, value, 'must not be 0 for the In operator'))
    }
    if (values.indexOf(value) < i) errors.push(duplicate(`${field}.values[${i}]`, value))
  })
  if (values.some((it, i) => i > 0 && values[i - 1]! > it)) {
    errors.push(invalidValue(`${field}.values`, values, 'must be ordered'))
  }
}

function checkSuccessPolicy(errors: Errors, field: string, spec: Readable): void {
  const policy = objectAt(spec, 'successPolicy')
  if (policy === undefined) return
  const rules = itemsAt(policy, 'rules')
  if (textAt(spec, 'completionMode') !== 'Indexed') {
    const shown = { Rules: rules.map(goRule) }
    errors.push(invalidValue(field, shown, 'requires indexed completion mode'))
    return
  }
  if (rules.length === 0) {
    const why = 'at least one rules must be specified when the successPolicy is specified'
    errors.push(required(`${field}.rules`, why))
  }
  if (rules.length > 20) errors.push(tooMany(`${field}.rules`, rules.length, 20))
  const completions = numberAt(spec, 'completions') ?? 0
  rules.forEach((it, i) => checkSuccessRule(errors, `${field}.rules[${i}]`, it, completions))
}

/** A rule as Go prints it, which has no names of its own for the fields. */
const goRule = (rule: Readable): unknown => ({
  SucceededIndexes: rule['succeededIndexes'] ?? null,
  SucceededCount: rule['succeededCount'] ?? null,
})

function checkSuccessRule(
  errors: Errors,
  field: string,
  rule: Readable,
  completions: number,
): void {
  const count = numberAt(rule, 'succeededCount')
  const indexes = rule['succeededIndexes']
  if (count === undefined && indexes === undefined) {
    const why = 'at least one of succeededCount or succeededIndexes must be specified'
    errors.push(required(field, why))
  }
  const parsed = typeof indexes === 'string' ? readIndexes(indexes, completions) : undefined
  if (typeof parsed === 'string') {
    const why = `error parsing succeededIndexes: ${parsed}`
    errors.push(invalidValue(`${field}.succeededIndexes`, indexes, why))
  }
  if (count === undefined) return
  const at = `${field}.succeededCount`
  const total = typeof parsed === 'number' ? parsed : 0
  checkNonNegative(errors, at, count)
  if (count > completions) {
    const why = `must be less than or equal to ${completions} (the number of specified completions)`
    errors.push(invalidValue(at, count, why))
  }
  if (indexes !== undefined && count > total) {
    const why = `must be less than or equal to ${total} (the number of indexes in the specified succeededIndexes field)`
    errors.push(invalidValue(at, count, why))
  }
}

/** How many indexes `0,3-5` names, or what is wrong with it (validateIndexesFormat). */
function readIndexes(text: string, completions: number): number | string {
  if (text === '') return 0
  let last: number | undefined
  let total = 0
  for (const part of text.split(',')) {
    const ends = part.split('-')
    if (ends.length > 2)
      return `the fragment "${part}" violates the requirement that an index interval can have at most two parts separated by '-'`
    const [first, end = first] = ends.map(Number)
    for (const [i, value] of [first, ends.length > 1 ? end : undefined].entries()) {
      if (value === undefined) continue
      if (Number.isNaN(value)) {
        return `cannot convert string to integer for index: "${ends[i]}"`
      }
      if (value >= completions) return `too large index: "${ends[i]}"`
    }
    if (last !== undefined && last >= first!)
      return `non-increasing order, previous: ${last}, current: ${first}`
    if (end! < first! || (ends.length > 1 && end === first)) {
      return `non-increasing order, previous: ${first}, current: ${end}`
    }
    total += end! - first! + 1
    last = end
  }
  return total
}

const IMMUTABLE_SPEC = [
  'completionMode',
  'podFailurePolicy',
  'backoffLimitPerIndex',
  'managedBy',
  'successPolicy',
]

/** What an update may not change of a job (ValidateJobSpecUpdate). */
export function validateJobUpdate(object: Draft, old: UnknownObject): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {}
  const before = objectAt(old, 'spec') ?? {}
  if (spec === before) return []
  const errors: Errors = [...validateJob(object)]
  checkCompletions(errors, spec, before)
  checkStays(errors, 'selector', spec, before)
  checkTemplate(errors, spec, before, old)
  for (const name of IMMUTABLE_SPEC) checkStays(errors, name, spec, before)
  return errors
}

function checkStays(errors: Errors, name: string, spec: Readable, before: Readable): void {
  if (same(spec[name], before[name])) return
  errors.push(invalidValue(`spec.${name}`, spec[name] ?? null, 'field is immutable'))
}

/** An indexed job may grow and shrink together with its parallelism (KEP-2214). */
function checkCompletions(errors: Errors, spec: Readable, before: Readable): void {
  const now = spec['completions']
  if (same(now, before['completions'])) return
  const elastic =
    textAt(spec, 'completionMode') === 'Indexed' &&
    has(spec, 'completions') &&
    has(before, 'completions')
  if (!elastic) errors.push(invalidValue('spec.completions', now ?? null, 'field is immutable'))
  else if (now !== spec['parallelism']) {
    const why = 'can only be modified in tandem with spec.parallelism'
    errors.push(invalidValue('spec.completions', now, `${why}`))
  }
}

/** A job that has not begun may still be told where to run (KEP-2926). */
function checkTemplate(errors: Errors, spec: Readable, before: Readable, old: UnknownObject): void {
  const status = objectAt(old, 'status')
  const free = flagAt(before, 'suspend') && !has(status, 'startTime')
  const template = objectAt(spec, 'template') ?? {}
  const was = objectAt(before, 'template') ?? {}
  const allowed = free ? withDirections(was, template) : was
  if (same(template, allowed)) return
  errors.push(invalidValue('spec.template', template, 'field is immutable'))
}

function withDirections(was: Readable, template: Readable): Fields {
  const pod = objectAt(template, 'spec') ?? {}
  const spec: Fields = { ...objectAt(was, 'spec') }
  for (const name of ['nodeSelector', 'tolerations', 'schedulingGates']) spec[name] = pod[name]
  const affinity: Fields = { ...objectAt(spec, 'affinity') }
  affinity['nodeAffinity'] = objectAt(pod, 'affinity')?.['nodeAffinity']
  const empty = Object.values(affinity).every((it) => it === undefined)
  spec['affinity'] = empty && !has(pod, 'affinity') ? undefined : affinity
  for (const list of ['containers', 'initContainers']) {
    if (!has(spec, list)) continue
    const now = itemsAt(pod, list)
    spec[list] = itemsAt(spec, list).map((it, i) =>
      now[i]?.['name'] === it['name'] ? { ...it, resources: now[i]?.['resources'] } : it,
    )
  }
  return { ...was, metadata: template['metadata'], spec }
}

/** A CronJob (ValidateCronJobCreate). */
export function validateCronJob(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  checkCronSpec(errors, objectAt(object, 'spec') ?? {}, undefined)
  const { name = '' } = object.metadata
  if (name.length > 52) {
    errors.push(invalidValue('metadata.name', name, 'must be no more than 52 characters'))
  }
  return errors
}

export function validateCronJobUpdate(object: Draft, old: UnknownObject): readonly FieldError[] {
  const errors: Errors = []
  const spec = objectAt(object, 'spec') ?? {}
  if (spec !== old['spec']) checkCronSpec(errors, spec, objectAt(old, 'spec'))
  return errors
}

function checkCronSpec(errors: Errors, spec: Readable, before: Readable | undefined): void {
  checkSchedule(errors, spec, before)
  checkNonNegative(
    errors,
    'spec.startingDeadlineSeconds',
    numberAt(spec, 'startingDeadlineSeconds'),
  )
  if (before === undefined || !same(spec['timeZone'], before['timeZone'])) checkZone(errors, spec)
  requireOneOf(errors, 'spec.concurrencyPolicy', textAt(spec, 'concurrencyPolicy'), [
    'Allow',
    'Forbid',
    'Replace',
  ])
  const job = objectAt(objectAt(spec, 'jobTemplate'), 'spec') ?? {}
  checkJobSpec(errors, 'spec.jobTemplate.spec', job)
  if (flagAt(job, 'manualSelector')) {
    const at = 'spec.jobTemplate.spec.manualSelector'
    errors.push(notSupported(at, true, ['nil', 'false']))
  }
  if (has(job, 'selector')) {
    errors.push(
      invalidValue(
        'spec.jobTemplate.spec.selector',
        job['selector'],
        '`selector` will be auto-generated',
      ),
    )
  }
  checkNonNegativeFields(errors, 'spec', spec, [
    'successfulJobsHistoryLimit',
    'failedJobsHistoryLimit',
  ])
}

function checkSchedule(errors: Errors, spec: Readable, before: Readable | undefined): void {
  const schedule = textAt(spec, 'schedule')
  if (schedule === '') return void errors.push(required('spec.schedule'))
  const problem = scheduleProblem(schedule)
  if (problem !== undefined) errors.push(invalidValue('spec.schedule', schedule, problem))
  if (!schedule.includes('TZ')) return
  if (!textAt(before, 'schedule').includes('TZ')) {
    const why = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'
    errors.push(invalidValue('spec.schedule', schedule, why))
  } else if (has(spec, 'timeZone')) {
    const why = 'cannot use both timeZone field and TZ or CRON_TZ in schedule'
    errors.push(invalidValue('spec.schedule', schedule, why))
  }
}

const ZONE_PART = /^[A-Za-z.\-_0-9+]{1,14}$/

function checkZone(errors: Errors, spec: Readable): void {
  if (!has(spec, 'timeZone')) return
  const at = 'spec.timeZone'
  const zone = textAt(spec, 'timeZone')
  if (zone === '') {
    errors.push(invalidValue(at, zone, 'timeZone must be nil or non-empty string'))
    return
  }
  const parts = zone.split('/')
  const bad = parts.some((it) => /^(\.|\.\.|-.*)$/.test(it) || !ZONE_PART.test(it))
  if (!bad && zone.toLowerCase() === 'local') {
    const why =
      'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'
    errors.push(invalidValue(at, zone, why))
    return
  }
  if (bad || !isZone(zone)) errors.push(invalidValue(at, zone, `unknown time zone ${zone}`))
}

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** The status of a job (ValidateJobUpdateStatus): counts only grow, and an end is final. */
export function validateJobStatus(object: Draft, old: UnknownObject): readonly FieldError[] {
  const errors: Errors = []
  const status = objectAt(object, 'status') ?? {}
  const before = objectAt(old, 'status') ?? {}
  checkNonNegativeFields(errors, 'status', status, [
    'active',
    'succeeded',
    'failed',
    'ready',
    'terminating',
  ])
  const is = (it: Readable, type: string): boolean =>
    itemsAt(it, 'conditions').some((each) => each['type'] === type && each['status'] === 'True')
  const cannot = (why: string): void => void errors.push(omitted('status.conditions', why))
  if (is(status, 'Complete') && is(status, 'Failed')) {
    cannot('cannot set Complete=True and Failed=true conditions')
  }
  if (is(status, 'Failed') && !is(status, 'FailureTarget') && !is(before, 'Failed')) {
    cannot('cannot set Failed=True condition without the FailureTarget=true condition')
  }
  if (is(status, 'Complete') && !is(status, 'SuccessCriteriaMet') && !is(before, 'Complete')) {
    cannot('cannot set Complete=True condition without the SuccessCriteriaMet=true condition')
  }
  for (const type of ['Failed', 'Complete', 'FailureTarget']) {
    if (is(before, type) && !is(status, type)) {
      cannot(`cannot disable the terminal ${type}=True condition`)
    }
  }
  checkFinished(errors, status, before, is(status, 'Complete'), is(status, 'Failed'))
  const failed = numberAt(status, 'failed') ?? 0
  if (failed < (numberAt(before, 'failed') ?? 0)) {
    errors.push(invalidValue('status.failed', failed, 'cannot decrease the failed counter'))
  }
  const spec = objectAt(object, 'spec')
  const succeeded = numberAt(status, 'succeeded') ?? 0
  // An indexed job whose parallelism is its size can shrink.
  const isElastic =
    textAt(spec, 'completionMode') === 'Indexed' &&
    same(spec?.['completions'], spec?.['parallelism'])
  if (!isElastic && succeeded < (numberAt(before, 'succeeded') ?? 0)) {
    const why = 'cannot decrease the succeeded counter'
    errors.push(invalidValue('status.succeeded', succeeded, why))
  }
  return errors
}

function checkFinished(
  errors: Errors,
  status: Readable,
  before: Readable,
  complete: boolean,
  failed: boolean,
): void {
  const time = status['completionTime']
  if (time && !complete) {
    const why = 'cannot set completionTime when there is no Complete=True condition'
    errors.push(invalidValue('status.completionTime', time, why))
  }
  if (!time && complete) {
    errors.push(required('status.completionTime', 'completionTime is required for Complete jobs'))
  }
  if (time && has(before, 'completionTime') && time !== before['completionTime']) {
    errors.push(invalidValue('status.completionTime', time, 'field is immutable'))
  }
  if (!complete && !failed) return
  const active = numberAt(status, 'active') ?? 0
  if (active > 0) {
    errors.push(invalidValue('status.active', active, 'active>0 is invalid for finished job'))
  }
  if (!has(status, 'startTime')) {
    errors.push(required('status.startTime', 'startTime is required for finished job'))
  }
}
