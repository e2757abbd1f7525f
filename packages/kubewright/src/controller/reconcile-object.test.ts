import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindOf } from '../machinery/kind.ts'
import { keyText } from '../machinery/object-key.ts'
import type { KeyContext } from './context.ts'
import type { ReconcileRuntime } from './definition.ts'
import { reconcileKey } from './reconcile-object.ts'

const THING = kindOf('example.com/v1', 'Thing', 'things', 'Namespaced')

test('what is remembered of a key goes when its object has gone', async () => {
  const forgotten: string[] = []
  const runtime = { forget: (key) => void forgotten.push(keyText(key)) } as Pick<
    ReconcileRuntime,
    'forget'
  > as ReconcileRuntime
  const lister = { get: ({ name }: { name: string }) => (name === 'here' ? {} : undefined) }
  const context = { lister: () => lister } as unknown as KeyContext
  const run = reconcileKey(THING, async () => ({ requeueAfter: 5 }))(runtime)
  assert.deepEqual(await run({ namespace: 'ns', name: 'here' }, context), { requeueAfter: 5 })
  await run({ namespace: 'ns', name: 'gone' }, context)
  assert.deepEqual(forgotten, ['ns/gone'])
})
