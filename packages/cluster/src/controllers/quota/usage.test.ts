import assert from 'node:assert/strict'
import test from 'node:test'
import type { Pod, PodSpec, ResourceQuotaSpec } from 'kubewright/kinds/core/v1'
import type { KubeObject } from 'kubewright/machinery'
import { usageOf, usedOf } from './usage.ts'

const pod = (spec: Partial<PodSpec>, status: Pod['status'] = {}): Pod => ({
  metadata: { name: 'x' },
  spec: { containers: [], ...spec },
  status: status!,
})

const used = (
  resource: string,
  spec: Omit<ResourceQuotaSpec, 'hard'> & { readonly hard: readonly string[] },
  ...objects: readonly KubeObject[]
): Readonly<Record<string, string>> => {
  const [plural = '', ...rest] = resource.split('.')
  const group = rest.join('.')
  const hard = Object.fromEntries(spec.hard.map((it) => [it, '10']))
  const quota = { metadata: {}, spec: { ...spec, hard } }
  return usedOf(
    hard,
    usageOf(quota, { group, plural }, () => objects, 0),
  )
}

const COMPUTE = ['pods', 'cpu', 'requests.cpu', 'limits.memory', 'count/pods']

test('pods are counted with what they ask for, and only in the store once they have ended', () => {
  const busy = pod({
    containers: [
      { name: 'a', resources: { requests: { cpu: '500m' }, limits: { memory: '256Mi' } } },
      { name: 'b', resources: { requests: { cpu: '1' }, limits: { memory: '256Mi' } } },
    ],
  })
  assert.deepEqual(used('pods', { hard: COMPUTE }, busy), {
    pods: '1',
    cpu: '1500m',
    'requests.cpu': '1500m',
    'limits.memory': '512Mi',
    'count/pods': '1',
  })
  const ended = pod(busy.spec, { phase: 'Succeeded' })
  assert.deepEqual(used('pods', { hard: COMPUTE }, ended), {
    pods: '0',
    cpu: '0',
    'requests.cpu': '0',
    'limits.memory': '0',
    'count/pods': '1',
  })
  assert.equal(used('pods', { hard: COMPUTE }, busy, busy)['cpu'], '3')
})

test('a pod asks for what its first containers need, and for what is said of it as a whole', () => {
  const first = { name: 'i', resources: { requests: { cpu: '3' } } }
  const rest = { name: 'c', resources: { requests: { cpu: '1' } } }
  const hard = ['requests.cpu']
  const plain = pod({ initContainers: [first], containers: [rest] })
  assert.deepEqual(used('pods', { hard }, plain), { 'requests.cpu': '3' })
  const whole = pod({ ...plain.spec, resources: { requests: { cpu: '5' } } })
  assert.deepEqual(used('pods', { hard }, whole), { 'requests.cpu': '5' })
})

test('services and claims are counted by what they are', () => {
  const ports = [{ port: 80 }, { port: 443 }]
  const balanced = { metadata: {}, spec: { type: 'LoadBalancer', ports } }
  const hard = ['services', 'services.nodeports', 'services.loadbalancers']
  assert.deepEqual(used('services', { hard }, balanced), {
    services: '1',
    'services.nodeports': '2',
    'services.loadbalancers': '1',
  })
  const claim = {
    metadata: {},
    spec: { storageClassName: 'gold', resources: { requests: { storage: '5Gi' } } },
  }
  const gold = 'gold.storageclass.storage.k8s.io/requests.storage'
  assert.deepEqual(used('persistentvolumeclaims', { hard: ['requests.storage', gold] }, claim), {
    'requests.storage': '5Gi',
    [gold]: '5Gi',
  })
})

test('what a quota does not limit is not even listed', () => {
  const quota = { metadata: {}, spec: { hard: { secrets: '1' } } }
  assert.deepEqual(
    usageOf(quota, { group: '', plural: 'configmaps' }, () => assert.fail('listed'), 0),
    {},
  )
})

test('scopes choose the pods, and nothing else', () => {
  const asks = { name: 'c', resources: { requests: { cpu: '1' } } }
  const plain = pod({})
  const urgent = pod({
    priorityClassName: 'high',
    activeDeadlineSeconds: 5,
    containers: [asks],
  })
  const counts = (spec: Omit<ResourceQuotaSpec, 'hard'>): readonly string[] =>
    [plain, urgent].map((it) => used('pods', { ...spec, hard: ['pods'] }, it)['pods']!)
  assert.deepEqual(counts({}), ['1', '1'])
  assert.deepEqual(counts({ scopes: ['BestEffort'] }), ['1', '0'])
  assert.deepEqual(counts({ scopes: ['Terminating', 'NotBestEffort'] }), ['0', '1'])
  const only = (operator: 'In' | 'NotIn', values: readonly string[]) =>
    counts({
      scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator, values }] },
    })
  assert.deepEqual(only('In', ['high']), ['0', '1'])
  assert.deepEqual(only('NotIn', ['high']), ['1', '0'])
  const narrow = { scopes: ['Terminating' as const], hard: ['secrets'] }
  assert.deepEqual(used('secrets', narrow, { metadata: {} }), { secrets: '0' })
})

test('claims of devices are counted with what they may be given', () => {
  const claim = (...requests: readonly object[]): KubeObject =>
    ({ metadata: { name: 'x' }, spec: { devices: { requests } } }) as KubeObject
  const gold = 'gold.deviceclass.resource.k8s.io/devices'
  const silver = 'silver.deviceclass.resource.k8s.io/devices'
  const exactly = (deviceClassName: string, more: object): object => ({
    name: 'r',
    exactly: { deviceClassName, ...more },
  })
  const two = { allocationMode: 'ExactCount', count: 2 }
  const ways = [
    { name: 'a', deviceClassName: 'gold', ...two },
    { name: 'b', deviceClassName: 'gold', allocationMode: 'ExactCount', count: 1 },
    { name: 'c', deviceClassName: 'silver', allocationMode: 'All' },
  ]
  const hard = ['count/resourceclaims.resource.k8s.io', gold, silver, 'pods']
  assert.deepEqual(
    used(
      'resourceclaims.resource.k8s.io',
      { hard },
      claim(exactly('gold', two), exactly('gold', two)),
      claim({ name: 'r', firstAvailable: ways }, exactly('silver', { allocationMode: 'New' })),
    ),
    { [hard[0]!]: '2', [gold]: '6', [silver]: '32', pods: '0' },
  )
})
