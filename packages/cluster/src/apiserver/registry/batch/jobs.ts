import type { UnknownObject } from 'kubewright/machinery'
import {
  ensureObject,
  fillAbsent,
  fillEmpty,
  flagAt,
  has,
  itemsAt,
  numberAt,
  objectAt,
  same,
  textAt,
  type Fields,
} from '../fields.ts'
import { specChanged, statusOnly, whole } from '../generic/whole-and-status.ts'
import type { Draft, Strategy, StrategyContext } from '../strategy.ts'
import { defaultPodTemplate } from '../core/pod-defaults.ts'
import { nameWarnings } from '../core/pod.ts'
import { withTemplate } from '../core/pod-template.ts'
import { podWarnings } from '../core/pod-warnings.ts'
import { validateCronJob, validateCronJobUpdate } from './cron-job-validation.ts'
import { validateJobStatus } from './job-status-validation.ts'
import { validateJob, validateJobUpdate } from './job-validation.ts'

const MAX_INT32 = 2 ** 31 - 1

/** The defaults of a job's spec that hold in a CronJob's template too: those of its pods, and of its failure policy. */
function defaultJobTemplate(spec: Fields): void {
  for (const rule of itemsAt(objectAt(spec, 'podFailurePolicy'), 'rules')) {
    for (const it of itemsAt(rule, 'onPodConditions')) fillEmpty(it, { status: 'True' })
  }
  defaultPodTemplate(ensureObject(spec, 'template'))
}

/** SetDefaults_Job (kubernetes/pkg/apis/batch/v1/defaults.go). */
function defaultJob(object: Draft): void {
  const spec = ensureObject(object, 'spec')
  if (!has(spec, 'completions') && !has(spec, 'parallelism')) spec['completions'] = 1
  fillAbsent(spec, {
    parallelism: 1,
    backoffLimit: has(spec, 'backoffLimitPerIndex') ? MAX_INT32 : 6,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: has(spec, 'podFailurePolicy') ? 'Failed' : 'TerminatingOrFailed',
    manualSelector: false,
  })
  defaultJobTemplate(spec)
  labelLikeTemplate(object, spec)
}

/** A job without labels takes those of its pods. */
function labelLikeTemplate(object: Draft, spec: Fields): void {
  const labels = objectAt(objectAt(objectAt(spec, 'template'), 'metadata'), 'labels')
  if (labels === undefined || Object.keys(object.metadata.labels ?? {}).length > 0) return
  object.metadata.labels = { ...(labels as Record<string, string>) }
}

/** What is stored without labels is read with those of its pods, which have them by then. */
const relabel = (object: Draft): void => labelLikeTemplate(object, ensureObject(object, 'spec'))

/** A job that was created without any labels lies there without them until it is written again. */
function labelledLate({ metadata, ...object }: UnknownObject): boolean {
  const { labels = {} } = metadata
  const spec = objectAt(object, 'spec')
  if (spec === undefined || flagAt(spec, 'manualSelector')) return false
  const its = objectAt(objectAt(objectAt(spec, 'template'), 'metadata'), 'labels')
  return its !== undefined && same(labels, its)
}

const JOB_NAME = ['job-name', 'batch.kubernetes.io/job-name']
const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid'
const CONTROLLER_UIDS = ['controller-uid', CONTROLLER_UID]

/** A job selects its pods by its own uid, which its template carries (generateSelector). */
function generateSelector(object: Draft): void {
  const spec = ensureObject(object, 'spec')
  if (flagAt(spec, 'manualSelector')) return
  const metadata = ensureObject(ensureObject(spec, 'template'), 'metadata')
  const before = objectAt(metadata, 'labels')
  const likeTemplate = before !== undefined && sameLabels(object.metadata.labels, before)
  const labels = ensureObject(metadata, 'labels')
  for (const it of JOB_NAME) labels[it] ??= object.metadata.name ?? ''
  for (const it of CONTROLLER_UIDS) labels[it] ??= object.metadata.uid ?? ''
  const matchLabels = ensureObject(ensureObject(spec, 'selector'), 'matchLabels')
  matchLabels[CONTROLLER_UID] ??= object.metadata.uid ?? ''
  // Labels that were taken from the template are the template's, whatever comes to them.
  if (likeTemplate) object.metadata.labels = { ...(labels as Record<string, string>) }
}

