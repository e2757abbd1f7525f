import type { Sequence } from '../step.ts'

const MAPS = '/api/v1/namespaces/{ns}/configmaps'
const DEPLOYMENTS = '/apis/apps/v1/namespaces/{ns}/deployments'
const RULES = '/apis/differential.example.com/v1/namespaces/{ns}/rules'
const SERVICES = '/api/v1/namespaces/{ns}/services'

const map = { metadata: { name: 'a' }, data: { a: '1' } }
const held = { metadata: { name: 'a', finalizers: ['example.com/hold'] } }

const rule = (spec: object): object => ({
  apiVersion: 'differential.example.com/v1',
  kind: 'Rule',
  metadata: { name: 'a' },
  spec,
})

const deployment = {
  metadata: { name: 'a' },
  spec: {
    selector: { matchLabels: { app: 'a' } },
    template: {
      metadata: { labels: { app: 'a' } },
      spec: { containers: [{ name: 'main', image: 'nginx', ports: [{ containerPort: 80 }] }] },
    },
  },
}

/** Creates, updates, patches and deletes. */
export const WRITES: readonly Sequence[] = [
  {
    title: 'versions and uids that a write insists on',
    steps: [
      { id: 'a', ask: `POST ${MAPS}`, body: map },
      { id: 'b', ask: `PATCH ${MAPS}/a`, type: 'merge', body: { data: { a: '2' } } },
      { ask: `PUT ${MAPS}/a`, body: { metadata: { name: 'a', resourceVersion: '{rv:a}' } } },
      { ask: `PUT ${MAPS}/a`, body: { metadata: { name: 'a', resourceVersion: '{rv:b}' } } },
      { ask: `PUT ${MAPS}/a`, body: { metadata: { name: 'a', resourceVersion: 'x' } } },
      {
        ask: `PUT ${MAPS}/a`,
        body: { metadata: { name: 'a', uid: '44444444-4444-4444-8444-444444444444' } },
      },
      { ask: `PUT ${MAPS}/a`, body: { metadata: { name: 'b' } } },
      { ask: `PUT ${MAPS}/a`, body: { metadata: {} } },
      { ask: `POST ${MAPS}`, body: { metadata: { name: 'c', resourceVersion: '{rv:a}' } } },
      { ask: `POST ${MAPS}`, body: map },
    ],
  },
  {
    title: 'what finalizers hold, and how it goes',
    steps: [
      { id: 'a', ask: `POST ${MAPS}`, body: held },
      { ask: `DELETE ${MAPS}/a`, body: { propagationPolicy: 'Foreground' } },
      { ask: `DELETE ${MAPS}/a`, body: { propagationPolicy: 'Orphan' } },
      { ask: `POST ${MAPS}`, body: map },
      {
        ask: `PATCH ${MAPS}/a`,
        type: 'merge',
        body: { metadata: { finalizers: ['example.com/hold', 'example.com/new'] } },
      },
      { ask: `PATCH ${MAPS}/a`, type: 'merge', body: { metadata: { finalizers: null } } },
      { ask: `GET ${MAPS}/a` },
    ],
  },
  {
    title: 'preconditions, dry runs and odd options of deletes',
    steps: [
      { id: 'a', ask: `POST ${MAPS}`, body: map },
      { ask: `DELETE ${MAPS}/a`, body: { preconditions: { resourceVersion: '1' } } },
      { ask: `DELETE ${MAPS}/a?dryRun=All` },
      { ask: `DELETE ${MAPS}/a?propagationPolicy=Sideways` },
      { ask: `DELETE ${MAPS}/a`, body: { orphanDependents: true, propagationPolicy: 'Orphan' } },
      { ask: `DELETE ${MAPS}/a`, body: { gracePeriodSeconds: -5 } },
      { ask: `DELETE ${MAPS}/a`, body: { preconditions: { uid: '{uid:a}' } } },
      { ask: `DELETE ${MAPS}/a` },
      { ask: `DELETE ${MAPS}` },
    ],
  },
  {
    title: 'fields that nobody knows, and fields that come twice',
    steps: [
      { ask: `POST ${MAPS}`, body: '{"metadata":{"name":"a"},"data":{"a":"1","a":"2"},"more":1}' },
      {
        ask: `POST ${MAPS}?fieldValidation=Strict`,
        body: '{"metadata":{"name":"b"},"data":{"a":"1","a":"2"},"more":1}',
      },
      { ask: `POST ${MAPS}?fieldValidation=Ignore`, body: '{"metadata":{"name":"c"},"more":1}' },
      { ask: `PATCH ${MAPS}/a?fieldValidation=Strict`, type: 'merge', body: { spec: { a: 1 } } },
      { ask: `PATCH ${MAPS}/a`, type: 'jsonpatch', body: [{ op: 'add', path: '/odd', value: 1 }] },
      { ask: `POST ${MAPS}?fieldValidation=Perhaps`, body: map },
      { ask: `POST ${RULES}?fieldValidation=Strict`, body: rule({ nope: 1 }) },
      { ask: `POST ${RULES}`, body: rule({ nope: 1, max: 3 }) },
    ],
  },
  {
    title: 'strategic patches by merge key, and their directives',
    steps: [
      { ask: `POST ${DEPLOYMENTS}`, body: deployment },
      {
        ask: `PATCH ${DEPLOYMENTS}/a`,
        type: 'strategic',
        body: {
          spec: {
            template: {
              spec: {
                containers: [
                  { name: 'main', ports: [{ containerPort: 81 }] },
                  { name: 'side', image: 's' },
                ],
              },
            },
          },
        },
      },
      {
        ask: `PATCH ${DEPLOYMENTS}/a`,
        type: 'strategic',
        body: {
          spec: { template: { spec: { containers: [{ name: 'side', $patch: 'delete' }] } } },
        },
      },
      {
        ask: `PATCH ${DEPLOYMENTS}/a`,
        type: 'strategic',
        body: { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } },
      },
      {
        ask: `PATCH ${DEPLOYMENTS}/a`,
        type: 'strategic',
        body: { spec: { selector: { matchLabels: { more: 'x' } } } },
      },
    ],
  },
  {
    title: 'JSON patches that fail, and what they say',
    steps: [
      { ask: `POST ${MAPS}`, body: map },
      {
        ask: `PATCH ${MAPS}/a`,
        type: 'jsonpatch',
        body: [{ op: 'test', path: '/data/a', value: '2' }],
      },
      { ask: `PATCH ${MAPS}/a`, type: 'jsonpatch', body: [{ op: 'remove', path: '/data/none' }] },
      { ask: `PATCH ${MAPS}/a`, type: 'jsonpatch', body: { op: 'remove', path: '/data' } },
      { ask: `PATCH ${MAPS}/a`, type: 'jsonpatch', body: '[{' },
      {
        ask: `PATCH ${MAPS}/a`,
        type: 'jsonpatch',
        body: [{ op: 'replace', path: '/data/a', value: 5 }],
      },
      {
        ask: `PATCH ${MAPS}/a`,
        type: 'jsonpatch',
        body: [{ op: 'move', from: '/data/a', path: '/data/b' }],
      },
    ],
  },
  {
    title: 'rules of a custom kind: transitions, ratcheting, messages',
    steps: [
      { ask: `POST ${RULES}`, body: rule({ min: 5, max: 3 }) },
      { ask: `POST ${RULES}`, body: rule({ max: 3, frozen: 'a', grows: 4, names: ['a'] }) },
      { ask: `PATCH ${RULES}/a`, type: 'merge', body: { spec: { frozen: 'b', grows: 1 } } },
      { ask: `PATCH ${RULES}/a`, type: 'merge', body: { spec: { names: ['b', 'a'] } } },
      { ask: `PATCH ${RULES}/a`, type: 'merge', body: { spec: { once: 'x' } } },
      { ask: `PATCH ${RULES}/a`, type: 'merge', body: { spec: { once: 'y' } } },
      { ask: `PATCH ${RULES}/a`, type: 'merge', body: { spec: { one: {} } } },
      { ask: `PATCH ${RULES}/a`, type: 'merge', body: { spec: { pattern: 'bad' } } },
      { ask: `PATCH ${RULES}/a`, type: 'merge', body: { spec: null } },
    ],
  },
  {
    title: 'a service from one type to another',
    steps: [
      {
        ask: `POST ${SERVICES}`,
        body: { metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } },
      },
      { ask: `PATCH ${SERVICES}/a`, type: 'merge', body: { spec: { type: 'NodePort' } } },
      { ask: `PATCH ${SERVICES}/a`, type: 'merge', body: { spec: { type: 'LoadBalancer' } } },
      {
        ask: `PATCH ${SERVICES}/a/status`,
        type: 'merge',
        body: { status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } },
      },
      {
        ask: `PATCH ${SERVICES}/a`,
        type: 'merge',
        body: { spec: { type: 'ExternalName', externalName: 'example.com' } },
      },
      { ask: `PATCH ${SERVICES}/a`, type: 'merge', body: { spec: { clusterIP: 'None' } } },
      { ask: `GET ${SERVICES}/a`, accept: 'table' },
    ],
  },
]
