import assert from 'node:assert/strict'
import test from 'node:test'
import { ApiError, type UnknownObject } from 'kubewright/machinery'
import {
  BARE_WORLD,
  contextOf,
  created,
  resourceNamed,
  type World,
} from '../registry/testing/harness.ts'
import type { Draft } from '../registry/strategy.ts'
import type { AdmissionRequest } from './admission.ts'
import { ADMISSION_PLUGINS } from './plugins.ts'
import { SYSTEM_PRIORITY_CLASSES } from './priority.ts'

// What is expected here is what kube-apiserver v1.36 answered.

const container = (resources?: object): object => ({
  name: 'c',
  image: 'i',
  ...(resources ? { resources } : {}),
})
const pod = (name: string, spec: object = {}, meta: object = {}): object => ({
  metadata: { name, ...meta },
  spec: { containers: [container()], ...spec },
})
const inDefault = (name: string, rest: object = {}): UnknownObject =>
  ({ metadata: { name, namespace: 'default' }, ...rest }) as UnknownObject

async function admitted(kind: string, input: object, world: World = {}): Promise<Draft> {
  const resource = resourceNamed(kind)
  const { object, errors } = await created(
    resource,
    input,
    contextOf(resource, { ...BARE_WORLD, ...world }),
  )
  assert.deepEqual(errors, [])
  return object
}

