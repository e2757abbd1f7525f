import {
  invalidValue,
  isDns1123Subdomain,
  notSupported,
  required,
  tooLong,
} from 'kubewright/machinery'
import { has, numberAt, objectAt, textAt, type Readable } from '../fields.ts'
import { checkName, checkNonNegativeFields, checkOneOf, type Errors } from '../generic/checks.ts'
import { checkPodTemplate } from '../core/pod-validation.ts'
import { checkFailurePolicy, checkSuccessPolicy } from './job-policies.ts'

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

/** The rules of a job's spec that hold in a CronJob too (validateJobSpec). */
export function checkJobSpec(errors: Errors, field: string, spec: Readable): void {
  checkNonNegativeFields(errors, field, spec, COUNTS)
  const mode = textAt(spec, 'completionMode')
  if (has(spec, 'maxFailedIndexes') && !has(spec, 'backoffLimitPerIndex')) {
    const why = 'when maxFailedIndexes is specified'
    errors.push(required(`${field}.backoffLimitPerIndex`, why))
  }
  checkManagedBy(errors, `${field}.managedBy`, spec)
  const hasMode = has(spec, 'completionMode')
  if (hasMode && mode !== 'NonIndexed' && mode !== 'Indexed') {
    errors.push(notSupported(`${field}.completionMode`, mode, ['NonIndexed', 'Indexed']))
  }
  if (mode === 'Indexed') checkIndexed(errors, field, spec)
  if (!hasMode || mode === 'NonIndexed') {
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
  }
  if (parallelism > MANY_INDEXES) {
    errors.push(invalidValue(`${field}.parallelism`, parallelism, why))
  }
  if (failed !== undefined && failed > MANY_INDEXES) {
    errors.push(invalidValue(`${field}.maxFailedIndexes`, failed, why))
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
