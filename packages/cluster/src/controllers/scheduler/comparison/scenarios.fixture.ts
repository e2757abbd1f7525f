import {
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
} from 'kubewright/kinds/core/v1'
import { PodDisruptionBudget } from 'kubewright/kinds/policy/v1'
import { PriorityClass } from 'kubewright/kinds/scheduling.k8s.io/v1'
import { CSIDriver, CSINode, StorageClass } from 'kubewright/kinds/storage.k8s.io/v1'
import type { Kind, KubeObject } from 'kubewright/machinery'

/** One thing that is done; after a pod without a node, it is asked what the scheduler says of it. */
export type Step =
  | { readonly do: 'create'; readonly kind: Kind; readonly object: object }
  | { readonly do: 'status'; readonly kind: Kind; readonly name: string; readonly status: object }
  | { readonly do: 'patch'; readonly kind: Kind; readonly name: string; readonly body: object }
  | { readonly do: 'delete'; readonly kind: Kind; readonly name: string }
  | { readonly do: 'ask'; readonly pod: string; readonly until?: 'placed' | 'refused' }

/** What is done in a namespace of its own, and then undone. */
export interface Scenario {
  readonly name: string
  readonly steps: readonly Step[]
}

const create = (kind: Kind, object: object): Step => ({ do: 'create', kind, object })
const ask = (pod: string, until?: 'placed' | 'refused'): Step => ({
  do: 'ask',
  pod,
  ...(until && { until }),
})

/** The nodes of every scenario. */
export const NODES: readonly Step[] = [
  node('n1', { zone: 'a', disk: 'ssd', size: '8' }),
  node('n2', { zone: 'b', disk: 'hdd', size: '4' }),
  node(
    'n3',
    { zone: 'b', disk: 'hdd', size: '4' },
    { taints: [{ key: 'dedicated', value: 'x', effect: 'NoSchedule' }] },
  ),
  node('n4', { zone: 'c', disk: 'hdd', size: '4' }, { unschedulable: true }),
].flat()

function node(
  name: string,
  labels: Readonly<Record<string, string>>,
  spec: object = {},
): readonly Step[] {
  const { zone, ...rest } = labels
  const metadata = {
    name,
    labels: { 'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': zone, ...rest },
  }
  const capacity = {
    cpu: '4',
    memory: '8Gi',
    pods: '6',
    'ephemeral-storage': '10Gi',
    'example.com/gpu': name === 'n1' ? '2' : '0',
  }
  const images = name === 'n2' ? [{ names: ['example.com/large:1'], sizeBytes: 900_000_000 }] : []
  return [
    create(Node, { metadata, spec }),
    // The server adds a taint until a node is known to be ready.
    { do: 'patch', kind: Node, name, body: { spec: { taints: [], ...spec } } },
    {
      do: 'status',
      kind: Node,
      name,
      status: {
        capacity,
        allocatable: capacity,
        images,
        conditions: [{ type: 'Ready', status: 'True' }],
      },
    },
  ]
}

const container = (requests: object = {}, more: object = {}): object => ({
  name: 'c',
  image: 'example.com/small:1',
  resources: { requests },
  ...more,
})

/** A pod; without a node it is one to be scheduled. */
function pod(name: string, spec: object = {}, labels: object = {}, requests: object = {}): Step {
  return create(Pod, {
    metadata: { name, labels },
    spec: {
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      containers: [container(requests)],
      ...spec,
    },
  })
}

const on = (where: string, more: object = {}): object => ({ nodeName: where, ...more })
const TOLERANT = { tolerations: [{ key: 'dedicated', operator: 'Exists' }] }
const pinned = (...names: readonly string[]): object => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          {
            matchFields: names.map((it) => ({
              key: 'metadata.name',
              operator: 'In',
              values: [it],
            })),
          },
        ],
      },
    },
  },
})

const labelSelector = { matchLabels: { app: 'web' } }
const WEB = { app: 'web' }

const spread = (constraint: object): object => ({
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'topology.kubernetes.io/zone',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector,
      ...constraint,
    },
  ],
})

const apart = (term: object = {}): object => ({
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'kubernetes.io/hostname', labelSelector, ...term },
      ],
    },
  },
})
const together = (term: object = {}): object => ({
  affinity: {
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'topology.kubernetes.io/zone', labelSelector, ...term },
      ],
    },
  },
})
const rather = (which: 'podAffinity' | 'podAntiAffinity', topologyKey: string): object => ({
  affinity: {
    [which]: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 100, podAffinityTerm: { topologyKey, labelSelector } },
      ],
    },
  },
})