async function refused(kind: string, input: object, world: World = {}): Promise<ApiError> {
  try {
    await admitted(kind, input, world)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('It was let in.')
}

const specOf = (it: Draft): Readonly<Record<string, unknown>> =>
  it['spec'] as Readonly<Record<string, unknown>>

test('nothing new comes into a namespace that is not there, or going', async () => {
  const config = { metadata: { name: 'x' } }
  const absent = await refused('v1/configmaps', config, { '/namespaces': [] })
  assert.deepEqual([absent.code, absent.message], [404, 'namespaces "default" not found'])
  const going = {
    metadata: { name: 'default', deletionTimestamp: '2026-01-01T00:00:00Z' },
    status: { phase: 'Terminating' },
  } as UnknownObject
  const error = await refused('v1/configmaps', config, { '/namespaces': [going] })
  assert.equal(
    error.message,
    'configmaps "x" is forbidden: unable to create new content in namespace default because it is being terminated',
  )
  assert.deepEqual(error.status.details?.causes, [
    {
      reason: 'NamespaceTerminating',
      message: 'namespace default is being terminated',
      field: 'metadata.namespace',
    },
  ])
})

test('the namespaces of a cluster itself stay', async () => {
  const resource = resourceNamed('v1/namespaces')
  const request: AdmissionRequest = {
    operation: 'DELETE',
    subresource: '',
    name: 'kube-system',
    options: { metadata: {} },
    context: contextOf(resource, BARE_WORLD),
  }
  const plugin = ADMISSION_PLUGINS.find((it) => it.name === 'NamespaceLifecycle')!
  assert.ok(plugin.handles(request))
  await assert.rejects(
    async () => {
      await plugin.admit?.(request)
      await plugin.validate?.(request)
    },
    { message: 'namespaces "kube-system" is forbidden: this namespace may not be deleted' },
  )
})

test('a pod takes after its service account', async () => {
  const account = inDefault('default', { imagePullSecrets: [{ name: 'reg' }] })
  const spec = specOf(await admitted('v1/pods', pod('p'), { '/serviceaccounts': [account] }))
  assert.equal(spec['serviceAccountName'], 'default')
  assert.deepEqual(spec['imagePullSecrets'], [{ name: 'reg' }])
  assert.equal((spec['volumes'] as readonly object[]).length, 1)
  const closed = specOf(
    await admitted('v1/pods', pod('p', { automountServiceAccountToken: false })),
  )
  assert.equal(closed['volumes'], undefined)
})

test('a pod needs its service account', async () => {
  const error = await refused('v1/pods', pod('p', { serviceAccountName: 'nope' }))
  assert.equal(
    error.message,
    'pods "p" is forbidden: error looking up service account default/nope: serviceaccount "nope" not found',
  )
  const mirror = { annotations: { 'kubernetes.io/config.mirror': 'x' } }
  assert.equal(
    (await refused('v1/pods', pod('m', { nodeName: 'n', serviceAccountName: 'default' }, mirror)))
      .message,
    'pods "m" is forbidden: a mirror pod may not reference service accounts',
  )
})

const RANGE = {
  '/limitranges': [
    inDefault('l', {
      spec: {
        limits: [
          {
            type: 'Container',
            max: { cpu: '1' },
            min: { cpu: '100m' },
            default: { cpu: '500m' },
            defaultRequest: { cpu: '200m' },
            maxLimitRequestRatio: { cpu: '4' },
          },
          { type: 'Pod', max: { memory: '1Gi' } },
          { type: 'PersistentVolumeClaim', max: { storage: '5Gi' }, min: { storage: '1Gi' } },
        ],
      },
    }),
  ],
}

test('a range fills in what containers take', async () => {
  const input = pod('q', { containers: [container({ limits: { memory: '1Gi' } })] })
  const object = await admitted('v1/pods', input, RANGE)
  assert.deepEqual(object.metadata.annotations, {
    'kubernetes.io/limit-ranger':
      'LimitRanger plugin set: cpu request for container c; cpu limit for container c',
  })
  const [filled] = specOf(object)['containers'] as readonly { readonly resources: object }[]
  assert.deepEqual(filled!.resources, {
    limits: { cpu: '500m', memory: '1Gi' },
    requests: { cpu: '200m', memory: '1Gi' },
  })
})

const claim = (name: string, storage: string): object => ({
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
})

test('a range bounds what pods and claims take', async () => {
  const messages = [
    await refused('v1/pods', pod('q2'), RANGE),
    await refused(
      'v1/pods',
      pod('q3', {
        containers: [container({ limits: { memory: '2Gi', cpu: '2' }, requests: { cpu: '10m' } })],
      }),
      RANGE,
    ),
    await refused('v1/persistentvolumeclaims', claim('big', '6Gi'), RANGE),
    await refused('v1/persistentvolumeclaims', claim('small', '1Mi'), RANGE),
  ].map((it) => it.message)
  assert.deepEqual(messages, [
    'pods "q2" is forbidden: maximum memory usage per Pod is 1Gi.  No limit is specified',
    'pods "q3" is forbidden: [minimum cpu usage per Container is 100m, but request is 10m, maximum cpu usage per Container is 1, but limit is 2, cpu max limit to request ratio per Container is 4, but provided ratio is 200.000000, maximum memory usage per Pod is 1Gi, but limit is 2Gi]',
    'persistentvolumeclaims "big" is forbidden: maximum storage usage per PersistentVolumeClaim is 5Gi, but request is 6Gi',
    'persistentvolumeclaims "small" is forbidden: minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi',
  ])
})

test('a claim is protected, and is of the default class', async () => {
  const marked = { 'storageclass.kubernetes.io/is-default-class': 'true' }
  const object = await admitted('v1/persistentvolumeclaims', claim('ok', '2Gi'), {
    'storage.k8s.io/storageclasses': [
      { metadata: { name: 'plain' } },
      { metadata: { name: 'usual', annotations: marked } },
    ],
  })
  assert.deepEqual(object.metadata.finalizers, ['kubernetes.io/pvc-protection'])
  assert.equal(specOf(object)['storageClassName'], 'usual')
})

const CLASSES = 'scheduling.k8s.io/priorityclasses'

test('a pod has the priority of its class', async () => {
  const critical = pod('pp', { priorityClassName: 'system-node-critical' })
  const spec = specOf(await admitted('v1/pods', critical, { [CLASSES]: SYSTEM_PRIORITY_CLASSES }))
  assert.deepEqual(
    [spec['priority'], spec['preemptionPolicy']],
    [2000001000, 'PreemptLowerPriority'],
  )
  const usual = {
    metadata: { name: 'dflt' },
    value: 9,
    globalDefault: true,
    preemptionPolicy: 'Never',
  } as UnknownObject
  const own = specOf(await admitted('v1/pods', pod('pp'), { [CLASSES]: [usual] }))
  assert.deepEqual(
    [own['priority'], own['preemptionPolicy'], own['priorityClassName']],
    [9, 'Never', 'dflt'],
  )
  const second = { metadata: { name: 'dflt2' }, value: 9, globalDefault: true }
  assert.equal(
    (await refused('scheduling.k8s.io/v1/priorityclasses', second, { [CLASSES]: [usual] })).message,
    'priorityclasses.scheduling.k8s.io "dflt2" is forbidden: PriorityClass dflt is already marked as default. Only one default can exist',
  )
})

test('a pod gives its class, not its priority', async () => {
  const unknown = await refused('v1/pods', pod('pp', { priorityClassName: 'zz' }))
  assert.equal(unknown.message, 'pods "pp" is forbidden: no PriorityClass with name zz was found')
  assert.equal(
    (await refused('v1/pods', pod('pp', { priority: 7 }))).message,
    'pods "pp" is forbidden: the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
  )
})

test('a pod bears failing nodes for a while, and a new node is tainted', async () => {
  const all = [{ operator: 'Exists' }]
  assert.deepEqual(
    specOf(await admitted('v1/pods', pod('p', { tolerations: all })))['tolerations'],
    all,
  )
  const usual = specOf(await admitted('v1/pods', pod('p')))['tolerations'] as readonly object[]
  assert.equal(usual.length, 2)
  const node = await admitted('v1/nodes', { metadata: { name: 'n' } })
  assert.deepEqual(specOf(node)['taints'], [
    { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
  ])
})

test('labels of pod security must make sense', async () => {
  const labels = {
    'pod-security.kubernetes.io/enforce': 'x',
    'pod-security.kubernetes.io/warn-version': '1.2',
  }
  assert.equal(
    (await refused('v1/namespaces', { metadata: { name: 'bad', labels } })).message,
    'Namespace "bad" is invalid: [metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "x": must be one of privileged, baseline, restricted, metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "1.2": must be "latest" or "v1.x"]',
  )
})

test('quotas come last', () => {
  assert.equal(ADMISSION_PLUGINS.at(-1)?.name, 'ResourceQuota')
})
