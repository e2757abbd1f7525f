import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createHeap } from '../base/heap.ts'
import { seededRandom, type Random } from '../base/random.ts'
import {
  mayWork,
  newShards,
  stepShards,
  type MapSeen,
  type MemberSeen,
  type ShardInput,
  type ShardState,
} from './machine.ts'
import type { Owners } from './plan.ts'

const TIMES = { leaseDuration: 15_000, renewDeadline: 10_000 } as const
const RETRY = 2_000
const PARTITIONS = 8

/** How bad the world is. */
interface Weather {
  /** The longest way of a message, ms. */
  readonly delay: number
  /** How often a message is lost, each way. */
  readonly loss: number
  /** How often a process is paused for up to 40 s, at each of its steps. */
  readonly pauses: number
  /** By how much clocks run fast or slow. */
  readonly drift: number
}

/** Processes, a server and a network, in simulated time. */
class Simulation {
  time = 0
  readonly random: Random
  readonly weather: Weather
  readonly replicas: Replica[] = []
  readonly members = new Map<string, MemberSeen>()
  map: MapSeen & { readonly number: number } = {
    version: '',
    number: 0,
    owners: Array.from({ length: PARTITIONS }, () => ''),
  }
  versions = 0
  readonly #due = createHeap<{
    readonly at: number
    readonly order: number
    readonly run: () => void
  }>((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order))
  #order = 0

  constructor(seed: number, weather: Weather) {
    this.random = seededRandom(seed)
    this.weather = weather
  }

  after(ms: number, run: () => void): void {
    this.#due.push({ at: this.time + ms, order: this.#order++, run })
  }

  chance(share: number): boolean {
    return this.random.next() < share
  }

  get way(): number {
    return this.random.next() * this.weather.delay
  }

  /** Sends a request: it is done at the server after a while, or never; so is the answer, and who waits too long gives up. */
  call<T>(serve: () => T, answered: (answer: T | undefined) => void): void {
    let over = false
    const end = (answer: T | undefined): void => {
      if (over) return
      over = true
      answered(answer)
    }
    this.after(5_000, () => end(undefined))
    if (this.chance(this.weather.loss)) return
    this.after(this.way, () => {
      const answer = serve()
      if (!this.chance(this.weather.loss)) this.after(this.way, () => end(answer))
    })
  }

  writeMap(version: string, owners: Owners): boolean {
    if (version !== this.map.version) return false
    const number = this.map.number + 1
    this.map = { version: String(number), number, owners }
    return true
  }

  run(until: number): void {
    for (let next = this.#due.peek(); next && next.at <= until; next = this.#due.peek()) {
      this.#due.pop()
      this.time = next.at
      next.run()
      this.check()
    }
    this.time = until
  }

  /** No partition is worked on, or could be, by two processes. */
  check(): void {
    for (let partition = 0; partition < PARTITIONS; partition++) {
      const at = this.replicas.filter((it) => it.acts(partition)).map((it) => it.state.identity)
      assert.ok(at.length <= 1, `${at.join(' and ')} work on ${partition} at ${this.time}`)
    }
  }

  join(): Replica {
    const replica = new Replica(this, `r${this.replicas.length}`)
    this.replicas.push(replica)
    return replica
  }
}

class Replica {
  readonly #world: Simulation
  readonly #rate: number
  readonly #offset: number
  state: ShardState
  #map: MapSeen = { version: '', owners: [] }
  readonly #work = new Map<number, number>()
  paused = false
  dead = false
  leaving = false

  constructor(world: Simulation, identity: string) {
    this.#world = world
    this.#rate = 1 + (world.random.next() * 2 - 1) * world.weather.drift
    this.#offset = world.random.next() * 1e6
    this.state = newShards(identity, PARTITIONS, TIMES)
    this.#renew()
    this.#labour()
  }

  get now(): number {
    return this.#world.time * this.#rate + this.#offset
  }

