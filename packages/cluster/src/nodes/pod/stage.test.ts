import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import test from 'node:test'
import fc from 'fast-check'
import type { Container, ContainerStatus, Pod, PodSpec } from 'kubewright/kinds/core/v1'
import { Rules } from '../behaviour/rules.ts'
import { type PodRule, whenPod } from '../behaviour/rule.ts'
import { DEFAULT_DELAYS } from '../settings.ts'
import type { PodStep } from './input.ts'
import { stepPod } from './stage.ts'
import type { PodState } from './state.ts'

const START = Date.UTC(2026, 0, 1)

/** A pod on a node whose clock only moves to where something is due. */
class Bench {
  pod: Pod
  state: PodState | undefined
  now: number = START
  removed = false
  readonly lines: string[] = []
  readonly rules = new Rules()
  readonly #images = new Set<string>()

  constructor(spec: PodSpec, annotations: Record<string, string> = {}) {
    this.pod = {
      metadata: { name: 'web', namespace: 'default', uid: 'uid-1', generation: 1, annotations },
      spec: { nodeName: 'node-1', restartPolicy: 'Always', ...spec },
      status: { phase: 'Pending', qosClass: 'BestEffort' },
    }
  }

  step(): PodStep {
    const [state, step] = stepPod(this.state, {
      pod: this.pod,
      now: this.now,
      delays: DEFAULT_DELAYS,
      hostIP: '10.89.0.2',
      podIP: '10.244.0.5',
      hasImage: (image) => this.#images.has(image),
      behaviours: this.rules,
      ended: () => undefined,
    })
    this.state = state
    for (const event of step.events) {
      const about = event.container ? `${event.container.name}: ` : ''
      this.lines.push(`  ${event.type} ${event.reason} ${about}${event.message}`)
      if (event.reason === 'Pulled') this.#images.add(event.container!.image)
    }
    this.pod = { ...this.pod, status: step.status }
    this.lines.push(`${this.now - START} ms ${this.picture()}${step.remove ? ' REMOVE' : ''}`)
    this.removed ||= step.remove
    return step
  }

  /** Steps until nothing is due any more, or for `steps` steps. */
  run(steps: number = 20): this {
    for (let count = 0; count < steps && !this.removed; count++) {
      const { after } = this.step()
      if (after === undefined) break
      this.now += after
    }
    return this
  }

  /** Rules that hold from now on. */
  with(...rules: readonly PodRule[]): this {
    this.rules.add(...rules)
    return this
  }

  delete(): this {
    const deletionTimestamp = new Date(this.now).toISOString()
    const { metadata } = this.pod
    this.pod = {
      ...this.pod,
      metadata: { ...metadata, deletionTimestamp, deletionGracePeriodSeconds: 30 },
    }
    return this
  }

  /** The node forgets everything. */
  restart(): this {
    this.state = undefined
    return this
  }

  picture(): string {
    const { phase, podIP, conditions = [] } = this.pod.status!
    const held = conditions.map((it) => (it.status === 'True' ? it.type : `!${it.type}`)).join(' ')
    return `${phase} ${podIP ?? '-'} [${this.containers().map(told).join(', ')}] ${held}`
  }

  containers(): readonly ContainerStatus[] {
    const { initContainerStatuses = [], containerStatuses = [] } = this.pod.status!
    return [
      ...initContainerStatuses,
      ...containerStatuses,
      ...(this.pod.status!.ephemeralContainerStatuses ?? []),
    ]
  }
}

function told(it: ContainerStatus): string {
  const { waiting, running, terminated } = it.state ?? {}
  const state = running
    ? 'running'
    : terminated
      ? `${terminated.reason}(${terminated.exitCode})`
      : waiting?.reason
  const restarts = it.restartCount > 0 ? ` restarts ${it.restartCount}` : ''
  return `${it.name} ${state}${it.ready ? ' ready' : ''}${restarts}`
}

const main = (more: Partial<Container> = {}): Container => ({
  name: 'main',
  image: 'nginx:1.25',
  ...more,
})

