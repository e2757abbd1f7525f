import type { Sequence, Step } from '../step.ts'

const PODS = '/api/v1/namespaces/{ns}/pods'
const SHAPES = '/apis/differential.example.com/v2/shapes'
const MAPS = '/api/v1/namespaces/{ns}/configmaps'
const SECRETS = '/api/v1/namespaces/{ns}/secrets'
const RANGES = '/api/v1/namespaces/{ns}/limitranges'
const BUDGETS = '/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets'
const INGRESSES = '/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses'
const SETS = '/apis/apps/v1/namespaces/{ns}/replicasets'
const DEPLOYMENTS = '/apis/apps/v1/namespaces/{ns}/deployments'
const REVISIONS = '/apis/apps/v1/namespaces/{ns}/controllerrevisions'
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/{ns}/leases'
const RULES = '/apis/differential.example.com/v1/namespaces/{ns}/rules'
const LOOSES = '/apis/differential.example.com/v1alpha1/looses'
const WIDGETS = '/apis/differential.example.com/v1/namespaces/{ns}/widgets'
const EVENTS = '/apis/events.k8s.io/v1/namespaces/{ns}/events'
const SCALERS = 'namespaces/{ns}/horizontalpodautoscalers'

const SELECTED = {
  selector: { matchLabels: { app: 'a' } },
  template: {
    metadata: { labels: { app: 'a' } },
    spec: { containers: [{ name: 'main', image: 'nginx' }] },
  },
}

const named = (more: object = {}): object => ({ metadata: { name: 'a' }, ...more })

const strategic = (path: string, body: unknown): Step => ({
  ask: `PATCH ${path}/a`,
  type: 'strategic',
  body,
})

const merge = (path: string, body: unknown, query = ''): Step => ({
  ask: `PATCH ${path}/a${query}`,
  type: 'merge',
  body,
})

const event = {
  eventTime: '2020-01-01T00:00:00.000000Z',
  type: 'Normal',
  reason: 'R',
  action: 'A',
  reportingController: 'example.com/c',
  reportingInstance: 'c-1',
  regarding: { kind: 'Pod', name: 'a', namespace: '{ns}' },
}

const shape = (spec: unknown): object => ({
  apiVersion: 'differential.example.com/v2',
  kind: 'Shape',
  metadata: { name: 'a-{x}' },
  ...(spec === undefined ? {} : { spec }),
})

const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'a' } }

