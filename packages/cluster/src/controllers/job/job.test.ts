import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { JobWorld } from './world.fixture.ts'

test('a job runs its pod, counts it, and is complete', () => {
  const it = new JobWorld({})
  it.sync()
  assert.equal(it.active.length, 1)
  assert.deepEqual(it.active[0]!.metadata.finalizers, ['batch.kubernetes.io/job-tracking'])
  assert.equal(it.job.status!.active, 1)
  it.end(it.active[0]!, 'Succeeded')
  it.sync()
  assert.deepEqual(it.conditions(), [
    'SuccessCriteriaMet=True/CompletionsReached',
    'Complete=True/CompletionsReached',
  ])
  assert.deepEqual(it.job.status!.succeeded, 1)
  assert.equal(it.job.status!.active, undefined)
  assert.equal(it.job.status!.completionTime, '2026-01-01T00:00:00Z')
  assert.deepEqual(it.job.status!.uncountedTerminatedPods, {})
  assert.deepEqual(it.events, ['Completed: Job completed'])
})

test('a failing pod is tried again, ever later, until the limit', () => {
  const it = new JobWorld({ backoffLimit: 2 })
  const waits: number[] = []
  for (let round = 0; round < 20 && !it.finished; round++) {
    it.sync()
    for (const pod of it.active) it.end(pod, 'Failed')
    it.reap()
    it.sync()
    if (it.after) waits.push(it.after)
    it.now += it.after ?? 0
  }
  assert.deepEqual(waits, [10_000, 20_000])
  assert.deepEqual(it.conditions(), [
    'FailureTarget=True/BackoffLimitExceeded',
    'Failed=True/BackoffLimitExceeded',
  ])
  assert.equal(it.job.status!.failed, 3)
  assert.deepEqual(it.events, ['BackoffLimitExceeded: Job has reached the specified backoff limit'])
})

test('a job past its deadline deletes what runs and fails when that is gone', () => {
  const it = new JobWorld({ activeDeadlineSeconds: 60, parallelism: 2, completions: 2 })
  it.sync()
  it.now += 61_000
  it.sync()
  assert.equal(it.active.length, 0)
  assert.deepEqual(it.conditions(), ['FailureTarget=True/DeadlineExceeded'])
  it.reap()
  it.sync()
  assert.deepEqual(it.conditions().at(-1), 'Failed=True/DeadlineExceeded')
  assert.equal(it.job.status!.failed, 2)
})

test('a suspended job has no pods, and they are no failures', () => {
  const it = new JobWorld({ parallelism: 2, completions: 2 })
  it.sync()
  it.job = { ...it.job, spec: { ...it.job.spec!, suspend: true } }
  it.sync()
  it.reap()
  it.sync()
  assert.equal(it.pods.size, 0)
  assert.deepEqual(it.conditions(), ['Suspended=True/JobSuspended'])
  assert.equal(it.job.status!.failed, undefined)
  assert.equal(it.job.status!.startTime, undefined)
  it.job = { ...it.job, spec: { ...it.job.spec!, suspend: false } }
  it.sync()
  assert.equal(it.active.length, 2)
  assert.deepEqual(it.conditions(), ['Suspended=False/JobResumed'])
  assert.deepEqual(it.events, ['Suspended: Job suspended', 'Resumed: Job resumed'])
})

test('an indexed job has one pod an index, with its name, label and variable', () => {
  const it = new JobWorld({ completionMode: 'Indexed', completions: 4, parallelism: 2 })
  it.sync()
  assert.deepEqual(it.indexes, [0, 1])
  const pod = it.active[1]!
  assert.equal(pod.metadata.generateName, 'work-1-')
  assert.equal(pod.metadata.labels!['batch.kubernetes.io/job-completion-index'], '1')
  assert.equal(pod.spec!.hostname, 'work-1')
  assert.equal(
    pod.spec!.containers[0]!.env![0]!.valueFrom!.fieldRef!.fieldPath,
    "metadata.labels['batch.kubernetes.io/job-completion-index']",
  )
  it.end(it.active[1]!, 'Succeeded')
  it.sync()
  assert.deepEqual(it.indexes, [0, 2])
  assert.equal(it.job.status!.completedIndexes, '1')
  for (let round = 0; round < 4; round++) {
    for (const active of it.active) it.end(active, 'Succeeded')
    it.sync()
  }
  assert.equal(it.job.status!.completedIndexes, '0-3')
  assert.ok(it.finished)
})

