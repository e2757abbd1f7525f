import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fakeClock } from 'kubewright/base'
import { requestInfo } from '../endpoints/request-info.ts'
import { createApiServer } from '../server.ts'
import { lend, seatsOf, type PriorityLevel } from './priority-levels.ts'
import { QueueSet, type Ticket } from './queue-set.ts'
import { dealHand, flowHash } from './shuffle-sharding.ts'
import { schemaMatches } from './flow-schema.ts'

test('a hand is of different queues, and the same for the same flow', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.integer({ min: 1, max: 128 }),
      fc.integer({ min: 1, max: 10 }),
      (flow, deck, most) => {
        const hand = Math.min(deck, most)
        const dealt = dealHand(flowHash('s', flow), deck, hand)
        assert.equal(new Set(dealt).size, hand)
        assert.ok(dealt.every((it) => it >= 0 && it < deck))
        assert.deepEqual(dealHand(flowHash('s', flow), deck, hand), dealt)
      },
    ),
  )
})

/** What happens to a level: somebody comes, somebody is done, somebody gives up, its seats change. */
const happening = fc.oneof(
  fc.record({
    kind: fc.constant('arrive' as const),
    seats: fc.integer({ min: 1, max: 4 }),
    flow: fc.integer({ min: 0, max: 5 }),
  }),
  fc.record({ kind: fc.constant('finish' as const), which: fc.nat() }),
  fc.record({ kind: fc.constant('leave' as const), which: fc.nat() }),
  fc.record({ kind: fc.constant('limit' as const), seats: fc.integer({ min: 1, max: 8 }) }),
)

test('seats are never taken twice, nobody is forgotten, and nothing waits that would fit', () => {
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 200 }), (happenings) => {
      let limit = 4
      const set = new QueueSet(limit, { queues: 6, queueLength: 5 })
      const [executing, waiting] = [new Map<number, Ticket>(), new Map<number, Ticket>()]
      let id = 0
      const go = (tickets: readonly Ticket[]): void => {
        for (const it of tickets) {
          assert.ok(waiting.delete(it.id), 'who goes on was waiting')
          executing.set(it.id, it)
        }
      }
      const pick = (from: Map<number, Ticket>, which: number): number | undefined =>
        [...from.keys()][which % Math.max(from.size, 1)]
      for (const it of happenings) {
        if (it.kind === 'arrive') {
          const ticket = { id: ++id, seats: it.seats }
          const arrival = set.arrive(ticket, () => [it.flow, (it.flow + 1) % 6])
          if (arrival === 'execute') executing.set(ticket.id, ticket)
          if (arrival === 'wait') waiting.set(ticket.id, ticket)
        } else if (it.kind === 'finish') {
          const done = pick(executing, it.which)
          if (done !== undefined) {
            executing.delete(done)
            go(set.finish(done))
          }
        } else if (it.kind === 'leave') {
          const gone = pick(waiting, it.which)
          if (gone !== undefined) {
            waiting.delete(gone)
            go(set.leave(gone))
          }
        } else {
          limit = it.seats
          go(set.limit(limit))
        }
        const seats = [...executing.values()].reduce((sum, one) => sum + one.seats, 0)
        assert.equal(set.seatsInUse, seats)
        assert.equal(set.executing, executing.size)
        assert.equal(set.waiting, waiting.size)
        if (it.kind !== 'limit') assert.ok(executing.size === 0 || waiting.size === 0 || seats > 0)
        // With nothing under way, nobody waits.
        if (executing.size === 0) assert.equal(waiting.size, 0)
      }
      // Whoever waits gets his turn when the others are done.
      while (executing.size > 0) {
        const [first] = executing.keys()
        executing.delete(first!)
        go(set.finish(first!))
      }
      assert.equal(waiting.size, 0)
    }),
  )
})