const sameLabels = (a: Readonly<Record<string, string>> | undefined, b: Fields): boolean =>
  JSON.stringify(a) === JSON.stringify(b)

const jobHooks = withTemplate(whole({ emptyStatus: {}, counts: specChanged }), ['spec', 'template'])

const MANY =
  'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail'

/** What is odd about a job's spec (kubernetes/pkg/api/job/warnings.go). */
function specWarnings(spec: Fields | undefined, at: string): readonly string[] {
  const isLarge =
    spec?.['completionMode'] === 'Indexed' &&
    (numberAt(spec, 'completions') ?? 0) > 100_000 &&
    (numberAt(spec, 'parallelism') ?? 0) > 10_000
  return [
    ...(isLarge ? [`${at}: ${MANY}`] : []),
    ...podWarnings(objectAt(spec, 'template'), `${at}.template`),
  ]
}

const jobSpec = (object: Draft): Fields | undefined => objectAt(object, 'spec')
const cronJobSpec = (object: Draft): Fields | undefined =>
  objectAt(objectAt(jobSpec(object), 'jobTemplate'), 'spec')
const isSameGeneration = (object: Draft, old: UnknownObject): boolean =>
  object.metadata.generation === old.metadata.generation

const jobWarnings = {
  warningsOnCreate: (object: Draft) => [
    ...nameWarnings(object, 'Pod names and hostnames'),
    ...specWarnings(jobSpec(object), 'spec'),
  ],
  warningsOnUpdate: (object: Draft, old: UnknownObject) =>
    isSameGeneration(object, old) ? [] : specWarnings(jobSpec(object), 'spec'),
}

const ZONED =
  'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details'

const cronJobWarnings = {
  warningsOnCreate: (object: Draft) => [
    ...nameWarnings(object, 'Pod names and hostnames'),
    ...specWarnings(cronJobSpec(object), 'spec.jobTemplate.spec'),
  ],
  warningsOnUpdate: (object: Draft, old: UnknownObject) => [
    ...(isSameGeneration(object, old)
      ? []
      : specWarnings(cronJobSpec(object), 'spec.jobTemplate.spec')),
    ...(textAt(jobSpec(object), 'schedule').includes('TZ') ? [ZONED] : []),
  ],
}

const PRESERVED =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning'

/** Job (kubernetes/pkg/registry/batch/job/strategy.go). Its pods outlive it unless the delete says otherwise. */
export const JOB: Strategy = Object.freeze({
  applyDefaults: defaultJob,
  ...jobHooks,
  prepareForCreate: (object: Draft, context: StrategyContext) => {
    generateSelector(object)
    return jobHooks.prepareForCreate(object, context)
  },
  validate: validateJob,
  reread: relabel,
  validateUpdate: validateJobUpdate,
  ...jobWarnings,
  defaultPropagation: 'Orphan',
  warningOnDelete: PRESERVED,
  selectableFields: {
    'status.successful': (it: UnknownObject) => String(objectAt(it, 'status')?.['succeeded'] ?? 0),
  },
  subresources: {
    status: { ...statusOnly(), validateUpdate: validateJobStatus, reread: relabel },
  },
  unsettled: labelledLate,
})

/** SetDefaults_CronJob. */
function defaultCronJob(object: Draft): void {
  const spec = ensureObject(object, 'spec')
  fillEmpty(spec, { concurrencyPolicy: 'Allow' })
  fillAbsent(spec, { suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 })
  const template = ensureObject(spec, 'jobTemplate')
  ensureObject(template, 'metadata')
  defaultJobTemplate(ensureObject(template, 'spec'))
}

const CRON_TEMPLATE = ['spec', 'jobTemplate', 'spec', 'template'] as const

/** CronJob (kubernetes/pkg/registry/batch/cronjob/strategy.go). */
export const CRON_JOB: Strategy = Object.freeze({
  applyDefaults: defaultCronJob,
  ...withTemplate(whole({ emptyStatus: {}, counts: specChanged }), CRON_TEMPLATE),
  validate: validateCronJob,
  validateUpdate: validateCronJobUpdate,
  ...cronJobWarnings,
  subresources: { status: statusOnly() },
})
