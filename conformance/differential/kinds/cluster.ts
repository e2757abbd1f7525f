import type { KindModel } from './kind.ts'

const STORAGE = ['/apis/storage.k8s.io/v1'] as const
const FLOW = ['/apis/flowcontrol.apiserver.k8s.io/v1'] as const

/** A certificate request for `CN=differ,O=testers`. */
const REQUEST =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIZU1JR0ZBZ0VBTUNNeER6QU5CZ05WQkFNTUJtUnBabVpsY2pFUU1BNEdBMVVFQ2d3SGRHVnpkR1Z5Y3pCWgpNQk1HQnlxR1NNNDlBZ0VHQ0NxR1NNNDlBd0VIQTBJQUJMT05EOVFrZ0s2N09BNUtsWkpEaHMzQkdPZnNENklMClF6NFNGbU1IenBLWmpOWml5ZGZyRWJmWVovRzAyUHN5US8wSEtMWHEzY1lUc2tYYkR2ajBVa3FnQURBS0JnZ3EKaGtqT1BRUURBZ05JQURCRkFpQlhaMHBrNk1GZTZkM3hoWTRiRTFkRWNtS1NaRWtGUXVZSVFlcFhoNVV4VlFJaApBUDMxcHVZWUtIRlhLSCttblJTTDJraFRqOWNUUEM2ZnV1R2VlS3ZBNjFuMAotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K'

