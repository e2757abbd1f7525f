import { parseSchedule, type Schedule } from 'kubewright/base'
import { CronJob, type CronJobStatus, type Job } from 'kubewright/kinds/batch/v1'
import { controllerReference, type Draft, timeText } from 'kubewright/machinery'
import { parseTimestamp } from '../workload/time.ts'
import { zonedTimeText } from './zoned-time.ts'

/** What a cron job is decided upon: its jobs, and the time in milliseconds since the epoch. */
export interface CronObserved {
  readonly cronJob: CronJob
  readonly jobs: readonly Job[]
  readonly now: number
}

/** Something to say about a cron job. */
export interface CronEvent {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

/** What to do now: delete some jobs, perhaps start one, and write the status; `after` is when to look again, in milliseconds. */
export interface CronPlan {
  readonly remove: readonly Job[]
  readonly create: { readonly job: Draft<Job>; readonly scheduled: number } | undefined
  readonly status: CronJobStatus
  readonly events: readonly CronEvent[]
  readonly after: number | undefined
}

type ActiveJob = NonNullable<CronJobStatus['active']>[number]

/** After the scheduled second, so that a clock that is a little behind does not look too early (nextScheduleDelta). */
const DELTA = 100
const SCHEDULED_AT = 'batch.kubernetes.io/cronjob-scheduled-timestamp'

/** Decides about a cron job (kubernetes/pkg/controller/cronjob syncCronJob). */
export function planCronJob(observed: CronObserved): CronPlan {
  const { cronJob } = observed
  const { status, events } = followJobs(observed)
  const surplus = surplusJobs(observed)
  const idle: CronPlan = { remove: surplus, create: undefined, status, events, after: undefined }
  if (cronJob.metadata.deletionTimestamp !== undefined || cronJob.spec?.suspend) return idle
  let schedule: Schedule
  try {
    schedule = parseSchedule(cronJob.spec!.schedule, cronJob.spec!.timeZone)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const message = `unparseable schedule: ${JSON.stringify(cronJob.spec!.schedule)} : ${why}`
    return { ...idle, events: [...events, warning('UnparseableSchedule', message)] }
  }
  return start(observed, schedule, idle)
}

const warning = (reason: string, message: string): CronEvent => ({
  type: 'Warning',
  reason,
  message,
})
const normal = (reason: string, message: string): CronEvent => ({ type: 'Normal', reason, message })

function finishedAs(job: Job): 'Complete' | 'Failed' | undefined {
  const found = job.status?.conditions?.find(
    (it) => (it.type === 'Complete' || it.type === 'Failed') && it.status === 'True',
  )
  return found?.type as 'Complete' | 'Failed' | undefined
}

/** Takes jobs that have ended or gone off the list of active ones, and remembers the last success. */
function followJobs({ cronJob, jobs }: CronObserved): {
  readonly status: CronJobStatus
  readonly events: readonly CronEvent[]
} {
  const active = cronJob.status?.active ?? []
  const events: CronEvent[] = []
  const left = active.filter((it) => {
    const job = jobs.find((one) => one.metadata.uid === it.uid)
    const end = job && finishedAs(job)
    if (!job) events.push(normal('MissingJob', `Active job went missing: ${it.name}`))
    if (end)
      events.push(normal('SawCompletedJob', `Saw completed job: ${it.name}, condition: ${end}`))
    return job && !end
  })
  for (const job of jobs) {
    if (finishedAs(job) || active.some((it) => it.uid === job.metadata.uid)) continue
    const message = `Saw a job that the controller did not create or forgot: ${job.metadata.name}`
    events.push(warning('UnexpectedJob', message))
  }
  const successes = jobs
    .filter((it) => finishedAs(it) === 'Complete')
    .map((it) => it.status?.completionTime)
  const times = [cronJob.status?.lastSuccessfulTime, ...successes].filter((it) => it !== undefined)
  const last = times.toSorted().at(-1)
  const { active: _, lastSuccessfulTime: __, ...rest } = cronJob.status ?? {}
  return {
    status: {
      ...rest,
      ...(left.length > 0 && { active: left }),
      ...(last !== undefined && { lastSuccessfulTime: last }),
    },
    events,
  }
}

/** Ended jobs beyond the history limits, oldest first. */
function surplusJobs({ cronJob, jobs }: CronObserved): readonly Job[] {
  const oldest = (end: 'Complete' | 'Failed', limit: number | undefined): readonly Job[] => {
    const ended = jobs.filter((it) => finishedAs(it) === end)
    const since = (it: Job): number => parseTimestamp(it.status?.startTime) ?? Infinity
    const ordered = ended.toSorted(
      (a, b) => since(a) - since(b) || (a.metadata.name! < b.metadata.name! ? -1 : 1),
    )
    return limit === undefined ? [] : ordered.slice(0, Math.max(0, ordered.length - limit))
  }
  return [
    ...oldest('Complete', cronJob.spec?.successfulJobsHistoryLimit),
    ...oldest('Failed', cronJob.spec?.failedJobsHistoryLimit),
  ]
}

function start(observed: CronObserved, schedule: Schedule, idle: CronPlan): CronPlan {
  const { cronJob, now } = observed
  const next = schedule.next(now)
  if (next === undefined) {
    // As Go's arithmetic tells of a day that never comes, such as the 31st of February.
    const message = `invalid schedule: ${cronJob.spec!.schedule} : time difference between two schedules is less than 1 second`
    return { ...idle, events: [...idle.events, warning('InvalidSchedule', message)] }
  }
  const waiting = { ...idle, after: next - now + DELTA }
  const due = dueTime(observed, schedule)
  if (due.time === undefined) return waiting
  const events = due.many
    ? [
        ...idle.events,
        warning(
          'TooManyMissedTimes',
          'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
        ),
      ]
    : idle.events
  const deadline = cronJob.spec?.startingDeadlineSeconds
  if (deadline !== undefined && due.time + deadline * 1000 < now) {
    const message = `Missed scheduled time to start a job: ${rfc1123(due.time)}`
    return { ...waiting, events: [...events, warning('MissSchedule', message)] }
  }
  return launch(observed, due.time, { ...waiting, events })
}

const rfc1123 = (ms: number): string => new Date(ms).toUTCString().replace('GMT', '+0000')

/** The last scheduled time that has passed since the last start, and whether more than a hundred have. */
function dueTime(
  { cronJob, now }: CronObserved,
  schedule: Schedule,
): { readonly time: number | undefined; readonly many: boolean } {
  const created = parseTimestamp(cronJob.metadata.creationTimestamp) ?? now
  const last = parseTimestamp(cronJob.status?.lastScheduleTime) ?? created
  const deadline = cronJob.spec?.startingDeadlineSeconds
  const earliest = deadline === undefined ? last : Math.max(last, now - deadline * 1000)
  const first = schedule.next(earliest)
  if (first === undefined || first > now) return { time: undefined, many: false }
  const second = schedule.next(first)
  if (second === undefined || second > now) return { time: first, many: false }
  const missed = Math.floor((now - first) / (second - first)) + 1
  let recent: number | undefined
  let at = schedule.next(first + Math.max(0, missed - 2) * (second - first))
  for (; at !== undefined && at <= now; at = schedule.next(at)) recent = at
  return { time: recent ?? first, many: missed > 100 }
}

function launch(observed: CronObserved, time: number, plan: CronPlan): CronPlan {
  const { cronJob, jobs } = observed
  const name = jobName(cronJob, time)
  const active = plan.status.active ?? []
  const again = parseTimestamp(cronJob.status?.lastScheduleTime) === time
  if (again || active.some((it) => it.name === name)) return plan
  const policy = cronJob.spec?.concurrencyPolicy ?? 'Allow'
  if (policy === 'Forbid' && active.length > 0) {
    const message =
      'Not starting job because prior execution is running and concurrency policy is Forbid'
    return { ...plan, events: [...plan.events, normal('JobAlreadyActive', message)] }
  }
  const replaced =
    policy === 'Replace'
      ? jobs.filter((it) => active.some((one) => one.uid === it.metadata.uid))
      : []
  const { active: _, ...rest } = plan.status
  return {
    ...plan,
    remove: [...plan.remove, ...replaced],
    create: { job: jobOf(cronJob, name, time), scheduled: time },
    status: replaced.length > 0 ? rest : plan.status,
  }
}

/** The job of a scheduled time has that time in its name, so that it is made once. */
function jobName(cronJob: CronJob, time: number): string {
  return `${cronJob.metadata.name}-${Math.floor(time / 60_000)}`
}

function jobOf(cronJob: CronJob, name: string, time: number): Draft<Job> {
  const { metadata, spec } = cronJob.spec!.jobTemplate
  return {
    metadata: {
      name,
      namespace: cronJob.metadata.namespace!,
      ...(metadata?.labels && { labels: metadata.labels }),
      annotations: {
        ...metadata?.annotations,
        [SCHEDULED_AT]: zonedTimeText(time, cronJob.spec!.timeZone),
      },
      ownerReferences: [controllerReference(CronJob, cronJob)],
    },
    ...(spec && { spec }),
  }
}

/** The status after a job has been started. */
export function startedStatus(status: CronJobStatus, job: Job, scheduled: number): CronJobStatus {
  const { namespace, name, uid, resourceVersion } = job.metadata
  const reference: ActiveJob = {
    kind: 'Job',
    apiVersion: 'batch/v1',
    namespace: namespace!,
    name: name!,
    uid: uid!,
    ...(resourceVersion && { resourceVersion }),
  }
  const lastScheduleTime = timeText(scheduled)
  return { ...status, active: [...(status.active ?? []), reference], lastScheduleTime }
}
