import {
  invalidValue,
  notSupported,
  required,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import { flagAt, has, numberAt, objectAt, same, textAt, type Readable } from '../fields.ts'
import {
  checkNonNegative,
  checkNonNegativeFields,
  requireOneOf,
  type Errors,
} from '../generic/checks.ts'
import type { Draft } from '../strategy.ts'
import { isZone, scheduleProblem } from './cron-schedule.ts'
import { checkJobSpec } from './job-spec-validation.ts'

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

/** A changed CronJob (ValidateCronJobUpdate). */
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
  if (has(job, 'selector')) {
    errors.push(
      invalidValue(
        'spec.jobTemplate.spec.selector',
        job['selector'],
        '`selector` will be auto-generated',
      ),
    )
  }
  if (flagAt(job, 'manualSelector')) {
    const at = 'spec.jobTemplate.spec.manualSelector'
    errors.push(notSupported(at, true, ['nil', 'false']))
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
