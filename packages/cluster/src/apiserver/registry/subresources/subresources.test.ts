import assert from 'node:assert/strict'
import test from 'node:test'
import { ApiError, type UnknownObject } from 'kubewright/machinery'
import { bindPod, checkBinding } from './binding.ts'
import { checkEviction, evictedStatus, planEviction } from './eviction.ts'
import type { Draft } from '../strategy.ts'
import { scaleOf } from './scale.ts'
import { planToken } from './token-request.ts'

// What is expected here is what kube-apiserver v1.36 answered.

const NOW = '2026-01-01T00:00:00Z'

const refusal = async (run: () => unknown): Promise<readonly [number, string]> => {
  try {
    await run()
  } catch (error) {
    if (error instanceof ApiError) return [error.code, error.message]
    throw error
  }
  return [0, '']
}

test('a scale tells replicas and the selector as text', () => {
  const meta = { name: 'sc', namespace: 'default', uid: 'u', resourceVersion: '5' }
  const object = {
    metadata: { ...meta, labels: { a: 'b' }, generation: 2 },
    spec: {
      replicas: 3,
      selector: {
        matchLabels: { b: 'x', a: 'y' },
        matchExpressions: [
          { key: 'c', operator: 'In', values: ['2', '1'] },
          { key: 'aa', operator: 'Exists' },
          { key: 'd', operator: 'DoesNotExist' },
          { key: 'e', operator: 'NotIn', values: ['z'] },
        ],
      },
    },
    status: { replicas: 2 },
  }
  assert.deepEqual(scaleOf(object), {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: meta,
    spec: { replicas: 3 },
    status: { replicas: 2, selector: 'a=y,aa,b=x,c in (1,2),!d,e notin (z)' },
  })
})

test('the scale of nothing leaves its replicas out, and a controller of old selects by labels', () => {
  const object = { metadata: {}, spec: { replicas: 0, selector: { b: 'x', a: 'y' } } }
  const { spec, status } = scaleOf(object) as unknown as Readonly<Record<string, object>>
  assert.deepEqual(spec, {})
  assert.deepEqual(status, { replicas: 0, selector: 'a=y,b=x' })
})

const POD: UnknownObject = {
  metadata: { name: 'bp', namespace: 'default', labels: { ev: '1' } },
  spec: { containers: [] },
  status: { phase: 'Pending', nominatedNodeName: 'z' },
} as UnknownObject

const bindingTo = (target: object, meta: object = { name: 'bp' }): UnknownObject =>
  ({ metadata: meta, target }) as UnknownObject

test('a binding puts a pod on a node, with what it says of labels and annotations', () => {
  const meta = { name: 'bp', annotations: { x: 'y' }, labels: { l: 'm' } }
  assert.deepEqual(bindPod(POD, bindingTo({ kind: 'Node', name: 'n' }, meta), NOW), {
    metadata: {
      name: 'bp',
      namespace: 'default',
      labels: { ev: '1', l: 'm' },
      annotations: { x: 'y' },
    },
    spec: { containers: [], nodeName: 'n' },
    status: {
      phase: 'Pending',
      conditions: [
        { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: NOW },
      ],
    },
  })
})

test('a binding is refused', async () => {
  const bind = (pod: UnknownObject, binding: UnknownObject): Promise<readonly [number, string]> =>
    refusal(() => {
      checkBinding(binding as unknown as Draft, 'bp')
      return bindPod(pod, binding, NOW)
    })
  assert.deepEqual(await bind(POD, bindingTo({ kind: 'Node', name: 'n' }, { name: 'zz' })), [
    400,
    'name in URL does not match name in Binding object',
  ])
  assert.deepEqual((await bind(POD, bindingTo({ kind: 'Pod', name: 'n' })))[0], 500)
  assert.deepEqual((await bind(POD, bindingTo({ kind: 'Node', name: '' })))[0], 500)
  const bound = { ...POD, spec: { nodeName: 'n' } } as UnknownObject
  assert.deepEqual(await bind(bound, bindingTo({ kind: 'Node', name: 'n' })), [
    409,
    'Operation cannot be fulfilled on pods/binding "bp": pod bp is already assigned to node "n"',
  ])
})

const budget = (name: string, status: object): UnknownObject =>
  ({
    metadata: { name, generation: 1 },
    spec: { minAvailable: 1, selector: { matchLabels: { ev: '1' } } },
    status,
  }) as UnknownObject

