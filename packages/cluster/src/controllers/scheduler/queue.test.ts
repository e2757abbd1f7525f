import assert from 'node:assert/strict'
import test from 'node:test'
import { fakeClock } from 'kubewright/base'
import type { Pod, PodSpec } from 'kubewright/kinds/core/v1'
import { SchedulingQueue } from './queue.ts'

const pod = (name: string, spec: Partial<PodSpec> = {}): Pod => ({
  metadata: { name, uid: name },
  spec: { containers: [], ...spec },
})

const popped = (queue: SchedulingQueue): string | undefined => queue.pop()?.info.uid

test('the most important pod comes first, of equals the one that came first', () => {
  const queue = new SchedulingQueue(fakeClock())
  queue.put(pod('a'), false)
  queue.put(pod('b', { priority: 5 }), false)
  queue.put(pod('c', { priority: 5 }), false)
  queue.put(pod('d', { priority: -1 }), false)
  queue.remove('c')
  assert.deepEqual(
    [1, 2, 3, 4].map(() => popped(queue)),
    ['b', 'a', 'd', undefined],
  )
})

test('one with gates waits for their end', () => {
  const queue = new SchedulingQueue(fakeClock())
  queue.put(pod('a', { schedulingGates: [{ name: 'example.com/wait' }] }), false)
  assert.equal(popped(queue), undefined)
  queue.put(pod('a'), false)
  assert.equal(popped(queue), 'a')
})

test('one that was refused waits until it may be luckier, and is tried early when there is nothing else', () => {
  const queue = new SchedulingQueue(fakeClock())
  queue.put(pod('a'), false)
  const a = queue.pop()!
  queue.refuse(a, new Set(['NodeAffinity']))
  queue.put(pod('a'), false)
  assert.equal(popped(queue), undefined, 'a change that matters to nobody')
  queue.put(pod('b'), false)
  queue.retry(a)
  assert.deepEqual([popped(queue), popped(queue), popped(queue)], ['b', 'a', undefined])
})

test('one that failed is tried again after a while that doubles, up to ten seconds', async () => {
  const clock = fakeClock()
  const queue = new SchedulingQueue(clock)
  queue.put(pod('a'), false)
  const waits: number[] = []
  for (let turn = 0; turn < 6; turn++) {
    queue.fail(queue.pop()!)
    let wait = 0
    while (queue.get('a')?.state !== 'active') {
      assert.equal(queue.pop(), undefined)
      await clock.advance(500)
      wait += 500
    }
    waits.push(wait)
  }
  assert.deepEqual(waits, [1000, 2000, 4000, 8000, 10_000, 10_000])
})

test('nobody waits for ever', async () => {
  const clock = fakeClock()
  const queue = new SchedulingQueue(clock)
  queue.put(pod('a'), false)
  queue.refuse(queue.pop()!, new Set(['NodeName']))
  await clock.advance(290_000)
  assert.equal(popped(queue), undefined)
  await clock.advance(60_000)
  assert.equal(popped(queue), 'a')
})

test('who is popped and gone is not put back', () => {
  const queue = new SchedulingQueue(fakeClock())
  queue.put(pod('a'), false)
  const a = queue.pop()!
  queue.remove('a')
  queue.refuse(a, new Set())
  queue.fail(a)
  assert.equal(popped(queue), undefined)
})