test('one who floods a level leaves the others their share', () => {
  const set = new QueueSet(2, { queues: 8, queueLength: 1000 })
  const order: string[] = []
  const names = new Map<number, string>()
  let id = 0
  const arrive = (name: string, hand: readonly number[]): void => {
    const ticket = { id: ++id, seats: 1 }
    names.set(ticket.id, name)
    if (set.arrive(ticket, () => hand) === 'execute') order.push(name)
  }
  for (let i = 0; i < 100; i++) arrive('flood', [0, 1])
  for (let i = 0; i < 10; i++) arrive('small', [2, 3])
  let running = [1, 2]
  for (let turn = 0; turn < 30; turn++) {
    const next = set.finish(running.shift()!)
    running = [...running, ...next.map((it) => it.id)]
    order.push(...next.map((it) => names.get(it.id)!))
  }
  const first = order.slice(0, 32)
  // Two queues of the flood and two of the small one take turns.
  assert.equal(first.filter((it) => it === 'small').length, 10)
})

test('seats are divided by shares, and lent to who needs them within bounds', () => {
  const level = (
    name: string,
    shares: number,
    lendablePercent: number,
    borrowingLimitPercent: number | null = null,
  ): PriorityLevel => ({
    metadata: { name },
    spec: {
      type: 'Limited',
      limited: { nominalConcurrencyShares: shares, lendablePercent, borrowingLimitPercent },
    },
  })
  // What kube-apiserver v1.36.3 shows of its own levels with 600 seats.
  const own = seatsOf(
    [
      level('catch-all', 5, 0),
      level('global-default', 20, 50),
      level('leader-election', 10, 0),
      level('node-high', 40, 25),
      level('system', 30, 33),
      level('workload-high', 40, 50),
      level('workload-low', 100, 90),
      { metadata: { name: 'exempt' }, spec: { type: 'Exempt', exempt: {} } },
    ],
    600,
  )
  assert.deepEqual(own.get('workload-low'), { nominal: 245, lower: 24, upper: 845 })
  assert.deepEqual(own.get('global-default'), { nominal: 49, lower: 24, upper: 649 })
  assert.equal(own.get('exempt')!.nominal, 0)
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          shares: fc.integer({ min: 0, max: 100 }),
          lendable: fc.integer({ min: 0, max: 100 }),
          borrow: fc.option(fc.integer({ min: 0, max: 400 })),
          demand: fc.nat(2000),
        }),
        { minLength: 1, maxLength: 8 },
      ),
      (levels) => {
        const seats = seatsOf(
          levels.map((it, i) => level(String(i), it.shares, it.lendable, it.borrow)),
          600,
        )
        const claims = new Map(
          [...seats].map(
            ([name, it]) => [name, { ...it, demand: levels[Number(name)]!.demand }] as const,
          ),
        )
        const given = lend(claims)
        const sum = (of: Iterable<number>): number => [...of].reduce((total, it) => total + it, 0)
        assert.ok(sum(given.values()) <= sum([...claims.values()].map((it) => it.nominal)))
        for (const [name, { nominal, lower, upper, demand }] of claims) {
          const has = given.get(name)!
          assert.ok(has >= lower && has <= upper, `${name}: ${lower} <= ${has} <= ${upper}`)
          assert.ok(has >= Math.min(nominal, demand), 'nobody lends what he needs')
        }
      },
    ),
  )
})

test('a schema is about whom and what it says', () => {
  const schema = {
    metadata: { name: 's' },
    spec: {
      rules: [
        {
          subjects: [
            { kind: 'ServiceAccount', serviceAccount: { namespace: 'kube-system', name: '*' } },
          ],
          resourceRules: [
            {
              verbs: ['get'],
              apiGroups: [''],
              resources: ['pods/log', 'nodes'],
              clusterScope: true,
              namespaces: ['a'],
            },
          ],
          nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['/api/*', '/version'] }],
        },
      ],
    },
  }
  const matches = (path: string, name: string = 'system:serviceaccount:kube-system:x'): boolean =>
    schemaMatches(schema, { name, groups: [] }, requestInfo('GET', path, new URLSearchParams()))
  assert.ok(matches('/api/v1/namespaces/a/pods/p/log'))
  assert.ok(!matches('/api/v1/namespaces/b/pods/p/log'))
  assert.ok(!matches('/api/v1/namespaces/a/pods/p'))
  assert.ok(matches('/api/v1/nodes/n'))
  assert.ok(matches('/version'))
  assert.ok(!matches('/versions'))
  assert.ok(!matches('/version', 'system:serviceaccount:other:x'))
})