const port = (hostIP?: string, protocol: string = 'TCP'): object => ({
  containers: [
    container(
      {},
      { ports: [{ containerPort: 80, hostPort: 80, protocol, ...(hostIP && { hostIP }) }] },
    ),
  ],
})

const claim = (name: string, storageClassName: string | undefined, more: object = {}): Step =>
  create(PersistentVolumeClaim, {
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      ...(storageClassName === undefined ? {} : { storageClassName }),
      ...more,
    },
  })
const using = (...names: readonly string[]): object => ({
  volumes: names.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
})
/** A claim that is bound already, as a controller would have done it. */
const boundClaim = (name: string, volumeName: string, more: object = {}): readonly Step[] => [
  create(PersistentVolumeClaim, {
    metadata: { name, annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: '',
      volumeName,
      ...more,
    },
  }),
  { do: 'status', kind: PersistentVolumeClaim, name, status: { phase: 'Bound' } },
]
const volume = (name: string, spec: object = {}, labels: object = {}): readonly Step[] => [
  create(PersistentVolume, {
    metadata: { name, labels },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      hostPath: { path: '/x' },
      ...spec,
    },
  }),
  { do: 'status', kind: PersistentVolume, name, status: { phase: 'Available' } },
]
const reachableFrom = (...values: readonly string[]): object => ({
  nodeAffinity: {
    required: {
      nodeSelectorTerms: [
        { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values }] },
      ],
    },
  },
})
const storageClass = (name: string, more: object = {}): Step =>
  create(StorageClass, { metadata: { name }, provisioner: 'example.com/disk', ...more })
const LATE = { volumeBindingMode: 'WaitForFirstConsumer' }

const priority = (name: string, value: number, more: object = {}): Step =>
  create(PriorityClass, { metadata: { name }, value, ...more })
const PRIORITIES = [priority('high', 1000), priority('mid', 100), priority('low', 10)]
const of = (priorityClassName: string, more: object = {}): object => ({
  priorityClassName,
  ...more,
})

const removed = (kind: Kind<KubeObject>, name: string): Step => ({ do: 'delete', kind, name })