test('lives of pods, as transcripts', () => {
  const scenes: readonly (readonly [string, () => Bench])[] = [
    [
      'a server starts, and is deleted',
      () => new Bench({ containers: [main()] }).run().delete().run(),
    ],
    [
      'a readiness probe takes a while',
      () => new Bench({ containers: [main({ readinessProbe: {} })] }).run(),
    ],
    [
      'a command ends well',
      () =>
        new Bench({
          restartPolicy: 'Never',
          containers: [main({ command: ['sleep', '2'] })],
        }).run(),
    ],
    [
      'a command fails and is not started again',
      () =>
        new Bench({
          restartPolicy: 'Never',
          containers: [main({ command: ['sh', '-c', 'exit 3'] })],
        }).run(),
    ],
    [
      'a command fails again and again',
      () => new Bench({ containers: [main({ command: ['false'] })] }).run(16),
    ],
    [
      'an image is not there',
      () => new Bench({ containers: [main({ image: 'nginx:does-not-exist' })] }).run(8),
    ],
    [
      'an image has no possible name',
      () => new Bench({ containers: [main({ image: 'NGINX' })] }).run(),
    ],
    [
      'init containers run in order, then a sidecar, then the rest',
      () =>
        new Bench({
          initContainers: [
            { name: 'first', image: 'busybox', command: ['sleep', '1'] },
            { name: 'proxy', image: 'envoy', restartPolicy: 'Always' },
            { name: 'second', image: 'busybox', command: ['true'] },
          ],
          containers: [main(), { name: 'other', image: 'nginx:1.25' }],
        }).run(),
    ],
    [
      'an init container fails for good',
      () =>
        new Bench({
          restartPolicy: 'Never',
          initContainers: [{ name: 'first', image: 'busybox', command: ['false'] }],
          containers: [main()],
        }).run(),
    ],
    [
      'annotations decide how it ends',
      () =>
        new Bench(
          { restartPolicy: 'OnFailure', containers: [main()] },
          { 'kubewright.dev/exit-after': '1500ms', 'kubewright.dev/exit-code': '0' },
        ).run(),
    ],
    [
      'a pod is active for longer than it may',
      () => new Bench({ activeDeadlineSeconds: 5, containers: [main()] }).run(),
    ],
    [
      'a pod is deleted before it began',
      () => new Bench({ containers: [main()] }).run(1).delete().run(),
    ],
    [
      'a node restarts under a running pod',
      () => new Bench({ containers: [main()] }).run().restart().run(),
    ],
    [
      'a rule kills it for want of memory, twice',
      () =>
        new Bench({ containers: [main()] })
          .with(whenPod('').runsOutOfMemory({ after: '1s' }).times(2))
          .run(12),
    ],
    [
      'an annotation fails its first start alone',
      () =>
        new Bench(
          { containers: [main()] },
          {
            'kubewright.dev/exit-code': '2',
            'kubewright.dev/exit-after': '1s',
            'kubewright.dev/exit-times': '1',
          },
        ).run(),
    ],
    [
      'its liveness probe begins to fail',
      () =>
        new Bench({ containers: [main({ livenessProbe: { httpGet: { port: 80 } } })] })
          .with(whenPod('').failsLiveness({ after: '5s' }))
          .run(5),
    ],
    [
      'its startup probe never succeeds, and whoever waits for it goes on waiting',
      () =>
        new Bench({
          initContainers: [
            {
              name: 'proxy',
              image: 'envoy',
              restartPolicy: 'Always',
              startupProbe: { exec: { command: ['false'] }, periodSeconds: 1 },
            },
          ],
          containers: [main()],
        }).run(5),
    ],
    [
      'a sidecar ends with the work',
      () =>
        new Bench({
          restartPolicy: 'Never',
          initContainers: [{ name: 'proxy', image: 'envoy', restartPolicy: 'Always' }],
          containers: [main({ command: ['sleep', '1'] })],
        }).run(),
    ],
    [
      'it is ready no longer, by a rule that holds later, and then ready again',
      () => {
        const bench = new Bench({
          containers: [main({ readinessProbe: { tcpSocket: { port: 80 } } })],
        })
        bench.run()
        const rule = bench.rules.add(whenPod('').isNotReady())
        bench.run()
        rule[Symbol.dispose]()
        return bench.run()
      },
    ],
    [
      'it does not heed the stop signal',
      () =>
        new Bench({ containers: [main()] }, { 'kubewright.dev/stop-after': '1h' })
          .run()
          .delete()
          .run(),
    ],
    [
      'a hook before the stop takes its time',
      () =>
        new Bench({ containers: [main({ lifecycle: { preStop: { sleep: { seconds: 3 } } } })] })
          .run()
          .delete()
          .run(),
    ],
    [
      'a container has rules of its own for its restart',
      () =>
        new Bench({
          restartPolicy: 'Never',
          containers: [
            main({
              command: ['sh', '-c', 'exit 42'],
              restartPolicy: 'Never',
              restartPolicyRules: [
                { action: 'Restart', exitCodes: { operator: 'In', values: [42] } },
              ],
            }),
          ],
        }).run(6),
    ],
    [
      'somebody debugs it',
      () => {
        const bench = new Bench({ containers: [main()] }).run()
        const ephemeralContainers = [
          { name: 'debugger', image: 'busybox', command: ['sleep', '5'] },
        ]
        bench.pod = { ...bench.pod, spec: { ...bench.pod.spec!, ephemeralContainers } }
        return bench.run()
      },
    ],
  ]
  const text = scenes.map(([title, play]) => `# ${title}\n${play().lines.join('\n')}\n`).join('\n')
  const golden = new URL('./testdata/lives.txt', import.meta.url)
  if (process.env['UPDATE_GOLDEN']) writeFileSync(golden, text)
  assert.equal(text, readFileSync(golden, 'utf8'))
})

