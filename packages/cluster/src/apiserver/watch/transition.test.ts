import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Entry, WarmObjects } from '../storage/entry.ts'
import type { Change, Stored } from '../storage/storage.ts'
import { transition } from './transition.ts'

const warm = new WarmObjects({ freeze: true })
const stored = (revision: number, red: boolean): Stored => {
  const object = { metadata: { resourceVersion: String(revision) }, red }
  return Entry.ofObject('/a/x/1', revision, object, warm)
}

const change = (type: Change['type'], before: boolean | undefined, after: boolean): Change => ({
  type,
  revision: 2,
  stored: stored(2, after),
  previous: before === undefined ? undefined : stored(1, before),
})

const CASES: readonly (readonly [Change, string | undefined])[] = [
  [change('put', undefined, true), 'ADDED 2'],
  [change('put', undefined, false), undefined],
  [change('put', true, true), 'MODIFIED 2'],
  [change('put', false, true), 'ADDED 2'],
  [change('put', true, false), 'DELETED 1 under 2'],
  [change('put', false, false), undefined],
  [change('remove', true, true), 'DELETED 2'],
  [change('remove', false, false), undefined],
]

test('what a watcher of red objects sees', () => {
  const seen = CASES.map(([it]) => {
    const event = transition(it, ({ object }) => object['red'] === true)
    if (!event) return undefined
    const under = event.revision === undefined ? '' : ` under ${event.revision}`
    return `${event.type} ${event.stored.revision}${under}`
  })
  assert.deepEqual(
    seen,
    CASES.map(([, wanted]) => wanted),
  )
})
