import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { KubeObject, ListOf } from '../machinery/object.ts'
import { INITIAL_EVENTS_END, type WatchEvent } from '../machinery/watch-event.ts'
import {
  newReflector,
  stepReflector,
  type Delta,
  type ReflectorAction,
  type ReflectorInput,
  type ReflectorState,
  type ReflectorStep,
} from './reflector.ts'

type World = ReadonlyMap<string, string>

/** A server's memory: every revision's objects, and what each revision did. */
class History {
  readonly worlds: World[] = [new Map()]
  readonly events: WatchEvent[] = []
  /** Revisions up to here are forgotten: watching from one of them is answered with 410. */
  compacted = 0

  get revision(): number {
    return this.worlds.length - 1
  }

  write(name: string, remove: boolean): void {
    const before = this.worlds[this.revision]!
    if (remove && !before.has(name)) return
    const revision = this.revision + 1
    const after = new Map(before)
    if (remove) after.delete(name)
    else after.set(name, String(revision))
    this.worlds.push(after)
    const type = remove ? 'DELETED' : before.has(name) ? 'MODIFIED' : 'ADDED'
    this.events.push({ type, object: objectAt(name, String(revision)) })
  }

  since(revision: number): readonly WatchEvent[] {
    return this.events.slice(revision)
  }
}

const objectAt = (name: string, resourceVersion: string): KubeObject => ({
  metadata: { name, resourceVersion, uid: name },
})

const gone = { type: 'ERROR', object: { code: 410 } } as unknown as WatchEvent

const fault = fc.constantFrom('none', 'none', 'none', 'cut', 'error', '410', 'bookmark')
const act = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('write' as const),
      name: fc.constantFrom('a', 'b', 'c'),
      remove: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('compact' as const) }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('move' as const), fault }) },
)

/** A reflector in a world where anything may break between two steps. */
class Rig {
  readonly history = new History()
  readonly store = new Map<string, string>()
  state: ReflectorState<KubeObject>
  action: ReflectorAction | undefined
  readonly pageSize: number
  /** The open watch: which revision it has told. */
  #told = 0
  #listed: { objects: readonly KubeObject[]; revision: number; at: number } | undefined
  #initial: KubeObject[] | undefined

  constructor(streams: boolean, pageSize: number) {
    this.pageSize = pageSize
    this.state = newReflector((it: KubeObject) => it, { streams })
    this.feed({ type: 'start' })
  }

  feed(input: ReflectorInput<KubeObject>): void {
    const step = stepReflector(this.state, input)
    this.state = step.state
    if (step.delta) this.#learn(step.delta)
    if (step.action) {
      this.action = step.action
      if (step.action.type === 'watch') this.#open(step.action)
      if (step.action.type === 'list' && !step.action.continue) this.#listed = undefined
    }
  }

