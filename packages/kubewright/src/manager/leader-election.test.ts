import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { seededRandom, type Random } from '../base/random.ts'
import { microTimeText } from '../machinery/time.ts'
import {
  newElector,
  stepElector,
  type ElectorAction,
  type ElectorInput,
  type ElectorState,
  type Lease,
} from './leader-election.ts'

const TIMES = { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000 }

/** A server that keeps one lease, with optimistic locking. */
class LeaseServer {
  lease: Lease | undefined
  #revision = 0

  handle(
    action: ElectorAction,
  ): Omit<Extract<ElectorInput, { type: 'read' | 'wrote' }>, 'now'> | 'conflict' {
    if (action.type === 'create') {
      if (this.lease) return 'conflict'
      return this.#store(action.spec)
    }
    if (action.type === 'update') {
      const same = action.lease.metadata.resourceVersion === this.lease?.metadata.resourceVersion
      return same ? this.#store(action.spec) : 'conflict'
    }
    return { type: 'read', lease: this.lease } as never
  }

  #store(spec: Lease['spec']): { type: 'wrote'; lease: Lease } {
    this.lease = {
      metadata: { resourceVersion: String(++this.#revision) },
      ...(spec ? { spec } : {}),
    }
    return { type: 'wrote', lease: this.lease }
  }
}

interface Candidate {
  state: ElectorState
  /** How far its clock is off. */
  readonly skew: number
  over: boolean
}

interface Due {
  readonly at: number
  readonly run: () => void
}

/** Candidates with clocks that disagree, on a network that delays, loses and fails. */
class Election {
  now = 1_000_000
  readonly server = new LeaseServer()
  readonly candidates: Candidate[]
  readonly #due: Due[] = []
  readonly #random: Random
  readonly #loss: number
  readonly #slowest: number

  constructor(skews: readonly number[], loss: number, seed: number, slowest = 6_000) {
    this.#slowest = slowest
    this.#random = seededRandom(seed)
    this.#loss = loss
    this.candidates = skews.map((skew, n) => ({
      state: newElector(`c${n}`, TIMES),
      skew,
      over: false,
    }))
    for (const it of this.candidates) this.#feed(it, { type: 'woke', now: this.#clock(it) })
  }

  run(until: number, check: () => void): void {
    while (this.now < until) {
      this.#due.sort((a, b) => a.at - b.at)
      const next = this.#due.shift()
      if (!next) return
      this.now = next.at
      next.run()
      check()
    }
  }

  /** Who may act now: each believes so until its deadline. */
  get leaders(): readonly string[] {
    return this.candidates
      .filter(
        (it) => it.state.leading && this.#clock(it) - it.state.renewedAt < TIMES.renewDeadline,
      )
      .map((it) => it.state.identity)
  }

  #clock(it: Candidate): number {
    return this.now + it.skew
  }

  #later(ms: number, run: () => void): void {
    this.#due.push({ at: this.now + ms, run })
  }

  #feed(it: Candidate, input: ElectorInput): void {
    const { state, action, news } = stepElector(it.state, input, microTimeText)
    it.state = state
    if (news === 'lost') {
      // The process ends and begins anew as a candidate.
      it.state = newElector(state.identity, TIMES)
      this.#later(1_000, () => this.#feed(it, { type: 'woke', now: this.#clock(it) }))
      return
    }
    if (action.type === 'wait')
      this.#later(TIMES.retryPeriod * (state.leading ? 1 : 1 + 1.2 * this.#random.next()), () =>
        this.#feed(it, { type: 'woke', now: this.#clock(it) }),
      )
    else if (action.type !== 'end') this.#send(it, action)
  }

  #send(it: Candidate, action: ElectorAction): void {
    const sent = this.#clock(it)
    const delay = (): number => this.#random.next() ** 4 * this.#slowest
    const lost = this.#random.next() < this.#loss
    // A lost request fails after its time limit; a lost answer too, though the server did what was asked.
    const deaf = this.#random.next() < this.#loss
    const fail = (conflict: boolean): void =>
      this.#feed(it, { type: 'failed', now: this.#clock(it), conflict })
    if (lost) return this.#later(5_000, () => fail(false))
    this.#later(delay(), () => {
      const answer = this.server.handle(action)
      if (deaf) return this.#later(5_000, () => fail(false))
      this.#later(delay(), () => {
        if (answer === 'conflict') return fail(true)
        const now = answer.type === 'wrote' ? sent : this.#clock(it)
        this.#feed(it, { ...answer, now } as ElectorInput)
      })
    })
  }
}