const RUNNING = {
  ...POD,
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
} as UnknownObject
test('an eviction spends a disruption of the budget', () => {
  const full = {
    observedGeneration: 1,
    disruptionsAllowed: 1,
    currentHealthy: 2,
    desiredHealthy: 1,
    expectedPods: 2,
  }
  const plan = planEviction(RUNNING, [budget('b1', full)], NOW)
  assert.deepEqual((plan.budget as unknown as { status: object }).status, {
    observedGeneration: 1,
    disruptedPods: { bp: NOW },
    disruptionsAllowed: 0,
    currentHealthy: 2,
    desiredHealthy: 1,
    expectedPods: 2,
    conditions: [
      {
        type: 'DisruptionAllowed',
        status: 'False',
        observedGeneration: 1,
        lastTransitionTime: NOW,
        reason: 'InsufficientPods',
        message: '',
      },
    ],
  })
})

test('an eviction is refused where a budget has nothing to give', async () => {
  const evict = (...budgets: readonly UnknownObject[]): Promise<readonly [number, string]> =>
    refusal(() => planEviction(RUNNING, budgets, NOW))
  const why = "Cannot evict pod as it would violate the pod's disruption budget."
  assert.deepEqual(await evict(budget('b1', {})), [429, why])
  const empty = budget('b1', { observedGeneration: 1, currentHealthy: 1, desiredHealthy: 1 })
  assert.deepEqual(await evict(empty), [429, why])
  assert.equal((await evict(empty, empty))[0], 500)
})

test('an eviction names its pod', async () => {
  const evict = (metadata: object): Promise<readonly [number, string]> =>
    refusal(() => checkEviction({ metadata } as Draft, 'bp'))
  const why = 'name in URL does not match name in Eviction object'
  assert.deepEqual(await evict({}), [400, why])
  assert.deepEqual(await evict({ name: 'other' }), [400, why])
})

test('an evicted pod says why it goes', () => {
  const { status } = evictedStatus(RUNNING, NOW) as unknown as Readonly<
    Record<string, { readonly conditions: readonly object[] }>
  >
  assert.deepEqual(status!.conditions[1], {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: NOW,
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  })
})

const ACCOUNT: UnknownObject = { metadata: { name: 'default', namespace: 'default', uid: 'u' } }
const ISSUER = {
  issuer: 'https://x',
  audiences: ['https://x'],
  now: Date.parse(NOW),
  jti: 'j',
  manager: 'm',
  maxSeconds: 0,
  extendExpiration: true,
}
const plan = (spec: object, meta: object = {}): ReturnType<typeof planToken> =>
  planToken(ACCOUNT, { metadata: meta, spec } as UnknownObject, ISSUER, async () => undefined)

test('a token is for whom and how long it was asked', async () => {
  const { claims, answer } = await plan({ audiences: ['a'], expirationSeconds: 700 })
  const start = Date.parse(NOW) / 1000
  assert.deepEqual(claims, {
    aud: ['a'],
    exp: start + 700,
    iat: start,
    iss: 'https://x',
    jti: 'j',
    'kubernetes.io': { namespace: 'default', serviceaccount: { name: 'default', uid: 'u' } },
    nbf: start,
    sub: 'system:serviceaccount:default:default',
  })
  assert.deepEqual((answer as unknown as { spec: object }).spec, {
    audiences: ['a'],
    expirationSeconds: 700,
    boundObjectRef: null,
  })
})

test('a token is refused', async () => {
  const head = 'TokenRequest.authentication.k8s.io'
  assert.deepEqual(await refusal(() => plan({ expirationSeconds: 5 })), [
    422,
    `${head} "" is invalid: spec.expirationSeconds: Invalid value: 5: may not specify a duration less than 10 minutes`,
  ])
  assert.deepEqual(await refusal(() => plan({}, { name: 'x' })), [
    422,
    `${head} "default" is invalid: metadata.name: Invalid value: "x": must match the service account name if specified`,
  ])
  const bound = (kind: string): object => ({
    boundObjectRef: { kind, apiVersion: 'v1', name: 'x' },
  })
  assert.deepEqual(await refusal(() => plan(bound('ConfigMap'))), [
    400,
    'cannot bind token to object of type /v1, Kind=ConfigMap',
  ])
  assert.deepEqual(await refusal(() => plan(bound('Pod'))), [404, 'pods "x" not found'])
})