test('a limit by index lets other indexes go on', () => {
  const it = new JobWorld({
    completionMode: 'Indexed',
    completions: 2,
    parallelism: 2,
    backoffLimitPerIndex: 1,
    backoffLimit: 99,
  })
  for (let round = 0; round < 10 && !it.finished; round++) {
    it.sync()
    for (const pod of it.active)
      it.end(pod, pod.spec!.hostname === 'work-0' ? 'Failed' : 'Succeeded')
    it.sync()
    it.now += it.after ?? 0
  }
  assert.equal(it.job.status!.failedIndexes, '0')
  assert.equal(it.job.status!.completedIndexes, '1')
  assert.deepEqual(it.conditions().at(-1), 'Failed=True/FailedIndexes')
  assert.equal(it.job.status!.failed, 2, 'one retry')
})

test('a pod failure policy ends the job by exit code, with the sentence of Kubernetes', () => {
  const rules = [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } }] as const
  const it = new JobWorld({ podFailurePolicy: { rules } })
  it.sync()
  it.end(it.active[0]!, 'Failed', 42)
  it.sync()
  const failed = it.job.status!.conditions!.find((one) => one.type === 'Failed')!
  assert.equal(failed.reason, 'PodFailurePolicy')
  assert.equal(
    failed.message,
    'Container main for pod default/work-0 failed with exit code 42 matching FailJob rule at index 0',
  )
})

test('ignored failures do not count', () => {
  const rules = [
    { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
  ] as const
  const it = new JobWorld({ podFailurePolicy: { rules }, backoffLimit: 0 })
  it.sync()
  const pod = it.active[0]!
  it.end(pod, 'Failed')
  const ended = it.pods.get(pod.metadata.name!)!
  const conditions = [{ type: 'DisruptionTarget', status: 'True' }]
  it.pods.set(pod.metadata.name!, { ...ended, status: { ...ended.status!, conditions } })
  it.sync()
  assert.equal(it.finished, false)
  assert.equal(it.job.status!.failed, undefined)
})

test('a success policy ends an indexed job early', () => {
  const it = new JobWorld({
    completionMode: 'Indexed',
    completions: 5,
    parallelism: 5,
    successPolicy: { rules: [{ succeededIndexes: '0-2', succeededCount: 1 }] },
  })
  it.sync()
  it.end(it.active[2]!, 'Succeeded')
  it.sync()
  it.reap()
  it.sync()
  assert.deepEqual(it.conditions(), [
    'SuccessCriteriaMet=True/SuccessPolicy',
    'Complete=True/SuccessPolicy',
  ])
  assert.equal(it.job.status!.conditions![0]!.message, 'Matched rules at index 0')
  assert.equal(it.active.length, 0)
})

test('whatever breaks in the middle, every end is counted once and the job comes to its end', () => {
  const property = fc.property(
    fc.integer({ min: 1, max: 8 }),
    fc.integer({ min: 1, max: 4 }),
    fc.integer({ min: 0, max: 3 }),
    fc.boolean(),
    fc.array(fc.record({ succeeds: fc.boolean(), breakAt: fc.option(fc.nat(4)) }), {
      maxLength: 60,
    }),
    (completions, parallelism, backoffLimit, indexed, luck) => {
      const it = new JobWorld({
        completions,
        parallelism,
        backoffLimit,
        ...(indexed && { completionMode: 'Indexed' as const }),
      })
      const fates = [
        ...luck,
        ...Array.from({ length: 100 }, () => ({ succeeds: true, breakAt: null })),
      ]
      for (const { succeeds, breakAt } of fates) {
        it.sync(breakAt ?? Infinity)
        assert.ok(it.active.length <= parallelism, 'no more pods than may run at once')
        const [pod] = it.active
        if (pod && it.job.status) it.end(pod, succeeds ? 'Succeeded' : 'Failed')
        it.reap()
        it.now += 700_000
      }
      const { succeeded = 0, failed = 0, uncountedTerminatedPods } = it.job.status!
      assert.ok(it.finished)
      assert.deepEqual(uncountedTerminatedPods, {})
      if (it.conditions().includes('Complete=True/CompletionsReached')) {
        assert.equal(succeeded, completions)
        assert.equal(failed, it.ended.failed)
      } else {
        assert.ok(failed > backoffLimit)
        if (!indexed) assert.equal(succeeded + failed, it.ended.succeeded + it.ended.failed)
      }
    },
  )
  fc.assert(property, { numRuns: 300 })
})
