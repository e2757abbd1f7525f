import type { Sequence } from '../step.ts'

const MAP = '/api/v1/namespaces/{ns}/configmaps'
const DEPLOYMENTS = '/apis/apps/v1/namespaces/{ns}/deployments'
const SCALERS = '/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers'
const WIDGETS = '/apis/differential.example.com/v1/namespaces/{ns}/widgets'

const map = (data: object): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a' },
  data,
})

const deployment = (spec: object, containers: readonly object[]): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'a' },
  spec: {
    selector: { matchLabels: { app: 'a' } },
    template: { metadata: { labels: { app: 'a' } }, spec: { containers } },
    ...spec,
  },
})

const scale = (replicas: number): object => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name: 'a' },
  spec: { replicas },
})

/** Server-side apply, and who owns what. */
export const APPLY: readonly Sequence[] = [
  {
    title: 'two managers, a conflict, a force, and what is left when both let go',
    steps: [
      { ask: `PATCH ${MAP}/a?fieldManager=one`, type: 'apply', body: map({ a: '1', b: '1' }) },
      { ask: `PATCH ${MAP}/a?fieldManager=two`, type: 'apply', body: map({ a: '2' }) },
      { ask: `PATCH ${MAP}/a?fieldManager=two&force=true`, type: 'apply', body: map({ a: '2' }) },
      { ask: `PATCH ${MAP}/a?fieldManager=one`, type: 'apply', body: map({ b: '1' }) },
      { ask: `PATCH ${MAP}/a?fieldManager=two`, type: 'apply', body: map({}) },
      { ask: `PATCH ${MAP}/a?fieldManager=one`, type: 'apply', body: map({}) },
      { ask: `GET ${MAP}/a` },
    ],
  },
  {
    title: 'a value that both set is owned by both',
    steps: [
      { ask: `PATCH ${MAP}/a?fieldManager=one`, type: 'apply', body: map({ a: '1' }) },
      { ask: `PATCH ${MAP}/a?fieldManager=two`, type: 'apply', body: map({ a: '1' }) },
      { ask: `PATCH ${MAP}/a?fieldManager=one`, type: 'apply', body: map({}) },
      { ask: `GET ${MAP}/a` },
    ],
  },
  {
    title: 'an update takes a field over, and an apply conflicts with it',
    steps: [
      { ask: `PATCH ${MAP}/a?fieldManager=one`, type: 'apply', body: map({ a: '1' }) },
      { ask: `PATCH ${MAP}/a?fieldManager=two`, type: 'merge', body: { data: { a: '2' } } },
      { ask: `PATCH ${MAP}/a?fieldManager=one`, type: 'apply', body: map({ a: '1' }) },
      { ask: `PATCH ${MAP}/a`, type: 'apply', body: map({}) },
      { ask: `PATCH ${MAP}/a?fieldManager=one&force=maybe`, type: 'apply', body: map({}) },
    ],
  },
  {
    title: 'items of keyed lists come and go by their keys',
    steps: [
      {
        ask: `PATCH ${DEPLOYMENTS}/a?fieldManager=one`,
        type: 'apply',
        body: deployment({}, [
          { name: 'a', image: 'a', env: [{ name: 'A', value: '1' }] },
          { name: 'b', image: 'b' },
        ]),
      },
      {
        ask: `PATCH ${DEPLOYMENTS}/a?fieldManager=two`,
        type: 'apply',
        body: deployment({}, [{ name: 'a', env: [{ name: 'B', value: '2' }] }]),
      },
      {
        ask: `PATCH ${DEPLOYMENTS}/a?fieldManager=one`,
        type: 'apply',
        body: deployment({}, [{ name: 'a', image: 'a' }]),
      },
    ],
  },
  {
    title: 'apply through scale owns the replicas of the object',
    steps: [
      {
        ask: `PATCH ${DEPLOYMENTS}/a?fieldManager=one`,
        type: 'apply',
        body: deployment({ replicas: 2 }, [{ name: 'a', image: 'a' }]),
      },
      { ask: `PATCH ${DEPLOYMENTS}/a/scale?fieldManager=two`, type: 'apply', body: scale(3) },
      {
        ask: `PATCH ${DEPLOYMENTS}/a/scale?fieldManager=two&force=true`,
        type: 'apply',
        body: scale(3),
      },
      { ask: `GET ${DEPLOYMENTS}/a` },
      { ask: `PUT ${DEPLOYMENTS}/a/scale?fieldManager=three`, body: scale(4) },
      { ask: `GET ${DEPLOYMENTS}/a` },
      {
        ask: `PATCH ${DEPLOYMENTS}/a?fieldManager=one`,
        type: 'apply',
        body: deployment({ replicas: 2 }, [{ name: 'a', image: 'a' }]),
      },
    ],
  },
  {
    title: 'versions of one object are one to its managers',
    steps: [
      {
        ask: `PATCH ${SCALERS}/a?fieldManager=one`,
        type: 'apply',
        body: {
          apiVersion: 'autoscaling/v2',
          kind: 'HorizontalPodAutoscaler',
          metadata: { name: 'a' },
          spec: {
            scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
            maxReplicas: 3,
          },
        },
      },
      {
        ask: `PATCH ${SCALERS.replace('v2', 'v1')}/a?fieldManager=two`,
        type: 'apply',
        body: {
          apiVersion: 'autoscaling/v1',
          kind: 'HorizontalPodAutoscaler',
          metadata: { name: 'a' },
          spec: {
            scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
            maxReplicas: 4,
          },
        },
      },
      { ask: `GET ${SCALERS}/a` },
      { ask: `GET ${SCALERS.replace('v2', 'v1')}/a` },
    ],
  },
  {
    title: 'a custom kind: keyed, set and atomic lists under two managers',
    steps: [
      {
        ask: `PATCH ${WIDGETS}/a?fieldManager=one`,
        type: 'apply',
        body: {
          apiVersion: 'differential.example.com/v1',
          kind: 'Widget',
          metadata: { name: 'a' },
          spec: { color: 'red', parts: [{ name: 'a' }], words: ['x'], whole: [1] },
        },
      },
      {
        ask: `PATCH ${WIDGETS}/a?fieldManager=two`,
        type: 'apply',
        body: {
          apiVersion: 'differential.example.com/v1',
          kind: 'Widget',
          metadata: { name: 'a' },
          spec: { color: 'red', parts: [{ name: 'b', value: 2 }], words: ['y'], whole: [2] },
        },
      },
      {
        ask: `PATCH ${WIDGETS}/a?fieldManager=two`,
        type: 'apply',
        body: {
          apiVersion: 'differential.example.com/v1',
          kind: 'Widget',
          metadata: { name: 'a' },
          spec: { color: 'red', parts: [{ name: 'b', value: 2 }], words: ['y'] },
        },
      },
      { ask: `GET ${WIDGETS}/a` },
    ],
  },
]
