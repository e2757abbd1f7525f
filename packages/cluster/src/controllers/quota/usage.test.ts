import assert from 'node:assert/strict'
import test from 'node:test'
import type { Pod, PodSpec, ResourceQuota } from 'kubewright/kinds/core/v1'
import {
  addUsage,
  claimUsage,
  matchesScopes,
  podUsage,
  serviceUsage,
  type Usage,
  usedOf,
} from './usage.ts'

const pod = (spec: Partial<PodSpec>, status: Pod['status'] = {}): Pod => ({
  metadata: { name: 'x' },
  spec: { containers: [], ...spec },
  status: status!,
})

const hard = {
  pods: '10',
  cpu: '4',
  'requests.cpu': '4',
  'limits.memory': '1Gi',
  'count/pods': '10',
}
const shown = (usage: Usage): Readonly<Record<string, string>> => usedOf(hard, usage)

test('pods are counted with what they ask for, and only in the store once they have ended', () => {
  const busy = pod({
    containers: [
      { name: 'a', resources: { requests: { cpu: '500m' }, limits: { memory: '256Mi' } } },
      { name: 'b', resources: { requests: { cpu: '1' }, limits: { memory: '256Mi' } } },
    ],
  })
  assert.deepEqual(shown(podUsage(busy)), {
    pods: '1',
    cpu: '1500m',
    'requests.cpu': '1500m',
    'limits.memory': '512Mi',
    'count/pods': '1',
  })
  const ended = pod(busy.spec, { phase: 'Succeeded' })
  assert.deepEqual(shown(podUsage(ended)), {
    pods: '0',
    cpu: '0',
    'requests.cpu': '0',
    'limits.memory': '0',
    'count/pods': '1',
  })
  assert.equal(shown(addUsage(podUsage(busy), podUsage(busy)))['cpu'], '3')
})

test('services and claims are counted by what they are', () => {
  const ports = [{ port: 80 }, { port: 443 }]
  const balanced = serviceUsage({ metadata: {}, spec: { type: 'LoadBalancer', ports } })
  assert.deepEqual(
    usedOf({ services: '', 'services.nodeports': '', 'services.loadbalancers': '' }, balanced),
    {
      services: '1',
      'services.nodeports': '2',
      'services.loadbalancers': '1',
    },
  )
  const claim = claimUsage({
    metadata: {},
    spec: { storageClassName: 'gold', resources: { requests: { storage: '5Gi' } } },
  })
  const gold = 'gold.storageclass.storage.k8s.io/requests.storage'
  assert.deepEqual(usedOf({ 'requests.storage': '', [gold]: '' }, claim), {
    'requests.storage': '5Gi',
    [gold]: '5Gi',
  })
})

test('scopes choose the pods', () => {
  const quota = (spec: ResourceQuota['spec']): ResourceQuota => ({ metadata: {}, spec: spec! })
  const plain = pod({}, { qosClass: 'BestEffort' })
  const urgent = pod(
    { priorityClassName: 'high', activeDeadlineSeconds: 5 },
    { qosClass: 'Burstable' },
  )
  const counts = (spec: ResourceQuota['spec']): readonly boolean[] =>
    [plain, urgent].map((it) => matchesScopes(quota(spec), it))
  assert.deepEqual(counts({}), [true, true])
  assert.deepEqual(counts({ scopes: ['BestEffort'] }), [true, false])
  assert.deepEqual(counts({ scopes: ['Terminating', 'NotBestEffort'] }), [false, true])
  const only = (operator: 'In' | 'NotIn', values: readonly string[]) =>
    counts({
      scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator, values }] },
    })
  assert.deepEqual(only('In', ['high']), [false, true])
  assert.deepEqual(only('NotIn', ['high']), [true, false])
})