  /** Whether it could write for a partition at this moment. */
  acts(partition: number): boolean {
    if (this.dead || this.paused || !mayWork(this.state, partition, this.now)) return false
    return (this.#work.get(partition) ?? 0) > 0 || !this.state.leaving.has(partition)
  }

  #feed(input: ShardInput): Owners | undefined {
    const step = stepShards(this.state, input)
    this.state = step.state
    // What is under way is aborted.
    if (step.lost !== undefined) this.#work.clear()
    this.#drain()
    return step.write
  }

  #drain(): void {
    const { state } = this
    for (const partition of state.leaving)
      if (!this.#work.get(partition) && !state.drained.has(partition))
        this.#feed({ type: 'drained', now: this.now, partition })
  }

  /** A step of its loop: it may be paused before. */
  #soon(ms: number, run: () => void): void {
    this.#world.after(ms, () => {
      if (this.dead) return
      if (!this.#world.chance(this.#world.weather.pauses)) return run()
      this.paused = true
      this.#world.after(this.#world.random.next() * 40_000, () => {
        this.paused = false
        if (!this.dead) run()
      })
    })
  }

  #renew(): void {
    const { identity } = this.state
    const sent = this.now
    this.#world.call(
      () => {
        const version = String(++this.#world.versions)
        this.#world.members.set(identity, { identity, version, leaving: this.leaving })
      },
      () => {
        this.#soon(0, () => {
          this.#feed({ type: 'renewed', now: this.now, sent })
          this.#look()
        })
      },
    )
  }

  #look(): void {
    this.#world.call(
      () => ({ members: [...this.#world.members.values()], map: this.#world.map }),
      (answer) => {
        this.#soon(0, () => {
          if (!answer) {
            this.#feed({ type: 'waited', now: this.now })
            return this.#wait()
          }
          this.#map = answer.map
          const write = this.#feed({ type: 'looked', now: this.now, ...answer })
          if (write) this.#write(write)
          else this.#wait()
        })
      },
    )
  }

  #write(owners: Owners): void {
    const { version } = this.#map
    this.#world.call(
      () => this.#world.writeMap(version, owners),
      (written) => {
        this.#soon(0, () => {
          const { now } = this
          if (written) this.#feed({ type: 'wrote map', now, owners })
          else this.#feed({ type: 'map failed', now, certainly: written === false })
          this.#wait()
        })
      },
    )
  }

  #wait(): void {
    if (this.state.over) return
    this.#soon(RETRY * (0.8 + 0.4 * this.#world.random.next()), () => {
      this.#feed({ type: 'waited', now: this.now })
      if (!this.state.over) this.#renew()
    })
  }

  /** Begins work wherever it may, and ends it some time later. */
  #labour(): void {
    this.#world.after(this.#world.random.next() * 3_000, () => {
      if (this.dead) return
      this.#labour()
      const partition = Math.floor(this.#world.random.next() * PARTITIONS)
      const may = mayWork(this.state, partition, this.now) && !this.state.leaving.has(partition)
      if (this.paused || !may) return
      this.#work.set(partition, (this.#work.get(partition) ?? 0) + 1)
      this.#world.after(this.#world.random.next() * 8_000, () => {
        const left = (this.#work.get(partition) ?? 1) - 1
        this.#work.set(partition, left)
        if (!this.dead) this.#drain()
      })
    })
  }
}

const weatherArbitrary = fc.record({
  delay: fc.constantFrom(5, 200, 3_000, 8_000),
  loss: fc.constantFrom(0, 0.05, 0.3),
  pauses: fc.constantFrom(0, 0.02, 0.1),
  drift: fc.constantFrom(0, 0.02),
})

test('no partition is ever worked on by two, whatever the network, the clocks and the processes do', () => {
  let handed = 0
  fc.assert(
    fc.property(fc.integer(), weatherArbitrary, (seed, weather) => {
      const world = new Simulation(seed, weather)
      for (let n = 0; n < 12; n++) {
        const choice = world.random.next()
        const living = world.replicas.filter((it) => !it.dead && !it.state.over)
        const one = living[Math.floor(world.random.next() * living.length)]
        if (living.length < 2 || choice < 0.4) world.join()
        else if (choice < 0.6) one!.dead = true
        else if (choice < 0.8) one!.leaving = true
        world.run(world.time + world.random.next() * 30_000)
      }
      handed += world.map.number
    }),
    { numRuns: 150 },
  )
  assert.ok(handed > 150, `the map changed ${handed} times: the test must have something to see`)
})

