import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKindDirectory, type KindDirectory } from './discovery.ts'
import type { Call } from './exchange.ts'

const resource = (kind: string, plural: string, shortNames: readonly string[] = []) => ({
  resource: plural,
  responseKind: { group: '', version: '', kind },
  scope: 'Namespaced',
  singularResource: kind.toLowerCase(),
  verbs: ['get', 'list'],
  shortNames,
  subresources: [{ subresource: 'status' }],
})
const group = (
  name: string,
  ...versions: readonly (readonly [string, ...ReturnType<typeof resource>[]])[]
) => ({
  metadata: { name },
  versions: versions.map(([version, ...resources]) => ({ version, resources })),
})

interface Aggregated {
  readonly directory: KindDirectory
  readonly asked: string[]
  readonly groups: ReturnType<typeof group>[]
}

function aggregatedServer(): Aggregated {
  const asked: string[] = []
  const groups = [group('apps', ['v1', resource('Deployment', 'deployments', ['deploy'])])]
  const core = [
    group('', ['v1', resource('Pod', 'pods', ['po']), resource('Event', 'events', ['ev'])]),
  ]
  const ask = async <T>(call: Call): Promise<T> => {
    asked.push(call.path)
    return { kind: 'APIGroupDiscoveryList', items: call.path === '/api' ? core : groups } as T
  }
  return { directory: createKindDirectory(ask), asked, groups }
}

test('finds kinds by every name that people use', async () => {
  const { directory, groups, asked } = aggregatedServer()
  groups.push(group('events.k8s.io', ['v1', resource('Event', 'events', ['ev'])]))
  for (const name of [
    'deploy',
    'deployments',
    'Deployment',
    'deployment.apps',
    'deployments.v1.apps',
    'deploy.apps',
  ])
    assert.equal((await directory.find(name))?.kind.plural, 'deployments', name)
  assert.equal((await directory.find('ev'))?.kind.group, '')
  assert.equal((await directory.find('events.events.k8s.io'))?.kind.group, 'events.k8s.io')
  assert.equal((await directory.find('pods.v1'))?.kind.kind, 'Pod')
  assert.deepEqual((await directory.find('po'))?.subresources, ['status'])
  assert.deepEqual(asked, ['/api', '/apis'])
})

test('a kind that is not known is looked for again: a CRD may have come', async () => {
  const { directory, groups, asked } = aggregatedServer()
  await directory.all()
  groups.push(group('example.com', ['v1', resource('App', 'apps')]))
  const found = await directory.get('example.com/v1', 'App')
  assert.deepEqual(
    [found.group, found.version, found.kind, found.plural, found.scope],
    ['example.com', 'v1', 'App', 'apps', 'Namespaced'],
  )
  assert.equal(asked.length, 4)
  await assert.rejects(
    directory.get('example.com/v2', 'App'),
    /the server serves no App in example.com\/v2; if it is a custom resource, install/,
  )
})

test('a server without aggregated discovery is asked group by group', async () => {
  const answers: Record<string, unknown> = {
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/apis': {
      kind: 'APIGroupList',
      groups: [
        { name: 'apps', versions: [{ groupVersion: 'apps/v1' }] },
        { name: 'broken', versions: [{ groupVersion: 'broken/v1' }] },
      ],
    },
    '/api/v1': {
      groupVersion: 'v1',
      resources: [
        {
          name: 'pods',
          singularName: 'pod',
          namespaced: true,
          kind: 'Pod',
          verbs: ['get'],
          shortNames: ['po'],
        },
        { name: 'pods/log', namespaced: true, kind: 'Pod' },
        { name: 'nodes', namespaced: false, kind: 'Node' },
      ],
    },
    '/apis/apps/v1': {
      groupVersion: 'apps/v1',
      resources: [{ name: 'deployments', namespaced: true, kind: 'Deployment' }],
    },
  }
  const { ApiError, failure } = await import('../machinery/status.ts')
  const directory = createKindDirectory(async <T>(call: Call) => {
    if (call.path in answers) return answers[call.path] as T
    throw new ApiError(failure(503, 'ServiceUnavailable', 'down'))
  })
  const all = await directory.all()
  assert.deepEqual(
    all.map((it) => [it.kind.kind, it.kind.scope, it.subresources]),
    [
      ['Pod', 'Namespaced', ['log']],
      ['Node', 'Cluster', []],
      ['Deployment', 'Namespaced', []],
    ],
  )
})
