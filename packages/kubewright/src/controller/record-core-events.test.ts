import assert from 'node:assert/strict'
import test from 'node:test'
import { fakeClock } from '../base/clock.ts'
import { silentLogger } from '../base/logger.ts'
import { seededRandom } from '../base/random.ts'
import type { Client } from '../client/client.ts'
import { kindOf } from '../machinery/kind.ts'
import { notFound } from '../machinery/status.ts'
import { recordCoreEvents } from './record-core-events.ts'

const POD = kindOf('v1', 'Pod', 'pods', 'Namespaced')
const object = { metadata: { name: 'web', namespace: 'n', uid: 'u' } }
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

interface Written {
  readonly verb: 'create' | 'patch'
  readonly count: number
  readonly message: string
}

function recording(isGone: () => boolean = () => false) {
  const written: Written[] = []
  const note = (verb: Written['verb'], it: { readonly count: number; readonly message: string }) =>
    void written.push({ verb, count: it.count, message: it.message })
  const client = {
    create: (_: unknown, it: Written) => Promise.resolve(note('create', it)),
    patch: (_: unknown, __: unknown, { body }: { readonly body: Written }) =>
      isGone() ? Promise.reject(notFound(POD, 'web')) : Promise.resolve(note('patch', body)),
  } as unknown as Client
  const clock = fakeClock()
  const parts = { client, clock, random: seededRandom(1), log: silentLogger, instance: 'i' }
  const recorder = recordCoreEvents({ ...parts, controller: 'c' })
  const say = async (message: string): Promise<void> => {
    recorder.record({ kind: POD, object }, 'Normal', 'Said', message)
    await settled()
  }
  return { written, clock, say }
}

test('an event that comes again is counted', async () => {
  const { written, say } = recording()
  await say('a')
  await say('b')
  await say('a')
  assert.deepEqual(written, [
    { verb: 'create', count: 1, message: 'a' },
    { verb: 'create', count: 1, message: 'b' },
    { verb: 'patch', count: 2, message: 'a' },
  ])
})

test('one that was swept away is written anew with its count', async () => {
  const { written, say } = recording(() => true)
  await say('a')
  await say('a')
  assert.deepEqual(written[1], { verb: 'create', count: 2, message: 'a' })
})

test('ten messages of one reason become one event', async () => {
  const { written, say } = recording()
  for (let at = 1; at <= 11; at++) await say(`m${at}`)
  assert.equal(written[8]!.message, 'm9')
  assert.deepEqual(written.slice(9), [
    { verb: 'create', count: 1, message: '(combined from similar events): m10' },
    { verb: 'patch', count: 2, message: '(combined from similar events): m11' },
  ])
})

test('of one object no more is told than twenty-five at once, and one more every five minutes', async () => {
  const { written, say, clock } = recording()
  for (let at = 0; at < 40; at++) await say('a')
  assert.equal(written.length, 25)
  await clock.advance(300_000)
  await say('a')
  await say('a')
  assert.equal(written.length, 26)
})
