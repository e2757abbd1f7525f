import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kind } from 'kubewright/machinery'
import { builtinResources, definitionName, schemaOf, storedAs } from './builtins.ts'

test('every resource has a token of its kind', async () => {
  for (const it of builtinResources()) {
    const path = `kubewright/kinds/${it.group || 'core'}/${it.version}`
    const tokens = (await import(path)) as Readonly<Record<string, Kind>>
    const { group, version, kind, plural, scope } = it
    assert.deepEqual(tokens[kind], { group, version, kind, plural, scope }, `${path} ${kind}`)
  }
})

test('every kind has a schema that names it', () => {
  for (const it of builtinResources()) {
    const kinds = schemaOf(it)['x-kubernetes-group-version-kind']
    const { group, kind, version } = it
    assert.deepEqual(kinds, [{ group, kind, version }])
  }
})

test('options kinds belong to every group', () => {
  const name = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions'
  assert.equal(definitionName({ group: 'apps', version: 'v1', kind: 'DeleteOptions' }), name)
  assert.equal(definitionName({ group: 'apps', version: 'v1', kind: 'Pod' }), undefined)
  assert.equal(definitionName({ group: 'example.com', version: 'v1', kind: 'Pod' }), undefined)
  assert.throws(
    () => schemaOf({ group: 'apps', version: 'v1', kind: 'Pod' }),
    /not a built-in kind/,
  )
})

test('resources that share objects share their place', () => {
  const keyOf = (group: string, plural: string) =>
    builtinResources()
      .filter((it) => it.group === group && it.plural === plural)
      .map((it) => it.storageKey)
  assert.deepEqual(keyOf('', 'events'), ['/events'])
  assert.deepEqual(keyOf('events.k8s.io', 'events'), ['/events'])
  const autoscaler = 'autoscaling/horizontalpodautoscalers'
  assert.deepEqual(keyOf('autoscaling', 'horizontalpodautoscalers'), [autoscaler, autoscaler])
  const versions = builtinResources().filter((it) => it.group === 'autoscaling')
  assert.deepEqual(
    versions.map((it) => [it.version, it.storageVersion, storedAs(it)]),
    [
      ['v2', 'v2', 'autoscaling/v2/HorizontalPodAutoscaler'],
      ['v1', 'v2', 'autoscaling/v2/HorizontalPodAutoscaler'],
    ],
  )
})