/** Values of the wrong type, bodies that do not say what they are, and who says what of them. */
export const MISFITS: readonly Sequence[] = [
  {
    title: 'strategic patches are converted, not decoded',
    steps: [
      { ask: `POST ${SECRETS}`, body: named() },
      strategic(SECRETS, { data: { z: '9' } }),
      strategic(SECRETS, { data: { z: 5 } }),
      strategic(SECRETS, { type: 5 }),
      { ask: `POST ${RANGES}`, body: named() },
      strategic(RANGES, { spec: { limits: [{ max: 'a b' }] } }),
      { ask: `POST ${SETS}`, body: named({ spec: SELECTED }) },
      strategic(SETS, { spec: { selector: { matchLabels: 1.5 } } }),
      strategic(SETS, { spec: { template: { metadata: { labels: { app: 1.5 } } } } }),
      strategic(SETS, { spec: { template: { spec: { containers: 7 } } } }),
      strategic(SETS, { spec: { replicas: 1.5 } }),
      strategic(SETS, { spec: { replicas: 4294967298 } }),
      { ask: `POST ${BUDGETS}`, body: named({ spec: { minAvailable: 1 } }) },
      strategic(BUDGETS, { spec: { minAvailable: {} } }),
      {
        ask: `POST ${INGRESSES}`,
        body: named({ spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } }),
      },
      strategic(INGRESSES, {
        spec: { defaultBackend: { service: { port: { number: 2147483648 } } } },
      }),
    ],
  },
  {
    title: 'what a patch leaves unknown is told by its text, or in the order of what it wrote',
    steps: [
      { ask: `POST ${MAPS}`, body: named() },
      strategic(MAPS, { unknownField: 1, spec: {} }),
      merge(MAPS, { zeta: 1, alpha: 2, metadata: { z: 1, a: 2 } }),
      {
        ask: `PATCH ${MAPS}/a`,
        type: 'jsonpatch',
        body: [
          { op: 'add', path: '/data', value: ['x'] },
          { op: 'copy', from: '/metadata/name', path: '/metadata/labels' },
        ],
      },
      { ask: `POST ${REVISIONS}`, body: named({ data: { spec: { a: 1 } } }) },
      merge(REVISIONS, { data: { b: [1, 'x'] } }),
    ],
  },
  {
    title: 'patches that are none',
    steps: [
      { ask: `POST ${MAPS}`, body: named() },
      merge(MAPS, '[1,null,{"a":null}]', '?fieldValidation=Ignore'),
      merge(MAPS, '"x"', '?fieldValidation=Ignore'),
      merge(MAPS, '[]'),
      { ask: `PATCH ${MAPS}/a?fieldValidation=Ignore`, type: 'jsonpatch', body: '{' },
      { ask: `PATCH ${MAPS}/a`, type: 'jsonpatch', body: '{' },
      { ask: `PATCH ${MAPS}/a`, type: 'jsonpatch', body: [1] },
      { ask: `PATCH ${MAPS}/a?fieldValidation=Ignore`, type: 'jsonpatch', body: [1] },
      { ask: `PATCH ${MAPS}/a?fieldManager=one`, type: 'apply', body: '{' },
      { ask: `PATCH ${MAPS}/a?fieldManager=one`, type: 'apply', body: '{"a":{"b":1}' },
      { ask: `PATCH ${MAPS}/a?fieldManager=one`, type: 'apply', body: '{"a":"b' },
      { ask: `PATCH ${MAPS}/a?fieldManager=one`, type: 'apply', body: 'a: [' },
    ],
  },
  {
    title: 'what apply merged is converted field by field',
    steps: [
      {
        ask: `PATCH ${LEASES}/a?fieldManager=one`,
        type: 'apply',
        body: {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          spec: { renewTime: '2020-01-01T02:00:00+02:00', acquireTime: '2020-01-01T00:00:00Z' },
        },
      },
      {
        ask: `POST /apis/autoscaling/v2/${SCALERS}`,
        body: named({
          spec: {
            scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
            maxReplicas: 3,
          },
        }),
      },
      {
        ask: `PATCH /apis/autoscaling/v1/${SCALERS}/a?fieldManager=two`,
        type: 'apply',
        body: {
          apiVersion: 'autoscaling/v1',
          kind: 'HorizontalPodAutoscaler',
          spec: { scaleTargetRef: { name: 'e' } },
        },
      },
      {
        ask: `POST ${RULES}`,
        accept: 'tableonly',
        body: {
          apiVersion: 'differential.example.com/v1',
          kind: 'Rule',
          metadata: { name: 'a' },
          spec: { max: 5, until: ['forever'] },
        },
      },
    ],
  },
  {
    title: 'custom resources that do not say what they are',
    steps: (['Ignore', 'Warn', 'Strict'] as const).flatMap((level) =>
      [
        { apiVersion: null, kind: 'Rule', metadata: { name: 'a' } },
        { apiVersion: 'x/v3', metadata: { name: 'a' } },
        { metadata: { name: 'a' } },
        { kind: 'Rule', metadata: { name: 'a' } },
        '{"apiVersion":-1,"kind":"Rule","metadata":{"name":"b","name":"a"}}',
        '{"apiVersion":"x/v1","kind":"Rule","metadata":{"name":"b","name":"a"}}',
      ].map((body) => ({ ask: `POST ${RULES}?fieldValidation=${level}`, body })),
    ),
  },
  {
    title: 'namespaces of what is in none',
    steps: [
      { ask: `GET ${LOOSES}?fieldSelector=metadata.namespace%3D{ns}` },
      {
        ask: `WATCH ${LOOSES}?watch=true&resourceVersion=x&fieldSelector=metadata.namespace%3D{ns}`,
      },
      { ask: 'GET /api/v1/nodes?fieldSelector=metadata.namespace%3D{ns}' },
      { ask: 'GET /api/v1/persistentvolumes?fieldSelector=metadata.namespace%3D{ns}' },
      { ask: 'GET /api/v1/namespaces/{ns}/endpoints', accept: 'text/plain' },
      { ask: 'GET /api/v1/namespaces/{ns}/endpoints' },
    ],
  },
  {
    title: 'scales that are read and patched as others are',
    steps: [
      { ask: `POST ${DEPLOYMENTS}`, body: named({ spec: SELECTED }) },
      { ask: `PATCH ${DEPLOYMENTS}/a/scale`, type: 'strategic', body: { $patch: 'frobnicate' } },
      {
        ask: `PATCH ${DEPLOYMENTS}/a/scale`,
        type: 'strategic',
        body: { metadata: { '$deleteFromPrimitiveList/finalizers': [] } },
      },
      { ask: `PATCH ${DEPLOYMENTS}/a/scale`, type: 'strategic', body: { spec: { replicas: 1.5 } } },
      {
        ask: `PATCH ${WIDGETS}/a?fieldManager=one`,
        type: 'apply',
        body: {
          apiVersion: 'differential.example.com/v1',
          kind: 'Widget',
          metadata: { name: 'a' },
          spec: { color: 'red' },
        },
      },
      { ask: `PATCH ${WIDGETS}/a/scale?fieldManager=one`, type: 'apply', body: scale },
      { ask: `PATCH ${WIDGETS}/a/scale`, type: 'strategic', accept: 'text/plain', body: {} },
      {
        ask: `PUT ${WIDGETS}/a/scale`,
        accept: 'metadatalist',
        body: { ...scale, spec: { replicas: 2 } },
      },
      { ask: `GET ${WIDGETS}/a/scale`, accept: 'table' },
    ],
  },
  {
    title: 'labels of events, by either name',
    steps: [
      { ask: `POST ${EVENTS}`, body: { metadata: { name: 'a' }, ...event } },
      merge(EVENTS, { metadata: { labels: { 'bad key': 'a' } }, reason: 'S' }),
      merge(EVENTS.replace('apis/events.k8s.io', 'api'), {
        metadata: { labels: { 'bad key': 'a' } },
      }),
    ],
  },
  {
    title: 'what binds and evicts must say whom, before anybody looks for him',
    steps: [
      { ask: `POST ${PODS}/a/binding`, body: {} },
      { ask: `POST ${PODS}/a/binding`, body: { metadata: { name: 'a' } } },
      { ask: `POST ${PODS}/a/binding`, body: { metadata: { name: 'a' }, target: { kind: 'Pod' } } },
      { ask: `POST ${PODS}/a/eviction`, body: {} },
      { ask: `POST ${PODS}/a/eviction`, body: { metadata: { name: 'a' } } },
    ],
  },
  {
    title: 'a version that drops what it does not know',
    steps: [
      { ask: `POST ${SHAPES}?dryRun=All`, body: shape({}) },
      { ask: `POST ${SHAPES}`, body: shape({}) },
      { ask: `PATCH ${SHAPES}/a-{x}?fieldManager=one`, type: 'apply', body: shape(undefined) },
      { ask: `PATCH ${SHAPES}/a-{x}?dryRun=All`, type: 'merge', body: {} },
      {
        ask: `PATCH ${SHAPES}/a-{x}?fieldManager=one`,
        type: 'apply',
        body: shape({ extra: { on: true } }),
      },
      { ask: `GET ${SHAPES.replace('/v2/', '/v1/')}/a-{x}` },
    ],
  },
  {
    title: 'patches after which an object says no more what it is',
    steps: [
      {
        ask: `POST ${RULES}`,
        body: {
          apiVersion: 'differential.example.com/v1',
          kind: 'Rule',
          metadata: { name: 'a' },
          spec: { max: 5, pattern: 'a' },
        },
      },
      {
        ask: `PATCH ${RULES}/a`,
        type: 'jsonpatch',
        body: [{ op: 'replace', path: '/apiVersion', value: null }],
      },
      { ask: `POST ${MAPS}`, body: named({ data: { a: 'x > y & z' } }) },
      {
        ask: `PATCH ${MAPS}/a`,
        type: 'jsonpatch',
        body: [{ op: 'add', path: '/data/b', value: 5 }],
      },
      merge(MAPS, { apiVersion: '', kind: 'Such' }),
    ],
  },
  {
    title: 'what is wrong with a CSI node, an attachment, a claim for devices and a policy',
    steps: [
      {
        ask: 'POST /apis/storage.k8s.io/v1/csinodes',
        body: {
          metadata: { name: 'a-{x}' },
          spec: { drivers: [{ name: 'd.example.com', nodeID: 'n' }] },
        },
      },
      {
        ask: 'PATCH /apis/storage.k8s.io/v1/csinodes/a-{x}',
        type: 'strategic',
        body: { spec: { drivers: [{ name: 'd.example.com', topologyKeys: ['zone'] }] } },
      },
      {
        ask: 'PATCH /apis/storage.k8s.io/v1/csinodes/a-{x}',
        type: 'merge',
        accept: 'table',
        body: { spec: { drivers: null } },
      },
      {
        ask: 'PATCH /apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/a-{x}/status?fieldManager=one',
        type: 'apply',
        body: {
          apiVersion: 'admissionregistration.k8s.io/v1',
          kind: 'ValidatingAdmissionPolicy',
          metadata: { name: 'a-{x}' },
        },
      },
      {
        ask: 'POST /apis/resource.k8s.io/v1/deviceclasses',
        body: { metadata: { name: 'a-{x}' }, spec: { selectors: [{ cel: {} }] } },
      },
    ],
  },
]
