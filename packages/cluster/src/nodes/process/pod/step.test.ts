import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { Container, Pod, PodSpec } from 'kubewright/kinds/core/v1'
import { DEFAULT_PROCESS_DELAYS, type ProcessStep } from './input.ts'
import type { Action, Fact, ProcessPod } from './state.ts'
import { stepProcessPod } from './step.ts'

const START = Date.UTC(2026, 0, 1)

/** A pod on a node whose processes do what the test says. */
class Bench {
  pod: Pod
  state: ProcessPod | undefined
  now: number = START
  last!: ProcessStep
  readonly said: string[] = []

  constructor(spec: Partial<PodSpec>) {
    this.pod = {
      metadata: { name: 'web', namespace: 'default', uid: 'uid-1', generation: 1 },
      spec: { nodeName: 'node-1', containers: [main()], ...spec },
      status: { phase: 'Pending', qosClass: 'BestEffort' },
    }
  }

  step(...facts: Fact[]): readonly Action[] {
    const [state, step] = stepProcessPod(this.state, {
      pod: this.pod,
      now: this.now,
      delays: DEFAULT_PROCESS_DELAYS,
      hostIP: '10.89.0.2',
      podIP: '10.244.0.5',
      facts,
      imageProblem: (image) => (image.startsWith('known') ? undefined : `no ${image} here`),
    })
    this.state = state
    this.last = step
    this.said.push(...step.events.map((it) => `${it.reason}: ${it.message}`))
    this.pod = { ...this.pod, status: step.status }
    return step.actions
  }

  /** The pod's network and volumes are there. */
  begin(): readonly Action[] {
    assert.deepEqual(this.step(), [{ is: 'prepare' }])
    return this.step({ is: 'sandboxReady' })
  }

  delete(grace = 30): readonly Action[] {
    const { metadata } = this.pod
    const deletionTimestamp = new Date(this.now).toISOString()
    this.pod = {
      ...this.pod,
      metadata: { ...metadata, deletionTimestamp, deletionGracePeriodSeconds: grace },
    }
    return this.step()
  }

  wait(ms: number): readonly Action[] {
    this.now += ms
    return this.step()
  }

  get phase(): string {
    return this.pod.status!.phase!
  }

  /** What a container's status says: `running`, `waiting Reason`, `ended 1`; with ready and restarts. */
  shown(name = 'main'): string {
    const { containerStatuses = [], initContainerStatuses = [] } = this.pod.status!
    const it = [...initContainerStatuses, ...containerStatuses].find((one) => one.name === name)!
    const { waiting, running, terminated } = it.state!
    const state = waiting
      ? `waiting ${waiting.reason}`
      : running
        ? 'running'
        : `ended ${terminated!.exitCode} ${terminated!.reason}`
    return `${state}${it.ready ? ' ready' : ''}${it.started ? ' started' : ''} x${it.restartCount}`
  }
}

const main = (more: Partial<Container> = {}): Container => ({
  name: 'main',
  image: 'known:1',
  ...more,
})

const start = (container: string, run = 1): Action => ({ is: 'start', container, run })
const started = (run = 1, container = 'main'): Fact => ({
  is: 'started',
  container,
  run,
  at: START,
})
const ended = (exitCode: number, run = 1, container = 'main', at = START): Fact => ({
  is: 'ended',
  container,
  run,
  how: { at, exitCode },
})
const probed = (probe: 'startup' | 'liveness' | 'readiness', healthy: boolean, run = 1): Fact => ({
  is: 'probed',
  container: 'main',
  run,
  probe,
  healthy,
})

test('a pod is prepared, started, ready, stopped and removed', () => {
  const pod = new Bench({})
  assert.deepEqual(pod.begin(), [start('main')])
  assert.equal(pod.shown(), 'waiting ContainerCreating x0')
  pod.step(started())
  assert.equal(pod.shown(), 'running ready started x0')
  assert.equal(pod.phase, 'Running')
  assert.deepEqual(pod.delete(7), [{ is: 'stop', container: 'main', run: 1, grace: 7000 }])
  assert.equal(pod.last.remove, false)
  assert.deepEqual(pod.wait(1000), [], 'it is asked once')
  pod.step(ended(0))
  assert.equal(pod.last.remove, true)
  assert.deepEqual(pod.said, [
    'Pulled: Container image "known:1" already present on machine and can be accessed by the pod',
    'Created: Container created',
    'Started: Container started',
    'Killing: Stopping container main',
  ])
})

