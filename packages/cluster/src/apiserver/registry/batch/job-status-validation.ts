import {
  duplicate,
  invalidValue,
  required,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import {
  flagAt,
  has,
  itemsAt,
  numberAt,
  objectAt,
  same,
  textAt,
  textsAt,
  type Readable,
} from '../fields.ts'
import { checkNonNegativeFields, type Errors } from '../generic/checks.ts'
import { internalForm } from '../generic/internal-form.ts'
import type { Draft } from '../strategy.ts'
import { readIndexes, sharedIndex } from './job-indexes.ts'
import { omitted } from './job-policies.ts'

/** A job's status as it was and as it shall be, and which conditions are true of each. */
interface Change {
  readonly spec: Readable
  readonly status: Readable
  readonly before: Readable
  readonly is: (type: string) => boolean
  readonly was: (type: string) => boolean
  readonly finished: boolean
  /** Whether one of these fields of the status differs. */
  readonly moved: (...names: readonly string[]) => boolean
  /** Whether one of these conditions became true, or ceased to be. */
  readonly turned: (...types: readonly string[]) => boolean
  /** Whether the job came to an end, or came back from one. */
  readonly turnedFinished: boolean
}

const hasCondition =
  (status: Readable, wanted: string) =>
  (type: string): boolean =>
    itemsAt(status, 'conditions').some(
      (it) => textAt(it, 'type') === type && textAt(it, 'status') === wanted,
    )

const isFinished = (is: (type: string) => boolean): boolean => is('Complete') || is('Failed')

/** Go cannot tell a zero that is not a pointer from nothing. */
const ZERO_IS_ABSENT: ReadonlySet<string> = new Set(['active', 'completedIndexes'])

function changeOf(object: Draft, old: UnknownObject): Change {
  const status = objectAt(object, 'status') ?? {}
  const before = objectAt(old, 'status') ?? {}
  const is = hasCondition(status, 'True')
  const was = hasCondition(before, 'True')
  const value = (of: Readable, name: string): unknown =>
    ZERO_IS_ABSENT.has(name) ? of[name] || undefined : of[name]
  return {
    spec: objectAt(object, 'spec') ?? {},
    status,
    before,
    is,
    was,
    finished: isFinished(is),
    moved: (...names) => names.some((it) => !same(value(status, it), value(before, it))),
    turned: (...types) => types.some((it) => is(it) !== was(it)),
    turnedFinished: isFinished(is) !== isFinished(was),
  }
}

type Check = (errors: Errors, change: Change) => void

const COUNTS = ['active', 'succeeded', 'failed', 'ready', 'terminating']

/**
 * The rules of a job's status, in Kubernetes' order. Most are asked only where what they are about changes, so that a status that
 * breaks one already can still be written (batch/validation validateJobStatus, job/strategy.go getStatusValidationOptions).
 */
const RULES: readonly Check[] = [
  (errors, { status }) => checkNonNegativeFields(errors, 'status', status, COUNTS),
  checkUncounted,
  (errors, { is, turned }) => {
    if (turned('Complete', 'Failed') && is('Complete') && is('Failed')) {
      refuse(errors, 'cannot set Complete=True and Failed=true conditions')
    }
    if (turned('Complete', 'FailureTarget') && is('Complete') && is('FailureTarget')) {
      refuse(errors, 'cannot set Complete=True and FailureTarget=true conditions')
    }
  },
  checkCompletionTime,
  (errors, { is, turned, moved }) => {
    if ((turned('Failed') || moved('failedIndexes')) && is('Failed') && !is('FailureTarget')) {
      refuse(errors, 'cannot set Failed=True condition without the FailureTarget=true condition')
    }
    if (turned('Complete', 'SuccessCriteriaMet') && is('Complete') && !is('SuccessCriteriaMet')) {
      const why = 'cannot set Complete=True condition without the SuccessCriteriaMet=true condition'
      refuse(errors, why)
    }
  },
  checkFinished,
  checkIndexes,
  checkPods,
  checkSuccess,
  checkDecided,
  checkCounters,
  checkTimes,
]

const refuse = (errors: Errors, why: string): void =>
  void errors.push(omitted('status.conditions', why))

/** The status of a job (ValidateJobUpdateStatus): counts only grow, and an end is final. */
export function validateJobStatus(object: Draft, old: UnknownObject): readonly FieldError[] {
  const errors: Errors = []
  const change = changeOf(object, old)
  for (const check of RULES) check(errors, change)
  return errors
}

function checkUncounted(errors: Errors, { status }: Change): void {
  const pods = objectAt(status, 'uncountedTerminatedPods')
  const seen = new Set<string>()
  for (const list of ['succeeded', 'failed']) {
    textsAt(pods, list).forEach((uid, i) => {
      const at = `status.uncountedTerminatedPods.${list}[${i}]`
      if (uid === '') errors.push(invalidValue(at, uid, 'must not be empty'))
      else if (seen.has(uid)) errors.push(duplicate(at, uid))
      seen.add(uid)
    })
  }
}

function checkCompletionTime(errors: Errors, { status, is, turned, moved }: Change): void {
  const at = 'status.completionTime'
  const time = status['completionTime'] ?? undefined
  const start = status['startTime'] ?? undefined
  if (turned('Complete') || moved('completionTime')) {
    if (time !== undefined && !is('Complete')) {
      const why = 'cannot set completionTime when there is no Complete=True condition'
      errors.push(invalidValue(at, time, why))
    }
    if (time === undefined && is('Complete')) {
      errors.push(required(at, 'completionTime is required for Complete jobs'))
    }
  }
  if (!moved('startTime', 'completionTime') || time === undefined || start === undefined) return
  if (Date.parse(String(time)) >= Date.parse(String(start))) return
  errors.push(invalidValue(at, time, 'must be equal to or after `startTime`'))
}

function checkFinished(errors: Errors, change: Change): void {
  const { status, spec, finished, moved, turnedFinished } = change
  if (!finished) return
  const active = numberAt(status, 'active') ?? 0
  if ((turnedFinished || moved('active')) && active > 0) {
    errors.push(invalidValue('status.active', active, 'active>0 is invalid for finished job'))
  }
  const isNothing = flagAt(spec, 'suspend') && spec['completions'] === 0
  if ((turnedFinished || moved('startTime')) && !isNothing && !has(status, 'startTime')) {
    errors.push(required('status.startTime', 'startTime is required for finished job'))
  }
  if (!turnedFinished && !moved('uncountedTerminatedPods')) return
  const pods = objectAt(status, 'uncountedTerminatedPods')
  if (textsAt(pods, 'succeeded').length + textsAt(pods, 'failed').length === 0) return
  const shown = internalForm('UncountedTerminatedPods', pods)
  const at = 'status.uncountedTerminatedPods'
  errors.push(invalidValue(at, shown, 'must be empty for finished job'))
}

function checkIndexes(errors: Errors, { spec, status, moved }: Change): void {
  const completions = numberAt(spec, 'completions')
  const completed = textAt(status, 'completedIndexes')
  const failed = status['failedIndexes'] as string | null | undefined
  const perIndex = has(spec, 'backoffLimitPerIndex')
  if (moved('completedIndexes') && completions !== undefined) {
    checkFormat(errors, 'completedIndexes', completed, completions)
  }
  if (
    moved('failedIndexes') &&
    completions !== undefined &&
    perIndex &&
    has(status, 'failedIndexes')
  ) {
    checkFormat(errors, 'failedIndexes', failed!, completions)
  }
  if (moved('completedIndexes') && completed !== '' && !isIndexed(spec)) {
    const why = 'cannot set non-empty completedIndexes when non-indexed completion mode'
    errors.push(invalidValue('status.completedIndexes', completed, why))
  }
  if (failed === undefined || failed === null) return
  if (moved('failedIndexes') && !perIndex) {
    const why = 'cannot set non-null failedIndexes when backoffLimitPerIndex is null'
    errors.push(invalidValue('status.failedIndexes', failed, why))
  }
  if (!moved('failedIndexes', 'completedIndexes') || completions === undefined) return
  const shared = sharedIndex(completed, failed, completions)
  if (shared === undefined) return
  const why = `failedIndexes and completedIndexes overlap at index: ${shared}`
  errors.push(invalidValue('status.failedIndexes', failed, why))
}

function checkFormat(errors: Errors, name: string, text: string, completions: number): void {
  const problem = readIndexes(text, completions)
  if (typeof problem !== 'string') return
  errors.push(invalidValue(`status.${name}`, text, `error parsing ${name}: ${problem}`))
}

const isIndexed = (spec: Readable): boolean => textAt(spec, 'completionMode') === 'Indexed'

function checkPods(errors: Errors, { status, finished, moved, turnedFinished }: Change): void {
  const terminating = numberAt(status, 'terminating') ?? 0
  if ((turnedFinished || moved('terminating')) && terminating > 0 && finished) {
    const why = 'terminating>0 is invalid for finished job'
    errors.push(invalidValue('status.terminating', terminating, why))
  }
  const ready = numberAt(status, 'ready')
  if (
    ready === undefined ||
    !moved('ready', 'active') ||
    ready <= (numberAt(status, 'active') ?? 0)
  )
    return
  errors.push(invalidValue('status.ready', ready, 'cannot set more ready pods than active'))
}

function checkSuccess(errors: Errors, { spec, is }: Change): void {
  if (is('SuccessCriteriaMet') && is('Failed')) {
    refuse(errors, 'cannot set SuccessCriteriaMet=True and Failed=true conditions')
  }
  if (is('SuccessCriteriaMet') && is('FailureTarget')) {
    refuse(errors, 'cannot set SuccessCriteriaMet=True and FailureTarget=true conditions')
  }
  if (has(spec, 'successPolicy') && !is('SuccessCriteriaMet') && is('Complete')) {
    const why = 'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True'
    refuse(errors, why)
  }
}

function checkDecided(errors: Errors, { is, was }: Change): void {
  for (const type of ['Failed', 'Complete', 'FailureTarget']) {
    if (was(type) && !is(type)) {
      refuse(errors, `cannot disable the terminal ${type}=True condition`)
    }
  }
}

function checkCounters(errors: Errors, { spec, status, before }: Change): void {
  const count = (of: Readable, name: string): number => numberAt(of, name) ?? 0
  const failed = count(status, 'failed')
  if (failed < count(before, 'failed')) {
    errors.push(invalidValue('status.failed', failed, 'cannot decrease the failed counter'))
  }
  // An indexed job whose parallelism is its size can shrink.
  if (isIndexed(spec) && same(spec['completions'], spec['parallelism'])) return
  const succeeded = count(status, 'succeeded')
  if (succeeded >= count(before, 'succeeded')) return
  const why = 'cannot decrease the succeeded counter'
  errors.push(invalidValue('status.succeeded', succeeded, why))
}

function checkTimes(errors: Errors, { spec, status, before, is, was }: Change): void {
  const time = status['completionTime'] ?? undefined
  if (time !== undefined && has(before, 'completionTime') && time !== before['completionTime']) {
    errors.push(invalidValue('status.completionTime', time, 'field is immutable'))
  }
  const start = status['startTime'] ?? undefined
  const resumes = was('Suspended') && hasCondition(status, 'False')('Suspended')
  const moved = has(before, 'startTime') && start !== before['startTime']
  if (moved && !resumes && !flagAt(spec, 'suspend')) {
    const why = 'field is immutable for unsuspended job once set'
    errors.push(invalidValue('status.startTime', start ?? null, why))
  }
  if (was('SuccessCriteriaMet') && !is('SuccessCriteriaMet')) {
    refuse(errors, 'cannot disable the SuccessCriteriaMet=True condition')
  }
  if (was('Complete') && !was('SuccessCriteriaMet') && is('SuccessCriteriaMet')) {
    const why = 'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions'
    refuse(errors, why)
  }
}
