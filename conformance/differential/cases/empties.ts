import type { Sequence } from '../step.ts'

const MAPS = '/api/v1/namespaces/{ns}/configmaps'
const SECRETS = '/api/v1/namespaces/{ns}/secrets'
const CLAIMS = '/api/v1/namespaces/{ns}/persistentvolumeclaims'
const PODS = '/api/v1/namespaces/{ns}/pods'
const SETS = '/apis/apps/v1/namespaces/{ns}/replicasets'
const POLICIES = '/apis/networking.k8s.io/v1/namespaces/{ns}/networkpolicies'
const JOBS = '/apis/batch/v1/namespaces/{ns}/jobs'
const CLASSES = '/apis/resource.k8s.io/v1/deviceclasses'
const DEVICE_CLAIMS = '/apis/resource.k8s.io/v1/namespaces/{ns}/resourceclaims'
const WIDGETS = '/apis/differential.example.com/v1/namespaces/{ns}/widgets'

const config = [{ opaque: { driver: 'd.example.com', parameters: { b: 1, a: 2 } } }]
const deviceClass = { metadata: { name: 'a-{x}' }, spec: { config } }
const requests = [{ name: 'r', exactly: { deviceClassName: 'class.example.com' } }]
const deviceClaim = { metadata: { name: 'a' }, spec: { devices: { requests, config } } }

const set = {
  metadata: { name: 'a' },
  spec: {
    selector: { matchLabels: { app: 'a' } },
    template: {
      metadata: { labels: {} },
      spec: { containers: [{ name: 'main', image: 'nginx' }] },
    },
  },
}

const claim = (requests: object): object => ({
  metadata: { name: 'a' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests } },
})

const widget = (metadata: object): object => ({
  apiVersion: 'differential.example.com/v1',
  kind: 'Widget',
  metadata: { name: 'a', ...metadata },
  spec: { color: 'red' },
})

/** What came empty, and what was not there: no answer shows the difference, but what is said and done of them does. */
export const EMPTIES: readonly Sequence[] = [
  {
    title: 'refusals quote an empty map as it came',
    steps: [
      { ask: `POST ${SETS}`, body: set },
      { ask: `POST ${CLAIMS}`, body: claim({ storage: '1Gi' }) },
      { ask: `PUT ${CLAIMS}/a`, body: claim({}) },
      {
        ask: `PATCH ${CLAIMS}/a`,
        type: 'strategic',
        body: { spec: { resources: { requests: { storage: null } } } },
      },
      {
        ask: 'POST /api/v1/persistentvolumes',
        body: {
          metadata: { name: 'a-{x}' },
          spec: { accessModes: ['ReadWriteOnce'], capacity: {}, hostPath: { path: '/tmp/a' } },
        },
      },
    ],
  },
  {
    title: 'an empty command of a pod is one',
    steps: [
      {
        ask: `POST ${PODS}`,
        body: {
          metadata: { name: 'a' },
          spec: { containers: [{ name: 'main', image: 'nginx' }] },
        },
      },
      {
        ask: `PATCH ${PODS}/a?fieldManager=one`,
        type: 'apply',
        body: {
          apiVersion: 'v1',
          kind: 'Pod',
          spec: {
            containers: [{ name: 'main', lifecycle: { preStop: { exec: { command: [] } } } }],
          },
        },
      },
    ],
  },
  {
    title: 'what cannot change is empty bytes, but not empty data',
    steps: [
      { ask: `POST ${MAPS}`, body: { metadata: { name: 'a' }, immutable: true } },
      { ask: `PUT ${MAPS}/a`, body: { metadata: { name: 'a' }, immutable: true, data: {} } },
      { ask: `PUT ${MAPS}/a`, body: { metadata: { name: 'a' }, immutable: true, binaryData: {} } },
      { ask: `POST ${SECRETS}`, body: { metadata: { name: 'a' }, immutable: true } },
      { ask: `PUT ${SECRETS}/a`, body: { metadata: { name: 'a' }, immutable: true, data: {} } },
    ],
  },
  {
    title: 'an empty list of rules is a change of a policy',
    steps: [
      { ask: `POST ${POLICIES}`, body: { metadata: { name: 'a' } } },
      { ask: `PATCH ${POLICIES}/a`, type: 'merge', body: { spec: { ingress: [] } } },
      { ask: `PATCH ${POLICIES}/a`, type: 'merge', body: { spec: { ingress: [] } } },
      { ask: `PATCH ${POLICIES}/a`, type: 'merge', body: {} },
    ],
  },
  {
    title: 'quantities are equal by their value',
    steps: [
      { ask: `POST ${CLAIMS}`, body: claim({ storage: '1Gi' }) },
      { ask: `PUT ${CLAIMS}/a`, body: claim({ storage: '1073741824' }) },
      { ask: `PUT ${CLAIMS}/a`, body: claim({ storage: '1073741825' }) },
      {
        ask: `PATCH ${CLAIMS}/a`,
        type: 'merge',
        body: { spec: { volumeName: 'pv', accessModes: ['ReadWriteMany'] } },
      },
    ],
  },
  {
    title: 'a custom resource is stored as it was applied, and read without what is empty',
    steps: [
      {
        ask: `PATCH ${WIDGETS}/a?fieldManager=one`,
        type: 'apply',
        body: widget({ annotations: {}, labels: { tier: null } }),
      },
      { ask: `GET ${WIDGETS}/a` },
      { ask: `PATCH ${WIDGETS}/a`, type: 'merge', body: {} },
      { ask: `PATCH ${WIDGETS}/a`, type: 'merge', body: {} },
      {
        ask: `PATCH ${WIDGETS}/a?fieldManager=one&dryRun=All`,
        type: 'apply',
        body: widget({ annotations: {} }),
      },
    ],
  },
  {
    title: 'what an update removes is not read again',
    steps: [
      {
        ask: `POST ${JOBS}`,
        body: {
          metadata: { name: 'a' },
          spec: {
            template: {
              spec: { containers: [{ name: 'main', image: 'nginx' }], restartPolicy: 'Never' },
            },
          },
        },
      },
      { ask: `DELETE ${JOBS}/a` },
      { ask: `PUT ${JOBS}/a/status`, body: { metadata: { name: 'a' } } },
      { ask: `GET ${JOBS}/a` },
      { ask: `POST ${MAPS}`, body: { metadata: { name: 'a' } } },
      { ask: `PATCH ${MAPS}/a?dryRun=All`, type: 'merge', body: { metadata: { selfLink: '/x' } } },
      { ask: `PATCH ${MAPS}/a`, type: 'merge', body: { metadata: { selfLink: '/x' } } },
    ],
  },
  {
    title: 'raw data is in the order in which it came, until somebody merges it',
    steps: [
      { ask: `POST ${CLASSES}`, body: deviceClass },
      {
        ask: `PATCH ${CLASSES}/a-{x}?fieldManager=two`,
        type: 'apply',
        body: { apiVersion: 'resource.k8s.io/v1', kind: 'DeviceClass' },
      },
      { ask: `POST ${DEVICE_CLAIMS}`, body: deviceClaim },
      { ask: `PATCH ${DEVICE_CLAIMS}/a`, type: 'merge', body: {} },
      { ask: `PATCH ${DEVICE_CLAIMS}/a`, type: 'strategic', body: {} },
    ],
  },
]