test('crash loops wait ten seconds, then twice as long each time, for five minutes at most', () => {
  const bench = new Bench({ containers: [main({ command: ['false'] })] })
  const waits: number[] = []
  for (let count = 0; count < 60; count++) {
    const { after } = bench.step()
    const waiting = bench.containers()[0]!.state?.waiting
    if (waiting?.reason === 'CrashLoopBackOff' && after! > 1000) waits.push(after! / 1000)
    bench.now += after!
  }
  assert.deepEqual(waits.slice(0, 7), [10, 20, 40, 80, 160, 300, 300])
})

test('a pod that never becomes ready runs all the same', () => {
  const bench = new Bench({ containers: [main()] }, { 'kubewright.dev/ready': 'false' }).run()
  assert.equal(bench.pod.status!.phase, 'Running')
  assert.match(bench.picture(), /!Ready !ContainersReady/)
})

test('a readiness probe whose command fails keeps the container unready', () => {
  const probe = (...command: readonly string[]): Container =>
    main({ readinessProbe: { exec: { command } } })
  const ready = (container: Container): boolean =>
    new Bench({ containers: [container] }).run().containers()[0]!.ready
  assert.equal(ready(probe('/bin/false')), false)
  assert.equal(ready(probe('cat', '/tmp/health')), true)
  assert.equal(ready(probe('my-check')), true)
})

const containerArbitrary = fc.record({
  command: fc.constantFrom(undefined, ['true'], ['false'], ['sleep', '1'], ['sleep', 'infinity']),
  image: fc.constantFrom('a', 'b', 'a:does-not-exist'),
})

test('whatever the pod, every step is consistent, and a deleted pod is gone in a few steps', () => {
  const property = fc.property(
    fc.array(containerArbitrary, { minLength: 0, maxLength: 2 }),
    fc.array(containerArbitrary, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('Always', 'OnFailure', 'Never'),
    fc.nat(12),
    (inits, mains, restartPolicy, steps) => {
      const named = (prefix: string, list: typeof inits): Container[] =>
        list.map(({ command, image }, i) => ({
          name: `${prefix}${i}`,
          image,
          ...(command && { command }),
        }))
      const bench = new Bench({
        restartPolicy: restartPolicy as 'Always',
        initContainers: named('i', inits),
        containers: named('m', mains),
      })
      for (let count = 0; count < steps; count++) {
        const { after } = bench.step()
        check(bench)
        if (after === undefined) break
        assert.ok(after > 0, `the next step is later:\n${bench.lines.join('\n')}`)
        bench.now += after
      }
      bench.delete().run(4)
      assert.ok(bench.removed, bench.lines.join('\n'))
      assert.ok(bench.containers().every((it) => it.state?.running === undefined))
    },
  )
  fc.assert(property, { numRuns: 300 })
})

function check(bench: Bench): void {
  const { phase, conditions = [], containerStatuses = [] } = bench.pod.status!
  const held = (type: string): boolean =>
    conditions.find((it) => it.type === type)?.status === 'True'
  const running = containerStatuses.filter((it) => it.state?.running)
  assert.equal(
    held('Ready'),
    containerStatuses.every((it) => it.ready),
    bench.picture(),
  )
  if (phase === 'Succeeded')
    assert.ok(containerStatuses.every((it) => it.state?.terminated?.exitCode === 0))
  if (phase === 'Pending') assert.ok(!held('Ready'))
  if (running.length > 0) assert.ok(held('Initialized'), bench.picture())
  for (const it of bench.containers()) {
    const { waiting, running: runs, terminated } = it.state ?? {}
    assert.equal(
      [waiting, runs, terminated].filter(Boolean).length,
      1,
      'a container is in one state',
    )
  }
}
