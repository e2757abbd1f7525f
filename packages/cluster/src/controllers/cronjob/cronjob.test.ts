import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { CronJob, Job } from 'kubewright/kinds/batch/v1'
import { planCronJob, startedStatus } from './plan.ts'
import { parseSchedule } from 'kubewright/base'

const at = (text: string): number => Date.parse(`${text}Z`)
const next = (schedule: string, after: string, zone?: string): string | undefined => {
  const found = parseSchedule(schedule, zone).next(at(after))
  return found === undefined ? undefined : new Date(found).toISOString().slice(0, 16)
}

test('schedules recur when they say', () => {
  const cases: readonly (readonly [schedule: string, after: string, next: string])[] = [
    ['*/5 * * * *', '2026-01-01T00:00:00', '2026-01-01T00:05'],
    ['*/5 * * * *', '2026-01-01T00:04:59', '2026-01-01T00:05'],
    ['0 12 * * *', '2026-01-01T12:00:00', '2026-01-02T12:00'],
    ['30 8-10/2 * * *', '2026-01-01T09:00:00', '2026-01-01T10:30'],
    ['0 0 29 2 *', '2026-01-01T00:00:00', '2028-02-29T00:00'],
    ['0 0 * * mon', '2026-01-01T00:00:00', '2026-01-05T00:00'],
    ['0 0 13 * 5', '2026-01-01T00:00:00', '2026-01-02T00:00'],
    ['0 0 1 JAN,JUL ?', '2026-01-02T00:00:00', '2026-07-01T00:00'],
    ['@hourly', '2026-01-01T00:30:00', '2026-01-01T01:00'],
    ['@every 90s', '2026-01-01T00:00:00', '2026-01-01T00:01'],
    ['TZ=Asia/Shanghai 0 8 * * *', '2026-01-01T01:00:00', '2026-01-02T00:00'],
  ]
  for (const [schedule, after, expected] of cases)
    assert.equal(next(schedule, after), expected, schedule)
  assert.equal(
    next('30 2 * * *', '2026-03-28T12:00:00', 'Europe/Berlin'),
    '2026-03-30T00:30',
    'an hour that is left out',
  )
  assert.equal(next('0 0 30 2 *', '2026-01-01T00:00:00'), undefined)
})

test('what is no schedule is refused with a reason', () => {
  const why = (text: string): string => {
    try {
      parseSchedule(text)
      return 'fine'
    } catch (error) {
      return (error as Error).message
    }
  }
  assert.match(why('* * * *'), /expected exactly 5 fields, found 4/)
  assert.match(why('60 * * * *'), /end of range \(60\) above maximum \(59\)/)
  assert.match(why('5-1 * * * *'), /beginning of range \(5\) beyond end of range \(1\)/)
  assert.match(why('*/0 * * * *'), /step of range should be a positive number/)
  assert.match(why('x * * * *'), /failed to parse int from x/)
  assert.match(why('@sometimes'), /expected exactly 5 fields/)
  assert.throws(() => parseSchedule('* * * * *', 'Mars/Olympus'), RangeError)
})

test('the next time is the first that a walk by minutes finds', () => {
  const list = (min: number, max: number): fc.Arbitrary<string> =>
    fc.oneof(
      fc.constant('*'),
      fc.integer({ min, max }).map(String),
      fc
        .tuple(fc.integer({ min, max }), fc.integer({ min, max }))
        .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
    )
  const property = fc.property(
    list(0, 59),
    list(0, 23),
    list(1, 28),
    list(0, 6),
    fc.nat(40_000),
    (minute, hour, day, weekday, start) => {
      const text = `${minute} ${hour} ${day} * ${weekday}`
      const after = at('2026-01-01T00:00:00') + start * 60_000
      const has = (field: string, value: number): boolean => {
        if (field === '*') return true
        const [low = 0, high = low] = field.split('-').map(Number)
        return low <= value && value <= high
      }
      let walk = after + 60_000
      for (; walk < after + 62 * 86_400_000; walk += 60_000) {
        const date = new Date(walk)
        const [d, w] = [has(day, date.getUTCDate()), has(weekday, date.getUTCDay())]
        const onDay = day === '*' || weekday === '*' ? d && w : d || w
        if (has(minute, date.getUTCMinutes()) && has(hour, date.getUTCHours()) && onDay) break
      }
      const found = parseSchedule(text).next(after)
      if (walk < after + 62 * 86_400_000) assert.equal(found, walk, text)
    },
  )
  fc.assert(property, { numRuns: 60 })
})

const cronJob = (
  spec: Partial<NonNullable<CronJob['spec']>> = {},
  status: CronJob['status'] = {},
): CronJob => ({
  metadata: {
    name: 'tick',
    namespace: 'default',
    uid: 'uid-tick',
    creationTimestamp: '2026-01-01T00:00:30Z',
  },
  spec: {
    schedule: '* * * * *',
    successfulJobsHistoryLimit: 1,
    failedJobsHistoryLimit: 1,
    jobTemplate: {
      metadata: { labels: { a: 'b' } },
      spec: { template: { spec: { containers: [] } } },
    },
    ...spec,
  },
  status: status!,
})