test('one that was deleted while it started is stopped when it has', () => {
  const pod = new Bench({})
  pod.begin()
  assert.deepEqual(pod.delete(), [])
  assert.equal(pod.last.remove, false)
  assert.deepEqual(pod.step(started()), [{ is: 'stop', container: 'main', run: 1, grace: 30_000 }])
  pod.step(ended(143))
  assert.equal(pod.last.remove, true)
})

test('the first restart is at once, the next ones wait ever longer', () => {
  const pod = new Bench({})
  pod.begin()
  pod.step(started())
  assert.deepEqual(pod.step(ended(1)), [start('main', 2)])
  pod.step(started(2))
  assert.equal(pod.shown(), 'running ready started x1')
  assert.equal(pod.pod.status!.containerStatuses![0]!.lastState!.terminated!.exitCode, 1)
  for (const [index, seconds] of [10, 20, 40, 80, 160, 300, 300].entries()) {
    const run = index + 2
    assert.deepEqual(pod.step(ended(1, run, 'main', pod.now)), [])
    assert.equal(pod.shown(), `waiting CrashLoopBackOff x${index + 1}`)
    assert.equal(pod.last.after, seconds * 1000)
    assert.deepEqual(pod.wait(seconds * 1000 - 1), [])
    assert.deepEqual(pod.wait(1), [start('main', run + 1)])
    pod.step({ is: 'started', container: 'main', run: run + 1, at: pod.now })
  }
})

test('facts of an earlier run count for nothing', () => {
  const pod = new Bench({})
  pod.begin()
  pod.step(started())
  pod.step(ended(1))
  pod.step(started(2))
  const before = pod.shown()
  assert.deepEqual(pod.step(ended(1), probed('readiness', false), started()), [])
  assert.equal(pod.shown(), before)
})

test('an image that the map does not name is never started', () => {
  const pod = new Bench({ containers: [main({ image: 'other:1' })] })
  assert.deepEqual(pod.begin(), [])
  assert.equal(pod.shown(), 'waiting ErrImagePull x0')
  assert.equal(pod.pod.status!.containerStatuses![0]!.state!.waiting!.message, 'no other:1 here')
  pod.wait(1000)
  assert.equal(pod.shown(), 'waiting ImagePullBackOff x0')
  assert.equal(pod.last.after, 10_000)
  pod.wait(10_000)
  assert.equal(pod.shown(), 'waiting ErrImagePull x0')
  pod.delete()
  assert.equal(pod.last.remove, true)
})

test('what is missing for a container is looked for again', () => {
  const pod = new Bench({})
  pod.begin()
  const refused: Fact = {
    is: 'refused',
    container: 'main',
    run: 1,
    reason: 'CreateContainerConfigError',
    message: 'secret "x" not found',
  }
  assert.deepEqual(pod.step(refused), [])
  assert.equal(pod.shown(), 'waiting CreateContainerConfigError x0')
  assert.deepEqual(pod.wait(10_000), [start('main')])
  pod.step(started())
  assert.equal(pod.shown(), 'running ready started x0')
})

test('probes say whether it has started, is ready, and must go', () => {
  const probe = { tcpSocket: { port: 1 } }
  const pod = new Bench({
    containers: [
      main({
        startupProbe: probe,
        readinessProbe: probe,
        livenessProbe: { ...probe, terminationGracePeriodSeconds: 3 },
      }),
    ],
  })
  pod.begin()
  pod.step(started())
  assert.equal(pod.shown(), 'running x0')
  pod.step(probed('readiness', true))
  assert.equal(pod.shown(), 'running x0', 'not before it has started')
  pod.step(probed('startup', true))
  assert.equal(pod.shown(), 'running ready started x0')
  pod.step(probed('readiness', false))
  assert.equal(pod.shown(), 'running started x0')
  assert.deepEqual(pod.step(probed('liveness', false)), [
    { is: 'stop', container: 'main', run: 1, grace: 3000 },
  ])
  assert.equal(pod.said.at(-1), 'Killing: Container main failed liveness probe, will be restarted')
  assert.deepEqual(pod.step(ended(137)), [start('main', 2)])
})

test('init containers come one after another, and sidecars before what follows them', () => {
  const pod = new Bench({
    initContainers: [
      { name: 'first', image: 'known:1' },
      { name: 'side', image: 'known:1', restartPolicy: 'Always' },
      { name: 'last', image: 'known:1' },
    ],
    restartPolicy: 'Never',
  })
  assert.deepEqual(pod.begin(), [start('first')])
  pod.step(started(1, 'first'))
  assert.deepEqual(pod.step(ended(0, 1, 'first')), [start('side')])
  assert.deepEqual(pod.step(started(1, 'side')), [start('last')])
  pod.step(started(1, 'last'))
  assert.deepEqual(pod.step(ended(0, 1, 'last')), [start('main')])
  pod.step(started())
  assert.deepEqual(pod.step(ended(0)), [{ is: 'stop', container: 'side', run: 1, grace: 30_000 }])
  assert.equal(pod.phase, 'Succeeded')
  assert.deepEqual(pod.step(ended(143, 1, 'side')), [])
})