test('there is never more than one leader, whatever the network and the clocks do', () => {
  const skews = fc.array(fc.integer({ min: -3_600_000, max: 3_600_000 }), {
    minLength: 2,
    maxLength: 4,
  })
  fc.assert(
    fc.property(skews, fc.constantFrom(0, 0.05, 0.3, 0.6), fc.integer(), (offsets, loss, seed) => {
      const election = new Election(offsets, loss, seed)
      election.run(1_000_000 + 600_000, () => {
        assert.ok(
          election.leaders.length <= 1,
          `${election.leaders.join(' and ')} lead at ${election.now}`,
        )
      })
    }),
    { numRuns: 300 },
  )
})

test('on a good network somebody leads, and goes on leading', () => {
  const election = new Election([0, 900_000, -5_000], 0, 7, 200)
  const leaders = new Set<string>()
  election.run(1_000_000 + 300_000, () => {
    for (const it of election.leaders) leaders.add(it)
    if (election.now > 1_020_000) assert.equal(election.leaders.length, 1)
  })
  assert.equal(leaders.size, 1)
})

const woke = (state: ElectorState, now: number) =>
  stepElector(state, { type: 'woke', now }, microTimeText)

function elected(now: number): ElectorState {
  const created = stepElector(
    woke(newElector('me', TIMES), now).state,
    { type: 'read', now, lease: undefined },
    microTimeText,
  )
  assert.equal(created.action.type, 'create')
  const spec = created.action.type === 'create' ? created.action.spec : {}
  assert.deepEqual(spec, {
    holderIdentity: 'me',
    leaseDurationSeconds: 15,
    acquireTime: '1970-01-01T00:00:01.000000Z',
    renewTime: '1970-01-01T00:00:01.000000Z',
    leaseTransitions: 0,
  })
  const wrote = stepElector(
    created.state,
    { type: 'wrote', now, lease: { metadata: { resourceVersion: '1' }, spec } },
    microTimeText,
  )
  assert.equal(wrote.news, 'elected')
  return wrote.state
}

test('a leader renews without reading, and gives up when it could not for too long', () => {
  const state = elected(1_000)
  const renewing = woke(state, 3_000)
  assert.equal(renewing.action.type, 'update')
  assert.equal(
    renewing.action.type === 'update' && renewing.action.spec.acquireTime,
    '1970-01-01T00:00:01.000000Z',
  )
  const failed = stepElector(
    renewing.state,
    { type: 'failed', now: 8_000, conflict: false },
    microTimeText,
  )
  assert.deepEqual([failed.action.type, failed.news], ['wait', undefined])
  const late = woke(failed.state, 11_000)
  assert.deepEqual([late.action.type, late.news, late.state.leading], ['end', 'lost', false])
})

test('another takes over when the record has not changed for the lease duration, by its own clock', () => {
  const lease: Lease = {
    metadata: { resourceVersion: '9' },
    spec: { holderIdentity: 'other', leaseTransitions: 3, renewTime: '2099-01-01T00:00:00Z' },
  }
  let step = stepElector(newElector('me', TIMES), { type: 'read', now: 0, lease }, microTimeText)
  assert.equal(step.action.type, 'wait')
  step = stepElector(step.state, { type: 'read', now: 14_999, lease }, microTimeText)
  assert.equal(step.action.type, 'wait')
  step = stepElector(step.state, { type: 'read', now: 15_000, lease }, microTimeText)
  assert.equal(step.action.type === 'update' && step.action.spec.leaseTransitions, 4)
})

test('a lease that was handed back is taken at once', () => {
  const released = stepElector(elected(1_000), { type: 'release', now: 2_000 }, microTimeText)
  assert.equal(released.action.type === 'update' && released.action.spec.holderIdentity, '')
  const lease: Lease = { metadata: { resourceVersion: '2' }, spec: { holderIdentity: '' } }
  assert.equal(
    stepElector(newElector('you', TIMES), { type: 'read', now: 0, lease }, microTimeText).action
      .type,
    'update',
  )
})

test('times that allow two leaders are refused', () => {
  assert.throws(
    () => newElector('me', { ...TIMES, leaseDuration: 10_000 }),
    /leaseDuration \(10000 ms\) must be longer/,
  )
  assert.throws(
    () => newElector('me', { ...TIMES, retryPeriod: 10_000 }),
    /renewDeadline \(10000 ms\) must be longer than retryPeriod/,
  )
})