const budget = (name: string, matchLabels: object, disruptionsAllowed: number): readonly Step[] => [
  create(PodDisruptionBudget, {
    metadata: { name },
    spec: { minAvailable: 1, selector: { matchLabels } },
  }),
  {
    do: 'status',
    kind: PodDisruptionBudget,
    name,
    status: { disruptionsAllowed, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
  },
]

/** What is asked of both schedulers. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'selector',
    steps: [
      pod('a', { nodeSelector: { disk: 'ssd' } }),
      ask('a'),
      pod('b', { nodeSelector: { disk: 'tape' } }),
      ask('b'),
    ],
  },
  {
    name: 'taints',
    steps: [
      pod('a', { nodeSelector: { disk: 'hdd' } }),
      ask('a'),
      pod('b', { ...pinned('n3') }),
      ask('b'),
      pod('c', { ...pinned('n3'), ...TOLERANT }),
      ask('c'),
    ],
  },
  {
    name: 'cordon',
    steps: [pod('a', { nodeSelector: { 'topology.kubernetes.io/zone': 'c' } }), ask('a')],
  },
  {
    name: 'named nodes',
    steps: [
      pod('a', pinned('n1')),
      ask('a'),
      pod('b', pinned('nowhere')),
      ask('b'),
      pod('c', pinned('n1', 'n2')),
      ask('c'),
    ],
  },
  {
    name: 'expressions',
    steps: ['Gt', 'Lt'].flatMap((operator) => [
      pod(operator.toLowerCase(), {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                {
                  matchExpressions: [
                    { key: 'size', operator, values: [operator === 'Gt' ? '5' : '3'] },
                  ],
                },
              ],
            },
          },
        },
      }),
      ask(operator.toLowerCase()),
    ]),
  },
  {
    name: 'resources',
    steps: [
      pod('a', {}, {}, { cpu: '5' }),
      ask('a'),
      pod('b', {}, {}, { cpu: '1', memory: '9Gi' }),
      ask('b'),
      pod('c', {}, {}, { 'ephemeral-storage': '11Gi' }),
      ask('c'),
      create(Pod, {
        metadata: { name: 'd' },
        spec: {
          containers: [
            container(
              {},
              {
                resources: {
                  limits: { 'example.com/gpu': '3' },
                  requests: { 'example.com/gpu': '3' },
                },
              },
            ),
          ],
        },
      }),
      ask('d'),
      pod('full', on('n1'), {}, { cpu: '3500m' }),
      pod('full2', on('n2'), {}, { cpu: '3500m' }),
      pod('e', {}, {}, { cpu: '1' }),
      ask('e'),
      pod('g', {}, {}, { cpu: '400m' }),
      ask('g'),
    ],
  },
  {
    name: 'sidecars',
    steps: [
      pod(
        'a',
        {
          initContainers: [
            { ...container({ cpu: '3' }), name: 'i' },
            { ...container({ cpu: '2' }), name: 's', restartPolicy: 'Always' },
          ],
        },
        {},
        { cpu: '2500m' },
      ),
      ask('a'),
      pod(
        'b',
        {
          initContainers: [
            { ...container({ cpu: '2' }), name: 's', restartPolicy: 'Always' },
            { ...container({ cpu: '2500m' }), name: 'i' },
          ],
        },
        {},
        { cpu: '1' },
      ),
      ask('b'),
      pod('c', { resources: { requests: { cpu: '6' } } }, {}, { cpu: '1' }),
      ask('c'),
    ],
  },
  {
    name: 'too many pods',
    steps: [
      ...[1, 2, 3, 4, 5, 6].flatMap((it) => [pod(`a${it}`, on('n1')), pod(`b${it}`, on('n2'))]),
      pod('x'),
      ask('x'),
      removed(Pod, 'b3'),
      ask('x', 'placed'),
    ],
  },
  {
    name: 'ports',
    steps: [
      pod('a', on('n1', port())),
      pod('b', on('n2', port('127.0.0.1'))),
      pod('x', port()),
      ask('x'),
      pod('z', port('10.0.0.1')),
      ask('z'),
      pod('w', { ...port('127.0.0.1', 'UDP'), nodeSelector: { disk: 'ssd' } }),
      ask('w'),
    ],
  },
  {
    name: 'least allocated',
    steps: [
      pod('a', on('n1'), {}, { cpu: '2', memory: '2Gi' }),
      pod('x', {}, {}, { cpu: '100m', memory: '100Mi' }),
      ask('x'),
    ],
  },
  {
    name: 'balance',
    steps: [
      pod('a', on('n1'), {}, { cpu: '2', memory: '1Gi' }),
      pod('b', on('n2'), {}, { cpu: '500m', memory: '4Gi' }),
      pod('x', {}, {}, { cpu: '500m', memory: '100Mi' }),
      ask('x'),
    ],
  },
  {
    name: 'images',
    steps: [
      create(Pod, {
        metadata: { name: 'x' },
        spec: { containers: [container({}, { image: 'example.com/large:1' })] },
      }),
      ask('x'),
    ],
  },
  {
    name: 'preferred nodes',
    steps: [
      pod('x', {
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              {
                weight: 1,
                preference: {
                  matchExpressions: [{ key: 'disk', operator: 'In', values: ['hdd'] }],
                },
              },
            ],
          },
        },
      }),
      ask('x'),
    ],
  },
  {
    name: 'soft taints',
    steps: [
      {
        do: 'patch',
        kind: Node,
        name: 'n1',
        body: { spec: { taints: [{ key: 'soft', effect: 'PreferNoSchedule' }] } },
      },
      pod('x'),
      ask('x'),
      { do: 'patch', kind: Node, name: 'n1', body: { spec: { taints: [] } } },
    ],
  },
  {
    name: 'apart',
    steps: [
      pod('x1', { ...apart(), nodeName: 'n1' }, WEB),
      pod('x2', { ...apart(), nodeName: 'n2' }, WEB),
      pod('x3', apart(), WEB),
      ask('x3', 'refused'),
      pod('y', {}, WEB),
      ask('y'),
    ],
  },
  {
    name: 'together',
    steps: [
      pod('lonely', together({ labelSelector: { matchLabels: { app: 'db' } } }), WEB),
      ask('lonely'),
      pod('a', on('n2'), WEB),
      pod('x', together()),
      ask('x'),
      pod('y', together({ namespaces: ['elsewhere'] })),
      ask('y'),
      pod('z', together({ topologyKey: 'rack' }), WEB),
      ask('z'),
    ],
  },
  {
    name: 'all namespaces',
    steps: [
      create(Namespace, { metadata: { name: 'scheduler-other' } }),
      pod('a', on('n2'), WEB),
      pod('x', together({ namespaceSelector: {} }), {}),
      ask('x'),
      pod('y', together({ namespaceSelector: { matchLabels: { never: 'x' } } })),
      ask('y'),
    ],
  },
  {
    name: 'rather near',
    steps: [
      pod('a', on('n2'), WEB),
      pod('x', rather('podAffinity', 'topology.kubernetes.io/zone')),
      ask('x'),
    ],
  },
  {
    name: 'rather far',
    steps: [
      pod('a', on('n1'), WEB),
      pod('b', on('n2')),
      pod('c', on('n2')),
      pod('x', rather('podAntiAffinity', 'kubernetes.io/hostname')),
      ask('x'),
    ],
  },
  {
    name: 'spread',
    steps: [
      pod('a', on('n1'), WEB),
      pod('x', spread({}), WEB),
      ask('x'),
      pod('y', spread({ maxSkew: 1, minDomains: 5 }), WEB),
      ask('y'),
    ],
  },
  {
    name: 'spread policies',
    steps: [
      pod('a', on('n1'), WEB),
      pod('b', on('n2'), WEB),
      pod('x', spread({ nodeTaintsPolicy: 'Honor' }), WEB),
      ask('x'),
      pod('y', { ...spread({ nodeAffinityPolicy: 'Ignore' }), nodeSelector: { disk: 'ssd' } }, WEB),
      ask('y'),
      pod('z', { ...spread({}), nodeSelector: { disk: 'ssd' } }, WEB),
      ask('z'),
    ],
  },
  {
    name: 'spread keys',
    steps: [
      pod('a', on('n1'), { ...WEB, v: '1' }),
      pod(
        'x',
        spread({
          matchLabelKeys: ['v'],
          topologyKey: 'kubernetes.io/hostname',
          nodeTaintsPolicy: 'Honor',
        }),
        { ...WEB, v: '1' },
      ),
      ask('x'),
      pod('y', spread({ topologyKey: 'rack' }), WEB),
      ask('y'),
    ],
  },
  {
    name: 'soft spread',
    steps: [
      pod('a', on('n1'), WEB),
      pod('b', on('n2')),
      pod('x', spread({ whenUnsatisfiable: 'ScheduleAnyway' }), WEB),
      ask('x'),
    ],
  },
  {
    name: 'preemption',
    steps: [
      ...PRIORITIES,
      pod('a', on('n1', of('low')), {}, { cpu: '3' }),
      pod('b', on('n2', of('mid')), {}, { cpu: '3' }),
      pod('x', of('high'), {}, { cpu: '2' }),
      ask('x', 'placed'),
    ],
  },
  {
    name: 'fewest victims',
    steps: [
      ...PRIORITIES,
      pod('a', on('n1', of('low')), {}, { cpu: '1' }),
      pod('b', on('n1', of('low')), {}, { cpu: '2500m' }),
      pod('c', on('n2', of('low')), {}, { cpu: '3500m' }),
      pod('x', of('high'), {}, { cpu: '3500m' }),
      ask('x', 'placed'),
    ],
  },
  {
    name: 'budgets',
    steps: [
      ...PRIORITIES,
      ...budget('keep', WEB, 0),
      pod('a', on('n1', of('low')), WEB, { cpu: '3' }),
      pod('b', on('n2', of('mid')), {}, { cpu: '3' }),
      pod('x', of('high'), {}, { cpu: '2' }),
      ask('x', 'placed'),
    ],
  },
  {
    name: 'a budget that cannot be kept',
    steps: [
      ...PRIORITIES,
      ...budget('keep', WEB, 0),
      pod('a', on('n1', of('low')), WEB, { cpu: '3' }),
      pod('b', on('n2', of('mid')), WEB, { cpu: '3' }),
      pod('x', of('high'), {}, { cpu: '2' }),
      ask('x', 'placed'),
    ],
  },
  {
    name: 'never preempting',
    steps: [
      priority('polite', 5000, { preemptionPolicy: 'Never' }),
      ...PRIORITIES,
      pod('a', on('n1', of('low')), {}, { cpu: '3' }),
      pod('b', on('n2', of('low')), {}, { cpu: '3' }),
      pod('x', of('polite'), {}, { cpu: '2' }),
      ask('x'),
    ],
  },
  {
    name: 'equals stay',
    steps: [
      ...PRIORITIES,
      pod('a', on('n1', of('mid')), {}, { cpu: '3' }),
      pod('b', on('n2', of('high')), {}, { cpu: '3' }),
      pod('x', of('mid'), {}, { cpu: '2' }),
      ask('x'),
    ],
  },
  {
    name: 'room by preemption is not enough',
    steps: [
      ...PRIORITIES,
      pod('a', on('n1', of('high')), {}, { cpu: '3' }),
      pod('b', on('n1', of('low')), {}, { cpu: '500m' }),
      pod('c', on('n2', of('high')), {}, { cpu: '3' }),
      pod('x', of('mid'), {}, { cpu: '2' }),
      ask('x'),
    ],
  },
  {
    name: 'slow victims',
    steps: [
      ...PRIORITIES,
      pod('a', on('n1', { ...of('low'), terminationGracePeriodSeconds: 600 }), {}, { cpu: '3' }),
      pod('b', on('n2', of('high')), {}, { cpu: '3' }),
      pod('x', of('mid'), {}, { cpu: '2' }),
      ask('x', 'refused'),
      removed(Pod, 'a'),
      ask('x', 'placed'),
    ],
  },
  { name: 'no claim', steps: [pod('x', using('nowhere')), ask('x')] },
  {
    name: 'unbound claims',
    steps: [
      storageClass('now'),
      claim('a', 'now'),
      pod('x', using('a')),
      ask('x'),
      claim('b', ''),
      pod('y', using('b')),
      ask('y'),
    ],
  },
  {
    name: 'ephemeral claims',
    steps: [
      pod('x', {
        volumes: [
          {
            name: 'v',
            ephemeral: {
              volumeClaimTemplate: {
                spec: {
                  accessModes: ['ReadWriteOnce'],
                  resources: { requests: { storage: '1Gi' } },
                },
              },
            },
          },
        ],
      }),
      ask('x'),
    ],
  },
  {
    name: 'nothing to bind',
    steps: [
      storageClass('by-hand', { provisioner: 'kubernetes.io/no-provisioner', ...LATE }),
      claim('a', 'by-hand'),
      pod('x', using('a')),
      ask('x'),
    ],
  },
  {
    name: 'allowed topologies',
    steps: [
      storageClass('zone-z', {
        ...LATE,
        allowedTopologies: [
          { matchLabelExpressions: [{ key: 'topology.kubernetes.io/zone', values: ['z'] }] },
        ],
      }),
      claim('a', 'zone-z'),
      pod('x', using('a')),
      ask('x'),
    ],
  },
  {
    name: 'no capacity',
    steps: [
      create(CSIDriver, { metadata: { name: 'example.com' }, spec: { storageCapacity: true } }),
      storageClass('full', { provisioner: 'example.com', ...LATE }),
      claim('a', 'full'),
      pod('x', using('a')),
      ask('x'),
    ],
  },
  {
    name: 'bound elsewhere',
    steps: [
      ...volume('v1', reachableFrom('n3')),
      ...boundClaim('a', 'v1'),
      pod('x', using('a')),
      ask('x'),
      ...volume('v2', reachableFrom('n2')),
      ...boundClaim('b', 'v2'),
      pod('y', using('b')),
      ask('y'),
    ],
  },
  { name: 'bound to nothing', steps: [...boundClaim('a', 'v9'), pod('x', using('a')), ask('x')] },
  {
    name: 'zones of volumes',
    steps: [
      ...volume('v3', {}, { 'topology.kubernetes.io/zone': 'b' }),
      ...boundClaim('a', 'v3'),
      pod('x', using('a')),
      ask('x'),
      ...volume('v4', {}, { 'topology.kubernetes.io/zone': 'q__r' }),
      ...boundClaim('b', 'v4'),
      pod('y', using('b')),
      ask('y'),
    ],
  },
  {
    name: 'one pod alone',
    steps: [
      ...volume('v5', { accessModes: ['ReadWriteOncePod'] }),
      ...boundClaim('a', 'v5', { accessModes: ['ReadWriteOncePod'] }),
      pod('a', on('n1', using('a'))),
      pod('x', using('a')),
      ask('x'),
    ],
  },
  {
    name: 'disks',
    steps: [
      pod('a', on('n1', { volumes: [{ name: 'd', gcePersistentDisk: { pdName: 'd' } }] })),
      pod('x', {
        nodeSelector: { disk: 'ssd' },
        volumes: [{ name: 'd', gcePersistentDisk: { pdName: 'd' } }],
      }),
      ask('x'),
    ],
  },
  {
    name: 'volume limits',
    steps: [
      ...['n1', 'n2'].map((name) =>
        create(CSINode, {
          metadata: { name },
          spec: { drivers: [{ name: 'example.com', nodeID: name, allocatable: { count: 1 } }] },
        }),
      ),
      ...['v6', 'v7'].flatMap((name) =>
        volume(name, { hostPath: null, csi: { driver: 'example.com', volumeHandle: name } }),
      ),
      ...boundClaim('a', 'v6'),
      ...boundClaim('b', 'v7'),
      pod('x', using('a', 'b')),
      ask('x'),
    ],
  },
]