test('in good weather all partitions are held, in equal shares, soon after anybody joins, leaves or dies', () => {
  const fine: Weather = { delay: 20, loss: 0, pauses: 0, drift: 0 }
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const world = new Simulation(seed, fine)
      const settled = (): void => {
        const living = world.replicas.filter((it) => !it.dead && !it.leaving)
        const counts = living.map((it) => it.state.held.size)
        assert.equal(
          counts.reduce((a, b) => a + b, 0),
          PARTITIONS,
        )
        assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, `shares ${counts.join()}`)
        assert.ok(living.every((it) => it.state.leaving.size === 0))
      }
      world.join()
      world.run(world.time + 10_000)
      settled()
      const [second, third] = [world.join(), world.join()]
      world.run(world.time + 40_000)
      settled()
      second.dead = true
      world.run(world.time + 40_000)
      settled()
      third.leaving = true
      world.run(world.time + 40_000)
      settled()
      world.join()
      world.run(world.time + 40_000)
      settled()
    }),
    { numRuns: 25 },
  )
})

test('who could not renew in time works on nothing more, and never again', () => {
  const owners = ['a', 'a']
  let state = newShards('a', 2, TIMES)
  const feed = (input: ShardInput): ReturnType<typeof stepShards> => {
    const step = stepShards(state, input)
    state = step.state
    return step
  }
  feed({ type: 'renewed', now: 0, sent: 0 })
  const members = [{ identity: 'a', version: '1', leaving: false }]
  const map = { version: '1', owners }
  assert.deepEqual(feed({ type: 'looked', now: 10, members, map }).gained, [0, 1])
  assert.equal(mayWork(state, 0, 9_999), true)
  assert.equal(mayWork(state, 0, 10_000), false)
  assert.match(feed({ type: 'waited', now: 10_000 }).lost!, /could not be renewed within 10000 ms/)
  feed({ type: 'renewed', now: 10_001, sent: 10_001 })
  assert.equal(feed({ type: 'looked', now: 10_002, members, map }).gained, undefined)
  assert.equal(mayWork(state, 0, 10_003), false)
})

test('a map whose fate is unknown is written over before anything is kept after all', () => {
  let state = newShards('a', 2, TIMES)
  const feed = (input: ShardInput): ReturnType<typeof stepShards> => {
    const step = stepShards(state, input)
    state = step.state
    return step
  }
  const a = { identity: 'a', version: '1', leaving: false }
  const b = { identity: 'b', version: '1', leaving: false }
  const map = { version: '1', owners: ['a', 'a'] }
  feed({ type: 'renewed', now: 0, sent: 0 })
  feed({ type: 'looked', now: 1, members: [a], map })
  const [losing] = feed({ type: 'looked', now: 2, members: [a, b], map }).losing ?? []
  feed({ type: 'drained', now: 3, partition: losing! })
  const passing = feed({ type: 'looked', now: 4, members: [a, b], map }).write
  assert.deepEqual(passing?.filter((it) => it === 'b').length, 1)
  feed({ type: 'map failed', now: 5, certainly: false })
  // The other has gone meanwhile: the partition should stay, but the write may still arrive.
  const again = feed({ type: 'looked', now: 6, members: [a], map })
  assert.deepEqual([again.gained, again.write], [undefined, ['a', 'a']])
  feed({ type: 'wrote map', now: 7, owners: ['a', 'a'] })
  const next = { version: '2', owners: ['a', 'a'] }
  assert.deepEqual(feed({ type: 'looked', now: 8, members: [a], map: next }).gained, [losing])
})

test('times and numbers that do not do are refused', () => {
  assert.throws(() => newShards('a', 8, { leaseDuration: 5, renewDeadline: 5 }), /two replicas/)
  assert.throws(() => newShards('a', 6, TIMES), /a power of two up to 4096 was expected/)
})