test('who is too many waits, or is told to come again; whose turn it was is told too', async () => {
  const clock = fakeClock()
  let hold: Promise<void> | undefined
  const slow = { name: 'Slow', handles: () => true, admit: () => hold }
  await using server = createApiServer({
    clock,
    admission: [slow],
    authorization: 'authenticated',
    limits: { maxRequests: 4, maxMutatingRequests: 4 },
    tokens: { jane: { name: 'jane', groups: [] } },
  })
  const ask = (method: string, path: string, body?: object): Promise<Response> =>
    server.fetch(
      new Request(`http://server${path}`, {
        method,
        headers: { authorization: 'Bearer jane', 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      }),
    )
  const maps = '/api/v1/namespaces/default/configmaps'
  const first = await ask('GET', maps)
  assert.match(first.headers.get('x-kubernetes-pf-flowschema-uid') ?? '', /^[0-9a-f-]{36}$/)
  const missing = await ask('GET', `${maps}/none`)
  assert.equal(missing.status, 404)
  assert.match(missing.headers.get('x-kubernetes-pf-prioritylevel-uid') ?? '', /^[0-9a-f-]{36}$/)
  const group = '/apis/flowcontrol.apiserver.k8s.io/v1'
  const queuing = { queues: 1, handSize: 1, queueLengthLimit: 3 }
  const limitResponse = { type: 'Queue', queuing }
  await ask('POST', `${group}/prioritylevelconfigurations`, {
    metadata: { name: 'narrow' },
    spec: {
      type: 'Limited',
      limited: { nominalConcurrencyShares: 1, borrowingLimitPercent: 0, limitResponse },
    },
  })
  await ask('POST', `${group}/flowschemas`, {
    metadata: { name: 'jane' },
    spec: {
      priorityLevelConfiguration: { name: 'narrow' },
      matchingPrecedence: 2,
      distinguisherMethod: { type: 'ByUser' },
      rules: [
        {
          subjects: [{ kind: 'User', user: { name: 'jane' } }],
          resourceRules: [
            { verbs: ['create'], apiGroups: [''], resources: ['configmaps'], namespaces: ['*'] },
          ],
        },
      ],
    },
  })
  for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve))
  let release = (): void => {}
  hold = new Promise((resolve) => (release = resolve))
  const many = Array.from({ length: 10 }, (_, i) =>
    ask('POST', maps, { metadata: { name: `m${i}` } }),
  )
  const rejected = await Promise.race(many)
  assert.equal(rejected.status, 429)
  assert.equal(rejected.headers.get('retry-after'), '1')
  const text = await rejected.text()
  assert.equal(text, 'Too many requests, please try again later.\n')
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
  release()
  hold = undefined
  const codes = await Promise.all(many.map(async (it) => (await it).status))
  // One had its turn at once, three could wait for theirs.
  assert.equal(codes.filter((it) => it === 201).length, 4)
  assert.equal(codes.filter((it) => it === 429).length, 6)
})

test('a schema says when its level is not there', async () => {
  await using server = createApiServer()
  const path = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas'
  const spec = { priorityLevelConfiguration: { name: 'none' }, matchingPrecedence: 500, rules: [] }
  await server.fetch(
    new Request(`http://server${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ metadata: { name: 'lost' }, spec }),
    }),
  )
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
  const answer = await server.fetch(new Request(`http://server${path}/lost`))
  const { status, metadata } = (await answer.json()) as {
    readonly metadata: { readonly managedFields: readonly Record<string, unknown>[] }
    readonly status: { readonly conditions: readonly object[] }
  }
  const [condition] = status.conditions as readonly Record<string, string>[]
  assert.equal(condition?.['status'], 'True')
  assert.equal(condition?.['reason'], 'NotFound')
  assert.equal(
    condition?.['message'],
    'This FlowSchema references the PriorityLevelConfiguration object named "none" but there is no such object',
  )
  assert.deepEqual(
    metadata.managedFields.map((it) => [it['manager'], it['operation'], it['subresource']]),
    [
      ['api-priority-and-fairness-config-consumer-v1', 'Apply', 'status'],
      ['unknown', 'Update', undefined],
    ],
  )
})
