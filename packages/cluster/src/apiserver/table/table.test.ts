import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { UnknownObject } from 'kubewright/machinery'
import { builtinResources } from '../resources/builtins.ts'
import type { TableRowCondition } from './columns.ts'
import { NAME_AND_AGE, SCALE, tableConvertor } from './convertors.ts'
import { partialMetadata, tableOf } from './table.ts'

interface Captured {
  readonly resource: string
  /** When it was captured, in milliseconds since the epoch. */
  readonly now: number
  readonly object: UnknownObject
  readonly row: {
    readonly cells: readonly unknown[]
    readonly conditions?: readonly TableRowCondition[]
  }
}

/** Objects of kube-apiserver v1.36.3 and the rows it makes of them. */
const captured = JSON.parse(
  readFileSync(new URL('testdata/rows.json', import.meta.url), 'utf8'),
) as readonly Captured[]

const infoOf = (resource: string) =>
  builtinResources().find((it) => `${it.group}/${it.version}/${it.plural}` === resource)!

for (const { resource, now, object, row } of captured) {
  test(`${resource} ${object.metadata.name}`, () => {
    const made = tableOf([object], tableConvertor(infoOf(resource)), { now }).rows![0]!
    assert.deepEqual(made.cells, row.cells)
    assert.deepEqual(made.conditions, row.conditions)
  })
}

test('every listed resource was captured or shows what all do', () => {
  const seen = new Set(captured.map((it) => it.resource))
  const unseen = builtinResources()
    .filter((it) => it.verbs.includes('list'))
    .map((it) => `${it.group}/${it.version}/${it.plural}`)
    .filter((it) => !seen.has(it))
  assert.deepEqual(unseen, ['/v1/componentstatuses'])
})

const configMap = (name: string): UnknownObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, creationTimestamp: '2026-11-30T18:00:00Z', resourceVersion: '7' },
  data: { a: '1' },
})

const NOW = Date.parse('2026-11-30T18:05:48Z')
const CONFIG_MAPS = tableConvertor(infoOf('/v1/configmaps'))

test('a table of a list', () => {
  const table = tableOf([configMap('a'), configMap('b')], CONFIG_MAPS, {
    now: NOW,
    metadata: { resourceVersion: '9', continue: 'x' },
  })
  const metadata = (name: string) => configMap(name).metadata
  const object = (name: string) => ({
    kind: 'PartialObjectMetadata',
    apiVersion: 'meta.k8s.io/v1',
    metadata: metadata(name),
  })
  assert.deepEqual(table, {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { resourceVersion: '9', continue: 'x' },
    columnDefinitions: [
      { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 },
      { name: 'Data', type: 'string', format: '', description: '', priority: 0 },
      { name: 'Age', type: 'string', format: '', description: '', priority: 0 },
    ],
    rows: [
      { cells: ['a', 1, '5m48s'], object: object('a') },
      { cells: ['b', 1, '5m48s'], object: object('b') },
    ],
  })
})

test('a table carries what was asked for', () => {
  const object = configMap('a')
  const included = (includeObject: 'None' | 'Metadata' | 'Object') =>
    tableOf([object], CONFIG_MAPS, { now: NOW, includeObject }).rows![0]!.object
  assert.equal(included('None'), null)
  assert.equal(included('Object'), object)
  assert.deepEqual(included('Metadata'), partialMetadata(object))
  const bare = tableOf([object], CONFIG_MAPS, { now: NOW, noHeaders: true, version: 'v1beta1' })
  assert.deepEqual([bare.columnDefinitions, bare.apiVersion], [null, 'meta.k8s.io/v1beta1'])
})

test('flow schemas stand in the order in which they match', () => {
  const schema = (name: string, matchingPrecedence: number): UnknownObject => ({
    metadata: { name },
    spec: { matchingPrecedence, priorityLevelConfiguration: { name: 'x' } },
  })
  const all = [schema('c', 5), schema('b', 9), schema('a', 9), schema('d', 1)]
  const convertor = tableConvertor(infoOf('flowcontrol.apiserver.k8s.io/v1/flowschemas'))
  const names = tableOf(all, convertor, { now: NOW }).rows!.map((it) => it.cells[0])
  assert.deepEqual(names, ['d', 'c', 'a', 'b'])
})

test('a component is as healthy as it says', () => {
  const convertor = tableConvertor(infoOf('/v1/componentstatuses'))
  const cells = (conditions: readonly object[]) =>
    convertor.cells({ metadata: { name: 'etcd-0' }, conditions }, NOW)
  assert.deepEqual(cells([]), ['etcd-0', 'Unknown', '', ''])
  assert.deepEqual(cells([{ type: 'Healthy', status: 'True', message: 'ok' }]), [
    'etcd-0',
    'Healthy',
    'ok',
    '',
  ])
  assert.deepEqual(cells([{ type: 'Healthy', status: 'False', error: 'down' }]), [
    'etcd-0',
    'Unhealthy',
    '',
    'down',
  ])
})

test('custom resources and scales', () => {
  const object: UnknownObject = {
    metadata: { name: 'a', creationTimestamp: '2026-11-30T18:00:00Z' },
    spec: { replicas: 2 },
  }
  assert.deepEqual(NAME_AND_AGE.cells(object, NOW), ['a', '5m48s'])
  assert.deepEqual(SCALE.cells(object, NOW), ['a', 2, 0, '5m48s'])
})