  /** One thing happens on the way between server and reflector. */
  move(kind: string): void {
    const { action } = this
    if (kind === 'error') return this.feed({ type: 'failed', code: 0 })
    if (action?.type === 'wait') return this.feed({ type: 'woke' })
    if (action?.type === 'list')
      return this.feed({ type: 'page', list: this.#page(action.continue) })
    if (kind === 'cut') return this.feed({ type: 'closed', healthy: true })
    if (kind === '410') return this.feed({ type: 'event', event: gone })
    this.#event(kind === 'bookmark')
  }

  #open(action: ReflectorAction & { readonly type: 'watch' }): void {
    const { history } = this
    this.#initial = action.initial
      ? [...history.worlds[history.revision]!].map(([name, version]) => objectAt(name, version))
      : undefined
    this.#told = action.initial ? history.revision : Number(action.resourceVersion)
  }

  #event(bookmark: boolean): void {
    const { history } = this
    const initial = this.#initial?.shift()
    if (initial) return this.feed({ type: 'event', event: { type: 'ADDED', object: initial } })
    // What happens meanwhile may come before the bookmark that ends the initial objects.
    const early = this.#initial && !bookmark ? history.since(this.#told)[0] : undefined
    if (early) {
      this.#told++
      return this.feed({ type: 'event', event: early })
    }
    if (this.#initial) {
      this.#initial = undefined
      return this.feed({ type: 'event', event: bookmarkAt(this.#told, true) })
    }
    if (this.#told < history.compacted) return this.feed({ type: 'event', event: gone })
    const next = history.since(this.#told)[0]
    if (next && !bookmark) {
      this.#told++
      return this.feed({ type: 'event', event: next })
    }
    this.feed({ type: 'event', event: bookmarkAt(this.#told, false) })
  }

  #page(token: string | undefined): ListOf<KubeObject> {
    const { history } = this
    this.#listed ??= {
      revision: history.revision,
      objects: [...history.worlds[history.revision]!].map(([name, version]) =>
        objectAt(name, version),
      ),
      at: 0,
    }
    const from = token ? Number(token) : 0
    const { objects, revision } = this.#listed
    const to = from + this.pageSize
    const next = to < objects.length ? { continue: String(to) } : {}
    return {
      metadata: { resourceVersion: String(revision), ...next },
      items: objects.slice(from, to),
    }
  }

  /** The store after every delta is the server's world at the revision that the reflector says it has seen. */
  #learn(delta: Delta<KubeObject>): void {
    const { store } = this
    if (delta.type === 'replace') {
      store.clear()
      for (const it of delta.objects.values())
        store.set(it.metadata.name!, it.metadata.resourceVersion!)
    } else if (delta.type === 'put')
      store.set(delta.object.metadata.name!, delta.object.metadata.resourceVersion!)
    else if (delta.type === 'remove') store.delete(delta.object.metadata.name!)
    const world = this.history.worlds[Number(this.state.resourceVersion)]
    assert.deepEqual(new Map([...store].sort()), new Map([...world!].sort()))
  }
}

const bookmarkAt = (revision: number, end: boolean): WatchEvent => ({
  type: 'BOOKMARK',
  object: {
    metadata: {
      resourceVersion: String(revision),
      ...(end ? { annotations: { [INITIAL_EVENTS_END]: 'true' } } : {}),
    },
  },
})

test('whatever breaks, the store is the world at the revision seen, and in the end the world as it is', () => {
  fc.assert(
    fc.property(
      fc.array(act, { maxLength: 80 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 3 }),
      (acts, streams, pageSize) => {
        const rig = new Rig(streams, pageSize)
        for (const it of acts) {
          if (it.type === 'write') rig.history.write(it.name, it.remove)
          else if (it.type === 'compact') rig.history.compacted = rig.history.revision
          else rig.move(it.fault)
        }
        for (let n = 0; n < 200 && rig.state.resourceVersion !== String(rig.history.revision); n++)
          rig.move('none')
        assert.equal(rig.state.resourceVersion, String(rig.history.revision))
        assert.deepEqual(
          new Map([...rig.store].sort()),
          new Map([...rig.history.worlds[rig.history.revision]!].sort()),
        )
      },
    ),
    { numRuns: 1_000 },
  )
})

const step = (
  state: ReflectorState<KubeObject>,
  input: ReflectorInput<KubeObject>,
): ReflectorStep<KubeObject> => stepReflector(state, input)

test('asks for a stream first, and lists in pages once the server has refused one', () => {
  const first = step(
    newReflector((it: KubeObject) => it),
    { type: 'start' },
  )
  assert.deepEqual(first.action, { type: 'watch', resourceVersion: '', initial: true })
  for (const code of [400, 406, 422]) {
    const refused = step(first.state, { type: 'failed', code })
    assert.deepEqual(refused.action, { type: 'list', continue: undefined })
    assert.equal(refused.state.streams, false)
  }
  const silent = step(first.state, { type: 'silent' })
  assert.deepEqual(silent.action, { type: 'list', continue: undefined })
})

test('waits longer with each failure; a watch that brings something ends the row', () => {
  let { state, action } = step(
    newReflector((it: KubeObject) => it, { streams: false }),
    { type: 'start' },
  )
  const waits: number[] = []
  for (let n = 0; n < 3; n++) {
    ;({ state, action } = step(state, { type: 'failed', code: 500 }))
    if (action?.type === 'wait') waits.push(action.failures)
    ;({ state, action } = step(state, { type: 'woke' }))
  }
  assert.deepEqual(waits, [1, 2, 3])
  ;({ state } = step(state, {
    type: 'page',
    list: { metadata: { resourceVersion: '7' }, items: [] },
  }))
  assert.equal(state.failures, 0)
})

test('a watch that ends at once, again and again, is waited for', () => {
  const listed = step(
    step(
      newReflector((it: KubeObject) => it, { streams: false }),
      { type: 'start' },
    ).state,
    {
      type: 'page',
      list: { metadata: { resourceVersion: '7' }, items: [] },
    },
  )
  const ended = step(listed.state, { type: 'closed', healthy: false })
  assert.deepEqual(ended.action, { type: 'wait', failures: 1 })
  assert.deepEqual(step(ended.state, { type: 'woke' }).action, {
    type: 'watch',
    resourceVersion: '7',
    initial: false,
  })
})

test('410 lists anew at once, and only waits when that ends in 410 too', () => {
  const listed = step(
    step(
      newReflector((it: KubeObject) => it, { streams: false }),
      { type: 'start' },
    ).state,
    {
      type: 'page',
      list: { metadata: { resourceVersion: '7' }, items: [] },
    },
  )
  const expired = step(listed.state, { type: 'event', event: gone })
  assert.deepEqual(expired.action, { type: 'list', continue: undefined })
  assert.deepEqual(step(expired.state, { type: 'failed', code: 410 }).action, {
    type: 'wait',
    failures: 2,
  })
})
