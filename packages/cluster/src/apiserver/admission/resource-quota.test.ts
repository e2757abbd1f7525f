import assert from 'node:assert/strict'
import test from 'node:test'
import { ApiError, type UnknownObject } from 'kubewright/machinery'
import {
  BARE_WORLD,
  contextOf,
  created,
  resourceNamed,
  updated,
  type World,
} from '../registry/testing/harness.ts'
import { RESOURCE_QUOTA } from './resource-quota.ts'

// Hard limits, requests and messages are those of a run against kube-apiserver v1.36.

const HARD = {
  pods: '2',
  'requests.cpu': '1',
  'limits.memory': '1Gi',
  'count/configmaps': '1',
  services: '1',
  'services.nodeports': '1',
  'count/deployments.apps': '0',
}
const ZERO = Object.fromEntries(Object.keys(HARD).map((it) => [it, '0']))

const quota = (used: object, spec: object = {}): UnknownObject =>
  ({
    metadata: { name: 'q', namespace: 'default' },
    spec: { hard: HARD, ...spec },
    status: { hard: HARD, used },
  }) as UnknownObject

async function answer(
  kind: string,
  input: object,
  world: World,
  plugins = [RESOURCE_QUOTA],
): Promise<string | undefined> {
  const resource = resourceNamed(kind)
  try {
    await created(resource, input, contextOf(resource, { ...BARE_WORLD, ...world }), { plugins })
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error.message
    throw error
  }
}

const inDefault = (name: string, rest: object = {}): UnknownObject =>
  ({ metadata: { name, namespace: 'default' }, ...rest }) as UnknownObject
const named = (name: string): object => ({ metadata: { name } })

test('a quota counts from when its controller has taken note of it', async () => {
  const fresh = inDefault('q', { spec: { hard: HARD } })
  const others = { '/configmaps': [inDefault('a')] }
  assert.equal(
    await answer('v1/configmaps', named('b'), { '/resourcequotas': [fresh], ...others }),
    undefined,
  )
  assert.equal(
    await answer('v1/configmaps', named('b'), { '/resourcequotas': [quota({})], ...others }),
    'configmaps "b" is forbidden: status unknown for quota: q, resources: count/configmaps',
  )
})

test('objects are counted', async () => {
  const world = { '/resourcequotas': [quota({ ...ZERO, 'count/configmaps': '1' })] }
  assert.equal(
    await answer('v1/configmaps', named('over'), world),
    'configmaps "over" is forbidden: exceeded quota: q, requested: count/configmaps=1, used: count/configmaps=1, limited: count/configmaps=1',
  )
  assert.equal(await answer('v1/secrets', named('free'), world), undefined)
})

const container = (name: string, resources: object = {}): object => ({
  name,
  image: 'i',
  resources,
})
const pod = (name: string, ...containers: readonly object[]): object => ({
  metadata: { name },
  spec: { containers },
})
const LARGE = { requests: { cpu: '600m' }, limits: { memory: '768Mi', cpu: '1' } }

test('pods must say what they take, and may not take more than is left', async () => {
  const used = { ...ZERO, pods: '1', 'requests.cpu': '600m', 'limits.memory': '512Mi' }
  const world = { '/resourcequotas': [quota(used)] }
  assert.equal(
    await answer(
      'v1/pods',
      pod('p1', container('c', { requests: { cpu: '1' } }), container('d')),
      world,
    ),
    'pods "p1" is forbidden: failed quota: q: must specify limits.memory for: c,d; requests.cpu for: d',
  )
  assert.equal(
    await answer('v1/pods', pod('p3', container('c', LARGE)), world),
    'pods "p3" is forbidden: exceeded quota: q, requested: limits.memory=768Mi,requests.cpu=600m, used: limits.memory=512Mi,requests.cpu=600m, limited: limits.memory=1Gi,requests.cpu=1',
  )
  const free = { '/resourcequotas': [quota(ZERO)] }
  assert.equal(await answer('v1/pods', pod('p3', container('c', LARGE)), free), undefined)
})

test('a scope narrows a quota', async () => {
  const world = (scope: string): World => ({
    '/resourcequotas': [quota(ZERO, { scopes: [scope] })],
    '/pods': [],
  })
  const bare = pod('p', container('c'))
  assert.equal(await answer('v1/pods', bare, world('Terminating')), undefined)
  assert.match((await answer('v1/pods', bare, world('NotTerminating'))) ?? '', /must specify/)
})

const ports = [
  { port: 80, name: 'a' },
  { port: 81, name: 'b' },
]

test('services are counted by their ports, at an update too', async () => {
  const world = { '/resourcequotas': [quota(ZERO)] }
  const service = (type: string): object => ({ metadata: { name: 's' }, spec: { type, ports } })
  const ofPorts =
    'services "s" is forbidden: exceeded quota: q, requested: services.nodeports=2, used: services.nodeports=0, limited: services.nodeports=1'
  assert.equal(await answer('v1/services', service('NodePort'), world), ofPorts)
  assert.equal(await answer('v1/services', service('ClusterIP'), world), undefined)
  const resource = resourceNamed('v1/services')
  const { object } = await created(resource, service('ClusterIP'))
  const stored = object as unknown as UnknownObject
  const context = contextOf(resource, { ...BARE_WORLD, ...world, '/services': [stored] })
  const change = { spec: { type: 'NodePort' } }
  await assert.rejects(updated(resource, stored, change, '', context, [RESOURCE_QUOTA]), {
    message: ofPorts,
  })
})

test('kinds of other groups are counted under their full names', async () => {
  const labels = { a: 'b' }
  const deployment = {
    metadata: { name: 'x' },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container('c')] } },
    },
  }
  assert.equal(
    await answer('apps/v1/deployments', deployment, { '/resourcequotas': [quota(ZERO)] }),
    'deployments.apps "x" is forbidden: exceeded quota: q, requested: count/deployments.apps=1, used: count/deployments.apps=0, limited: count/deployments.apps=0',
  )
})