test('a failed init container is run again, or ends the pod', () => {
  const initContainers = [{ name: 'first', image: 'known:1' }]
  const again = new Bench({ initContainers, restartPolicy: 'OnFailure' })
  again.begin()
  again.step(started(1, 'first'))
  assert.deepEqual(again.step(ended(1, 1, 'first')), [start('first', 2)])
  const never = new Bench({ initContainers, restartPolicy: 'Never' })
  never.begin()
  never.step(started(1, 'first'))
  assert.deepEqual(never.step(ended(1, 1, 'first')), [])
  assert.equal(never.phase, 'Failed')
})

test('a pod has its time, and no more', () => {
  const pod = new Bench({ activeDeadlineSeconds: 5 })
  pod.begin()
  pod.step(started())
  assert.equal(pod.last.after, 5000)
  assert.deepEqual(pod.wait(5000), [{ is: 'stop', container: 'main', run: 1, grace: 30_000 }])
  assert.deepEqual([pod.phase, pod.pod.status!.reason], ['Failed', 'DeadlineExceeded'])
  assert.deepEqual(pod.step(ended(143)), [])
})

test('after its node ended, what ran has ended, and begins again where it may', () => {
  for (const [restartPolicy, phase] of [
    ['Always', 'Running'],
    ['Never', 'Failed'],
  ] as const) {
    const pod = new Bench({ restartPolicy })
    pod.begin()
    pod.step(started())
    pod.state = undefined
    const actions = pod.step()
    assert.deepEqual(actions, restartPolicy === 'Always' ? [{ is: 'prepare' }] : [])
    if (restartPolicy === 'Always') {
      assert.deepEqual(pod.step({ is: 'sandboxReady' }), [start('main', 2)])
      pod.step(started(2))
      assert.equal(pod.shown(), 'running ready started x1')
      assert.equal(pod.pod.status!.containerStatuses![0]!.lastState!.terminated!.reason, 'Unknown')
    }
    assert.equal(pod.phase, phase)
  }
})

test('whatever happens: at most one process of a container, and none when the pod is removed', () => {
  const happening = fc.oneof(
    fc.record({ do: fc.constant('start' as const), which: fc.nat(2) }),
    fc.record({ do: fc.constant('end' as const), which: fc.nat(2), code: fc.constantFrom(0, 1) }),
    fc.record({ do: fc.constant('probe' as const), healthy: fc.boolean() }),
    fc.record({ do: fc.constant('wait' as const), ms: fc.nat(400_000) }),
    fc.record({ do: fc.constant('delete' as const) }),
  )
  const policies = fc.constantFrom('Always' as const, 'OnFailure' as const, 'Never' as const)
  fc.assert(
    fc.property(policies, fc.array(happening, { maxLength: 60 }), (restartPolicy, script) => {
      const names = ['init', 'side', 'main']
      const pod = new Bench({
        restartPolicy,
        initContainers: [
          { name: 'init', image: 'known:1' },
          { name: 'side', image: 'known:1', restartPolicy: 'Always' },
        ],
        containers: [main({ livenessProbe: { tcpSocket: { port: 1 } } })],
      })
      const alive = new Map<string, { readonly run: number; isStarted: boolean }>()
      const take = (actions: readonly Action[]): void => {
        for (const it of actions) {
          if (it.is === 'start') {
            assert.ok(!alive.has(it.container), `${it.container} has a process already`)
            alive.set(it.container, { run: it.run, isStarted: false })
          }
          if (it.is === 'stop') assert.equal(alive.get(it.container)?.run, it.run)
        }
        if (pod.last.remove) assert.equal(alive.size, 0)
      }
      take(pod.begin())
      for (const it of script) {
        const name = 'which' in it ? names[it.which]! : 'main'
        const process = alive.get(name)
        if (it.do === 'start' && process && !process.isStarted) {
          process.isStarted = true
          take(pod.step({ ...started(process.run, name), at: pod.now } as Fact))
        } else if (it.do === 'end' && process?.isStarted) {
          alive.delete(name)
          take(pod.step(ended(it.code, process.run, name, pod.now)))
        } else if (it.do === 'probe' && process)
          take(pod.step(probed('liveness', it.healthy, process.run)))
        else if (it.do === 'wait') take(pod.wait(it.ms))
        else if (it.do === 'delete') take(pod.delete())
      }
    }),
  )
})
