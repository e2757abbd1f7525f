import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UnknownObject } from 'kubewright/machinery'
import table from './testdata/created.json' with { type: 'json' }
import { builtinResources } from '../resources/builtins.ts'
import { strategyOf } from './strategies.ts'
import { BARE_WORLD, contextOf, created, resourceNamed, updated } from './testing/harness.ts'
import type { Draft } from './strategy.ts'

interface Row {
  readonly resource: string
  readonly input: { readonly metadata: { readonly name: string } }
  readonly stored: Record<string, unknown>
}

for (const row of table as unknown as readonly Row[]) {
  test(`${row.resource} ${row.input.metadata.name} is stored as kube-apiserver v1.36 stores it`, async () => {
    const resource = resourceNamed(row.resource)
    const { object, errors } = await created(resource, row.input)
    assert.deepEqual(errors, [])
    const { uid: _, namespace: __, ...metadata } = object.metadata
    const { apiVersion: ___, kind: ____, ...rest } = object
    assert.deepEqual(settle({ ...rest, metadata }), settle(row.stored))
  })
}

for (const row of table as unknown as readonly Row[]) {
  test(`${row.resource} ${row.input.metadata.name} is left alone by an update that changes nothing`, async () => {
    const resource = resourceNamed(row.resource)
    const { object } = await created(resource, row.input)
    const stored = object as unknown as UnknownObject
    const world = { ...BARE_WORLD, [resource.storageKey]: [stored] }
    const context = contextOf(resource, world)
    const again = await updated(resource, stored, {}, '', context)
    assert.deepEqual(again.errors, [])
    const { resourceVersion: _, ...metadata } = again.object.metadata
    assert.deepEqual({ ...again.object, metadata }, object)
  })
}

test('every built-in kind has defaults that do nothing the second time', () => {
  for (const resource of builtinResources()) {
    const object = { metadata: {} } as Draft
    const { applyDefaults } = strategyOf(resource)
    applyDefaults?.(object)
    const once = structuredClone(object)
    applyDefaults?.(object)
    assert.deepEqual(object, once, resource.storageKey)
  }
})

/** Names, addresses and ports that chance gives, made equal; where they lie is for the tests of those who give them. */
function settle(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replaceAll(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-xxxxx')
    .replaceAll(/"10\.(0|9[6-9]|10\d|11[01])\.\d+\.\d+"/g, '"a cluster ip"')
    .replaceAll(/"(nodePort|healthCheckNodePort)":3[0-2]\d{3}/g, '"$1":"a node port"')
  return JSON.parse(text)
}
