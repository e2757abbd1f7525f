import type { KindModel } from './kind.ts'

const BASE = ['/apis/resource.k8s.io/v1'] as const

const REQUEST = { name: 'r', exactly: { deviceClassName: 'class.example.com' } }

const CLAIM_FIELDS = (at: string): KindModel['fields'] => [
  [`${at}.devices.requests.0.exactly.count`, 2, 0, undefined],
  [`${at}.devices.requests.0.exactly.allocationMode`, 'All', 'Odd', undefined],
  [
    `${at}.devices.requests.0.exactly.selectors`,
    [{ cel: { expression: "device.driver == 'd'" } }],
    [{ cel: { expression: 'nope' } }],
    [{}],
    undefined,
  ],
  [`${at}.devices.requests.0.exactly.tolerations`, [{ operator: 'Exists' }], undefined],
  [
    `${at}.devices.requests`,
    [{ name: 'r', firstAvailable: [{ name: 's', deviceClassName: 'class.example.com' }] }],
    [REQUEST, { ...REQUEST, name: 'q' }],
    [REQUEST, REQUEST],
    [],
    undefined,
  ],
  [
    `${at}.devices.constraints`,
    [{ requests: ['r'], matchAttribute: 'example.com/a' }],
    [{}],
    undefined,
  ],
  [
    `${at}.devices.config`,
    [
      {
        requests: ['r'],
        opaque: { driver: 'd.example.com', parameters: { b: 1, a: { z: 1, y: 2 } } },
      },
    ],
    [{ opaque: { driver: 'd.example.com', parameters: 5 } }],
    undefined,
  ],
]

/** What devices there are, and who has which. */
export const DEVICES: readonly KindModel[] = [
  {
    bases: BASE,
    plural: 'deviceclasses',
    kind: 'DeviceClass',
    namespaced: false,
    weight: 0.6,
    object: { spec: { selectors: [{ cel: { expression: "device.driver == 'd'" } }] } },
    fields: [
      ['spec.selectors.0.cel.expression', 'true', '', 'nope', 'device.allowMultipleAllocations'],
      ['spec.selectors', [], [{}], undefined],
      [
        'spec.config',
        [{ opaque: { driver: 'd.example.com', parameters: { b: 1, a: 2 } } }],
        [{}],
        undefined,
      ],
      ['spec.extendedResourceName', 'example.com/gpu', 'bad name', undefined],
    ],
  },
  {
    bases: BASE,
    plural: 'resourceclaims',
    kind: 'ResourceClaim',
    namespaced: true,
    weight: 1,
    object: { spec: { devices: { requests: [REQUEST] } } },
    fields: CLAIM_FIELDS('spec'),
    status: [
      [
        'status.allocation',
        {
          devices: { results: [{ request: 'r', driver: 'd.example.com', pool: 'p', device: 'x' }] },
        },
        {},
        undefined,
      ],
      ['status.reservedFor', [{ resource: 'pods', name: 'p', uid: 'u' }], [], undefined],
      [
        'status.devices',
        [{ driver: 'd.example.com', pool: 'p', device: 'x', data: { b: 1, a: 2 } }],
        undefined,
      ],
    ],
  },
  {
    bases: BASE,
    plural: 'resourceclaimtemplates',
    kind: 'ResourceClaimTemplate',
    namespaced: true,
    weight: 0.5,
    object: { spec: { spec: { devices: { requests: [REQUEST] } } } },
    fields: [
      ...CLAIM_FIELDS('spec.spec'),
      ['spec.metadata', { labels: { a: 'b' } }, {}, undefined],
    ],
  },
  {
    bases: BASE,
    plural: 'resourceslices',
    kind: 'ResourceSlice',
    namespaced: false,
    weight: 0.6,
    object: {
      spec: {
        driver: 'd.example.com',
        nodeName: 'n',
        pool: { name: 'p', resourceSliceCount: 1 },
        devices: [{ name: 'x' }],
      },
    },
    fields: [
      ['spec.nodeName', 'm', '', undefined],
      ['spec.allNodes', true, undefined],
      ['spec.pool.generation', 2, -1, undefined],
      ['spec.pool.resourceSliceCount', 2, 0, undefined],
      ['spec.devices.0.attributes', { a: { string: 's' }, b: { int: 1 } }, { a: {} }, undefined],
      ['spec.devices.0.capacity', { mem: { value: '1Gi' } }, {}, undefined],
      ['spec.devices.0.taints', [{ key: 'k', effect: 'NoSchedule' }], [{ key: 'k' }], undefined],
      ['spec.devices', [], [{ name: 'x' }, { name: 'x' }], undefined],
      ['spec.sharedCounters', [{ name: 'c', counters: { a: { value: '1' } } }], undefined],
    ],
    selectors: ['spec.nodeName=n', 'spec.driver=d.example.com'],
  },
]
