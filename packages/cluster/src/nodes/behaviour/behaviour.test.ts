import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pod } from 'kubewright/kinds/core/v1'
import { ANNOTATED, amountOf, parseDelay } from './annotations.ts'
import { whenPod } from './rule.ts'
import { Rules } from './rules.ts'

const pod = (labels: Record<string, string>, annotations: Record<string, string> = {}): Pod => ({
  metadata: { name: 'p', namespace: 'default', labels, annotations },
  spec: { containers: [{ name: 'main' }, { name: 'other' }] },
})

const WEB = pod({ app: 'web' })

test('annotations are for all containers, or for one', () => {
  const annotated = pod(
    {},
    {
      'kubewright.dev/exit-code': '3',
      'kubewright.dev/exit-code.other': '4',
      'kubewright.dev/exit-after': '1500ms',
      'kubewright.dev/exit-times': '2',
      'kubewright.dev/ready.other': 'false',
      'kubewright.dev/usage-cpu': '250m',
    },
  )
  const ending = (container: string, starts: number): unknown =>
    ANNOTATED.ending(annotated, container, starts)
  assert.deepEqual(ending('main', 1), { ms: 1500, code: 3 })
  assert.deepEqual(ending('other', 2), { ms: 1500, code: 4 })
  assert.equal(ending('main', 3), undefined)
  assert.equal(ANNOTATED.of(annotated, 'main').ready, undefined)
  assert.equal(ANNOTATED.of(annotated, 'other').ready, 'never')
  assert.deepEqual(ANNOTATED.of(annotated, 'main').usage?.(1, annotated), { cpu: 0.25, memory: 0 })
  assert.deepEqual(ANNOTATED.of(WEB, 'main'), {})
})

test('a rule counts over all pods, then others have their say', () => {
  const rules = new Rules([
    whenPod('app=web').succeeds({ after: '5s' }),
    whenPod('app=web').failsWith(1).times(2),
  ])
  const codes = [1, 2, 3].map(() => rules.ending(WEB, 'main', 1))
  assert.deepEqual(codes, [
    { ms: 0, code: 1 },
    { ms: 0, code: 1 },
    { ms: 5000, code: 0 },
  ])
  assert.equal(rules.ending(pod({ app: 'db' }), 'main', 1), undefined)
})

test('rules are for one container, for pods by function, and end when they are let go', () => {
  const rules = new Rules()
  const told: string[] = []
  rules.onChange(() => told.push('changed'), new AbortController().signal)
  const held = rules.add(
    whenPod(({ metadata }) => metadata.name === 'p')
      .container('other')
      .isNotReady(),
    whenPod({ app: 'web' }).becomesReadyAfter(100),
  )
  assert.equal(rules.of(WEB, 'main').ready, 100)
  held[Symbol.dispose]()
  assert.equal(rules.of(WEB, 'other').ready, undefined)
  assert.deepEqual(told, ['changed', 'changed'])
})

test('a rule is data that grows and is never changed', () => {
  const base = whenPod('app=web')
  const failing = base.failsWith(2, { after: '1s', reason: 'Boom' }).pullsFor('3s').times(4)
  assert.deepEqual(base.says.behaviour, {})
  assert.deepEqual(failing.says.behaviour, {
    exit: { ms: 1000, code: 2, reason: 'Boom' },
    pullDelay: 3000,
  })
  assert.equal(failing.says.times, 4)
})

test('what is none is refused with a sentence', () => {
  assert.throws(() => whenPod('app==='), Error)
  assert.throws(() => whenPod('a=b').failsWith(0), /an exit code from 1 to 255 was expected/)
  assert.throws(() => whenPod('a=b').stopsAfter('soon'), /"soon" is no time/)
  assert.deepEqual(['2', '1.5s', '500ms', '2m', '1h', 'x', undefined].map(parseDelay), [
    2000,
    1500,
    500,
    120_000,
    3_600_000,
    undefined,
    undefined,
  ])
  assert.deepEqual(['250m', '1', '1Ki', 'x', undefined].map(amountOf), [0.25, 1, 1024, 0, 0])
})
