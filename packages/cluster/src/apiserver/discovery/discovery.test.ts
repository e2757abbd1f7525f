import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { builtinResources, everyBuiltinResource } from '../resources/builtins.ts'
import type { ResourceInfo } from '../resources/resource.ts'
import { apiGroupDiscoveryList } from './aggregated.ts'
import { etagOf, matchesEtag } from './etag.ts'
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from './legacy.ts'
import { compareVersions } from './version-order.ts'

/** What kube-apiserver v1.36.3 answers, with one custom group; written by tools/extract-resources.ts. */
const read = (name: string): Readonly<Record<string, unknown>> =>
  JSON.parse(readFileSync(new URL(`testdata/${name}`, import.meta.url), 'utf8')) as Record<
    string,
    unknown
  >
const real = read('discovery.json')
/** The same of one with `--runtime-config=api/all=true` and the feature gates that resources need, and without the custom group. */
const every = read('every.json')

const base = {
  group: 'example.com',
  singular: 'widget',
  shortNames: ['wd', 'wdg'],
  categories: ['all', 'toys'],
  verbs: builtinResources().find((it) => it.plural === 'pods')!.verbs,
  storageVersion: 'v1',
  custom: true,
} as const

const status = (version: string) =>
  ({
    name: 'status',
    kind: 'Widget',
    group: 'example.com',
    version,
    verbs: ['get', 'patch', 'update'],
  }) as const

const scale = {
  name: 'scale',
  kind: 'Scale',
  group: 'autoscaling',
  version: 'v1',
  verbs: ['get', 'patch', 'update'],
} as const

const widget = (version: string, subresources: ResourceInfo['subresources']): ResourceInfo => ({
  ...base,
  version,
  kind: 'Widget',
  listKind: 'WidgetList',
  plural: 'widgets',
  scope: 'Namespaced',
  subresources,
  storageKey: 'example.com/widgets',
})

const gadget: ResourceInfo = {
  ...base,
  version: 'v1',
  kind: 'Gadget',
  listKind: 'GadgetList',
  plural: 'gadgets',
  singular: 'gadget',
  shortNames: [],
  categories: [],
  scope: 'Cluster',
  subresources: [],
  storageKey: 'example.com/gadgets',
}

const infos = [
  widget('v1beta1', []),
  widget('v1', [status('v1'), scale]),
  ...builtinResources(),
  gadget,
]

/** Equal to the byte, so that fields keep their order too. */
const same = (made: unknown, wanted: unknown): void =>
  assert.equal(JSON.stringify(made, null, 1), JSON.stringify(wanted, null, 1))

function compare(all: readonly ResourceInfo[], answers: Readonly<Record<string, unknown>>): void {
  assert.ok(Object.keys(answers).length > 40)
  for (const [path, wanted] of Object.entries(answers)) {
    const [, root, group = '', version] = path.split('/')
    if (path.startsWith('aggregated')) continue
    else if (path === '/api') same(apiVersions(all, '192.0.2.1:6443'), wanted)
    else if (path === '/apis') same(apiGroupList(all), wanted)
    else if (root === 'api') same(apiResourceList(all, '', group), wanted)
    else if (version === undefined) same(apiGroup(all, group), wanted)
    else same(apiResourceList(all, group, version), wanted)
  }
  same(apiGroupDiscoveryList(all, '/api'), answers['aggregated /api'])
  same(apiGroupDiscoveryList(all, '/apis'), answers['aggregated /apis'])
}

test('every document equals the real one', () => compare(infos, real))

test('so it does where every version is served', () => compare(everyBuiltinResource(), every))

test('what is not served has no document', () => {
  assert.equal(apiGroup(infos, 'none.example.com'), undefined)
  assert.equal(apiGroup(infos, ''), undefined)
  assert.equal(apiResourceList(infos, 'apps', 'v9'), undefined)
})

test('versions are listed by stability, then newest first', () => {
  const given = [
    'foo1',
    'v3alpha1',
    'v1',
    'v10beta3',
    'v12alpha1',
    'v2',
    'v11beta2',
    'foo10',
    'v10',
    'v3beta1',
    'v11alpha2',
  ]
  const wanted = [
    'v10',
    'v2',
    'v1',
    'v11beta2',
    'v10beta3',
    'v3beta1',
    'v12alpha1',
    'v11alpha2',
    'v3alpha1',
    'foo1',
    'foo10',
  ]
  assert.deepEqual(given.toSorted(compareVersions), wanted)
})

test('an ETag is matched wherever it stands', () => {
  const etag = etagOf('{}')
  assert.match(etag, /^"[0-9A-F]{128}"$/)
  assert.ok(matchesEtag(etag, etag))
  assert.ok(matchesEtag(`"x", W/${etag}`, etag))
  assert.ok(!matchesEtag('"x"', etag))
  assert.ok(!matchesEtag(null, etag))
})