const job = (name: string, end?: 'Complete' | 'Failed'): Job => ({
  metadata: { name, namespace: 'default', uid: `uid-${name}` },
  spec: { template: { spec: { containers: [] } } },
  status: {
    startTime: '2026-01-01T00:00:00Z',
    ...(end && {
      conditions: [{ type: end, status: 'True' }],
      completionTime: '2026-01-01T00:02:00Z',
    }),
  },
})

test('a job is made at its minute, under a name that the minute gives', () => {
  const early = planCronJob({ cronJob: cronJob(), jobs: [], now: at('2026-01-01T00:00:45') })
  assert.equal(early.create, undefined)
  assert.equal(early.after, 15_100)
  const due = planCronJob({ cronJob: cronJob(), jobs: [], now: at('2026-01-01T00:01:02') })
  assert.equal(due.create!.job.metadata!.name, `tick-${at('2026-01-01T00:01:00') / 60_000}`)
  assert.deepEqual(due.create!.job.metadata!.labels, { a: 'b' })
  assert.deepEqual(due.create!.job.metadata!.annotations, {
    'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-01T00:01:00Z',
  })
  const started = startedStatus(due.status, job('tick-1'), due.create!.scheduled)
  assert.equal(started.lastScheduleTime, '2026-01-01T00:01:00Z')
  const again = planCronJob({
    cronJob: cronJob({}, started),
    jobs: [job('tick-1')],
    now: at('2026-01-01T00:01:30'),
  })
  assert.equal(again.create, undefined)
  assert.equal(
    planCronJob({ cronJob: cronJob({ suspend: true }), jobs: [], now: at('2026-01-02T00:00:00') })
      .create,
    undefined,
  )
})

test('a job that still runs forbids the next one, or is replaced by it', () => {
  const status = startedStatus({}, job('tick-1'), at('2026-01-01T00:01:00'))
  const at2 = { jobs: [job('tick-1')], now: at('2026-01-01T00:02:00') }
  const forbidden = planCronJob({
    cronJob: cronJob({ concurrencyPolicy: 'Forbid' }, status),
    ...at2,
  })
  assert.equal(forbidden.create, undefined)
  assert.deepEqual(
    forbidden.events.map((it) => it.reason),
    ['JobAlreadyActive'],
  )
  const replaced = planCronJob({
    cronJob: cronJob({ concurrencyPolicy: 'Replace' }, status),
    ...at2,
  })
  assert.deepEqual(
    replaced.remove.map((it) => it.metadata.name),
    ['tick-1'],
  )
  assert.ok(replaced.create)
  assert.ok(planCronJob({ cronJob: cronJob({}, status), ...at2 }).create, 'both run')
})

test('ended jobs leave the list, are remembered, and go beyond the limits', () => {
  const status = startedStatus({}, job('a'), at('2026-01-01T00:01:00'))
  const jobs = [job('a', 'Complete'), job('b', 'Complete'), job('c', 'Failed'), job('d', 'Failed')]
  const plan = planCronJob({ cronJob: cronJob({}, status), jobs, now: at('2026-01-01T00:01:30') })
  assert.equal(plan.status.active, undefined)
  assert.equal(plan.status.lastSuccessfulTime, '2026-01-01T00:02:00Z')
  assert.deepEqual(
    plan.events.map((it) => it.message),
    ['Saw completed job: a, condition: Complete'],
  )
  assert.deepEqual(
    plan.remove.map((it) => it.metadata.name),
    ['a', 'c'],
  )
})

test('what was missed is made up for once, and not when it is too late', () => {
  const now = at('2026-01-01T05:00:10')
  const late = planCronJob({ cronJob: cronJob(), jobs: [], now })
  assert.equal(late.create!.scheduled, at('2026-01-01T05:00:00'))
  assert.deepEqual(
    late.events.map((it) => it.reason),
    ['TooManyMissedTimes'],
  )
  const hourly = cronJob({ schedule: '0 * * * *', startingDeadlineSeconds: 5 })
  assert.equal(planCronJob({ cronJob: hourly, jobs: [], now }).create, undefined)
})

test('a day that never comes is told of', () => {
  const { events, after, create } = planCronJob({
    cronJob: cronJob({ schedule: '59 23 31 2 *' }),
    jobs: [],
    now: at('2026-01-01T00:01:02'),
  })
  assert.deepEqual([after, create], [undefined, undefined])
  assert.deepEqual(events, [
    {
      type: 'Warning',
      reason: 'InvalidSchedule',
      message:
        'invalid schedule: 59 23 31 2 * : time difference between two schedules is less than 1 second',
    },
  ])
})