/** Kinds of the cluster: storage, nodes, who may ask how much, and certificates. */
export const CLUSTER: readonly KindModel[] = [
  {
    bases: STORAGE,
    plural: 'csidrivers',
    kind: 'CSIDriver',
    namespaced: false,
    weight: 0.5,
    object: { spec: { attachRequired: true } },
    fields: [
      ['spec.attachRequired', false, undefined],
      ['spec.podInfoOnMount', true, undefined],
      ['spec.volumeLifecycleModes', ['Ephemeral'], ['Persistent', 'Ephemeral'], ['Odd'], undefined],
      ['spec.fsGroupPolicy', 'File', 'None', 'Odd', undefined],
      [
        'spec.tokenRequests',
        [{ audience: 'a', expirationSeconds: 600 }],
        [{ audience: 'a', expirationSeconds: 1 }],
        undefined,
      ],
      ['spec.requiresRepublish', true, undefined],
      ['spec.storageCapacity', true, undefined],
      ['spec.seLinuxMount', true, undefined],
      ['spec.nodeAllocatableUpdatePeriodSeconds', 10, 1, undefined],
      ['spec', {}, undefined],
    ],
  },
  {
    bases: STORAGE,
    plural: 'csinodes',
    kind: 'CSINode',
    namespaced: false,
    weight: 0.4,
    object: { spec: { drivers: [{ name: 'd.example.com', nodeID: 'n' }] } },
    fields: [
      ['spec.drivers.0.nodeID', 'm', '', undefined],
      ['spec.drivers.0.topologyKeys', ['zone'], ['zone', 'zone'], undefined],
      ['spec.drivers.0.allocatable', { count: 5 }, { count: -1 }, undefined],
      ['spec.drivers', [], undefined],
    ],
  },
  {
    bases: STORAGE,
    plural: 'csistoragecapacities',
    kind: 'CSIStorageCapacity',
    namespaced: true,
    weight: 0.4,
    object: { storageClassName: 'fast' },
    fields: [
      ['capacity', '1Gi', '-1', undefined],
      ['maximumVolumeSize', '1Gi', 'x', undefined],
      ['nodeTopology', { matchLabels: { a: 'b' } }, {}, undefined],
      ['storageClassName', 'slow', ''],
    ],
  },
  {
    bases: STORAGE,
    plural: 'volumeattachments',
    kind: 'VolumeAttachment',
    namespaced: false,
    weight: 0.5,
    object: {
      spec: { attacher: 'a.example.com', nodeName: 'n', source: { persistentVolumeName: 'pv' } },
    },
    fields: [
      ['spec.nodeName', 'm', ''],
      ['spec.attacher', '', 'Bad Name'],
      ['spec.source', {}, { persistentVolumeName: 'other' }],
    ],
    status: [
      ['status.attached', true, false],
      ['status.attachmentMetadata', { a: 'b' }, {}, undefined],
      ['status.attachError', { message: 'm', errorCode: 3 }, undefined],
    ],
  },
  {
    bases: STORAGE,
    plural: 'volumeattributesclasses',
    kind: 'VolumeAttributesClass',
    namespaced: false,
    weight: 0.4,
    object: { driverName: 'd.example.com', parameters: { iops: '5' } },
    fields: [
      ['parameters', { iops: '6' }, {}, undefined],
      ['driverName', 'e.example.com', ''],
    ],
  },
  {
    bases: ['/apis/node.k8s.io/v1'],
    plural: 'runtimeclasses',
    kind: 'RuntimeClass',
    namespaced: false,
    weight: 0.4,
    object: { handler: 'runc' },
    fields: [
      ['handler', 'kata', 'Bad_Handler', ''],
      ['overhead', { podFixed: { cpu: '10m' } }, { podFixed: {} }, {}, undefined],
      [
        'scheduling',
        { nodeSelector: { a: 'b' } },
        { tolerations: [{ key: 'k', operator: 'Exists' }] },
        {},
        undefined,
      ],
    ],
  },
  {
    bases: ['/apis/rbac.authorization.k8s.io/v1'],
    plural: 'clusterrolebindings',
    kind: 'ClusterRoleBinding',
    namespaced: false,
    weight: 0.5,
    object: {
      subjects: [{ kind: 'User', name: 'nobody' }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'none-{x}' },
    },
    fields: [
      [
        'subjects',
        [],
        undefined,
        [{ kind: 'ServiceAccount', name: 'a' }],
        [{ kind: 'Odd', name: 'x' }],
      ],
      ['roleRef.name', 'other', ''],
      ['roleRef.kind', 'Role'],
    ],
  },
  {
    bases: FLOW,
    plural: 'flowschemas',
    kind: 'FlowSchema',
    namespaced: false,
    weight: 0.5,
    object: {
      spec: {
        matchingPrecedence: 9000,
        priorityLevelConfiguration: { name: 'none-{x}' },
        rules: [
          {
            subjects: [{ kind: 'User', user: { name: 'nobody-at-all' } }],
            nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/nowhere'] }],
          },
        ],
      },
    },
    fields: [
      ['spec.matchingPrecedence', 9001, 0, 10001, undefined],
      ['spec.distinguisherMethod', { type: 'ByUser' }, { type: 'Odd' }, undefined],
      [
        'spec.rules.0.resourceRules',
        [{ verbs: ['get'], apiGroups: ['x'], resources: ['y'], clusterScope: true }],
        [{ verbs: ['get'] }],
        undefined,
      ],
      ['spec.rules.0.subjects.0.user', { name: '' }, undefined],
      ['spec.rules', [], undefined],
    ],
    status: [['status.conditions', [{ type: 'Dangling', status: 'True' }], [], undefined]],
  },
  {
    bases: FLOW,
    plural: 'prioritylevelconfigurations',
    kind: 'PriorityLevelConfiguration',
    namespaced: false,
    weight: 0.5,
    object: { spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1 } } },
    fields: [
      ['spec.limited.nominalConcurrencyShares', 0, 5, -1, undefined],
      ['spec.limited.lendablePercent', 10, 101, undefined],
      ['spec.limited.borrowingLimitPercent', 0, -1, undefined],
      [
        'spec.limited.limitResponse',
        { type: 'Reject' },
        { type: 'Queue', queuing: { queues: 4 } },
        { type: 'Queue' },
        undefined,
      ],
      ['spec.type', 'Exempt', 'Odd'],
      ['spec.exempt', { lendablePercent: 5 }, {}, undefined],
    ],
    status: [['status.conditions', [{ type: 'A', status: 'True' }], undefined]],
  },
  {
    bases: ['/apis/certificates.k8s.io/v1'],
    plural: 'certificatesigningrequests',
    kind: 'CertificateSigningRequest',
    namespaced: false,
    actions: [
      [
        'PATCH approval',
        'merge',
        {
          status: { conditions: [{ type: 'Approved', status: 'True', reason: 'R', message: 'm' }] },
        },
        { status: { conditions: [{ type: 'Denied', status: 'True' }] } },
        { status: { conditions: [{ type: 'Odd', status: 'False' }] } },
        { spec: { usages: ['any'] } },
      ],
      ['GET approval', ''],
    ],
    weight: 0.5,
    object: {
      spec: { request: REQUEST, signerName: 'example.com/signer', usages: ['client auth'] },
    },
    fields: [
      ['spec.signerName', 'nodomain', 'example.com/other'],
      ['spec.usages', ['digital signature', 'client auth'], ['odd'], [], undefined],
      ['spec.expirationSeconds', 600, 5, undefined],
      ['spec.request', 'MQ=='],
      ['spec.username', 'me'],
    ],
    status: [
      [
        'status.conditions',
        [{ type: 'Approved', status: 'True', reason: 'R' }],
        [{ type: 'Odd', status: 'True' }],
        undefined,
      ],
      ['status.certificate', 'MQ==', undefined],
    ],
    selectors: ['spec.signerName=example.com/signer'],
  },
  {
    bases: ['/api/v1'],
    plural: 'events',
    kind: 'Event',
    namespaced: true,
    weight: 0.5,
    object: {
      involvedObject: { kind: 'Pod', name: 'p', namespace: '{ns}' },
      reason: 'R',
      type: 'Normal',
    },
    fields: [
      ['message', 'm', '', undefined],
      ['count', 2, 0, undefined],
      ['firstTimestamp', '2020-01-01T00:00:00Z', null, undefined],
      ['source', { component: 'c' }, {}, undefined],
      ['involvedObject.namespace', 'elsewhere', '', undefined],
      ['eventTime', '2020-01-01T00:00:00.000000Z', undefined],
      ['related', { kind: 'Node', name: 'n' }, undefined],
      ['reportingComponent', 'example.com/c', undefined],
    ],
    selectors: ['involvedObject.name=p', 'reason=R', 'type=Warning', 'source=c'],
  },
]
