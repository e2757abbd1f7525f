import type { Sequence, Step } from '../step.ts'

const POD = { metadata: { name: 'a' }, spec: { containers: [{ name: 'main', image: 'nginx' }] } }
const PODS = '/api/v1/namespaces/{ns}/pods'

const JOB = {
  metadata: { name: 'a' },
  spec: {
    template: {
      spec: { containers: [{ name: 'main', image: 'nginx' }], restartPolicy: 'Never' },
    },
  },
}
const JOBS = '/apis/batch/v1/namespaces/{ns}/jobs'

const CLAIM = {
  metadata: { name: 'a' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
}
const CLAIMS = '/api/v1/namespaces/{ns}/persistentvolumeclaims'
const MAPS = '/api/v1/namespaces/{ns}/configmaps'
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/{ns}/leases'
const MAP = { metadata: { name: 'a' }, data: { a: '1' } }

const patch = (path: string, body: unknown): Step => ({ ask: `PATCH ${path}`, type: 'merge', body })

/** Nothing is changed twice: what was created lies there otherwise than it is read, what was written since does not. */
const twice = (path: string, object: object): readonly Step[] => [
  { ask: `POST ${path}`, body: object },
  patch(`${path}/a`, {}),
  patch(`${path}/a`, {}),
]

const watched = (verb: string): readonly Step[] => [
  { ask: `POST ${PODS}`, body: POD },
  { ask: `WATCH ${PODS}?watch=true` },
  { ask: verb },
]

const plainFinalizer = (path: string, object: object, part: string): readonly Step[] => [
  { ask: `POST ${path}`, body: object },
  patch(`${path}/a${part}`, { metadata: { finalizers: ['nodomain'], labels: { 'a b': 'c' } } }),
]

/** What is written though nobody would think so, and what is said twice. */
export const REWRITES: readonly Sequence[] = [
  { title: 'the first write that changes nothing of a claim', steps: twice(CLAIMS, CLAIM) },
  { title: 'the first write that changes nothing of a job', steps: twice(JOBS, JOB) },
  { title: 'a write that changes nothing of a map', steps: twice(MAPS, MAP) },
  {
    title: 'a job keeps the labels of its pods when its status is put without any',
    steps: [
      { ask: `POST ${JOBS}`, body: JOB },
      { ask: `PUT ${JOBS}/a/status`, body: { metadata: { name: 'a' } } },
    ],
  },
  {
    title: 'an empty list of managedFields disowns everyone',
    steps: [
      { ask: `POST ${MAPS}`, body: MAP },
      patch(`${MAPS}/a`, { metadata: { managedFields: [] } }),
    ],
  },
  { title: 'a pod that goes at once is marked first', steps: watched(`DELETE ${PODS}/a`) },
  {
    title: 'pods that go at once together are marked first',
    steps: watched(`DELETE ${PODS}?gracePeriodSeconds=0`),
  },
  { title: 'a finalizer without a domain, twice', steps: plainFinalizer(MAPS, MAP, '') },
  { title: 'a finalizer without a domain, once', steps: plainFinalizer(CLAIMS, CLAIM, '/status') },
  {
    title: 'a finalizer without a domain, never',
    steps: plainFinalizer(LEASES, { metadata: { name: 'a' } }, ''),
  },
  {
    title: 'the rules of a custom kind hold for what says that it is of another',
    steps: [
      {
        ask: 'POST /apis/differential.example.com/v1/namespaces/{ns}/rules',
        body: {
          apiVersion: 'differential.example.com/v1',
          kind: 'Other',
          metadata: { name: 'a' },
          spec: { max: 5 },
        },
      },
    ],
  },
]
