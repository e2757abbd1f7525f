import type { KindModel } from './kind.ts'

const BASE = ['/apis/admissionregistration.k8s.io/v1'] as const

/** Matches nothing that there is: what is made here must not touch other sequences. */
const NOWHERE = {
  apiGroups: ['nowhere.example.com'],
  apiVersions: ['v1'],
  operations: ['CREATE'],
  resources: ['nothings'],
}

const WEBHOOK = {
  name: 'hook.example.com',
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  clientConfig: { url: 'https://127.0.0.1:1/hook' },
  rules: [NOWHERE],
}

const WEBHOOK_FIELDS: KindModel['fields'] = [
  ['webhooks.0.failurePolicy', 'Ignore', 'Fail', 'Odd', undefined],
  ['webhooks.0.matchPolicy', 'Exact', undefined],
  ['webhooks.0.timeoutSeconds', 5, 31, 0, undefined],
  ['webhooks.0.sideEffects', 'NoneOnDryRun', 'Some'],
  ['webhooks.0.clientConfig', { service: { namespace: 'n', name: 's' } }, {}, { url: 'ftp://x' }],
  ['webhooks.0.rules.0.scope', 'Namespaced', '*', undefined],
  ['webhooks.0.rules.0.operations', ['*'], ['CREATE', 'UPDATE'], [], ['Odd']],
  ['webhooks.0.objectSelector', { matchLabels: { a: 'b' } }, {}, undefined],
  ['webhooks.0.matchConditions', [{ name: 'c', expression: 'true' }], [], undefined],
  ['webhooks.0.name', 'short', 'other.example.com'],
  ['webhooks.0.admissionReviewVersions', ['v1', 'v1beta1'], ['v9'], []],
  ['webhooks', [], undefined, [WEBHOOK, { ...WEBHOOK, name: 'two.example.com' }]],
]

/** Webhooks and policies of admission. */
export const ADMISSION: readonly KindModel[] = [
  {
    bases: BASE,
    plural: 'validatingwebhookconfigurations',
    kind: 'ValidatingWebhookConfiguration',
    namespaced: false,
    weight: 0.7,
    object: { webhooks: [WEBHOOK] },
    fields: WEBHOOK_FIELDS,
  },
  {
    bases: BASE,
    plural: 'mutatingwebhookconfigurations',
    kind: 'MutatingWebhookConfiguration',
    namespaced: false,
    weight: 0.7,
    object: { webhooks: [WEBHOOK] },
    fields: [...WEBHOOK_FIELDS, ['webhooks.0.reinvocationPolicy', 'IfNeeded', 'Odd', undefined]],
  },
  {
    bases: BASE,
    plural: 'validatingadmissionpolicies',
    kind: 'ValidatingAdmissionPolicy',
    namespaced: false,
    weight: 0.7,
    object: {
      spec: {
        matchConstraints: { resourceRules: [NOWHERE] },
        validations: [{ expression: 'object.spec.x > 1' }],
      },
    },
    fields: [
      ['spec.failurePolicy', 'Ignore', 'Odd', undefined],
      ['spec.paramKind', { apiVersion: 'v1', kind: 'ConfigMap' }, {}, undefined],
      ['spec.validations.0.message', 'no', '', undefined],
      ['spec.validations.0.reason', 'Forbidden', 'Odd', undefined],
      ['spec.validations.0.messageExpression', "'x' + string(1)", '1', undefined],
      ['spec.validations.0.expression', 'true', 'nope', '', "object.metadata.name == 'a'"],
      ['spec.validations', [], undefined],
      ['spec.variables', [{ name: 'v', expression: '1' }], [{ name: 'v' }], undefined],
      ['spec.matchConditions', [{ name: 'c', expression: 'true' }], undefined],
      ['spec.auditAnnotations', [{ key: 'k', valueExpression: "'v'" }], undefined],
      ['spec.matchConstraints.matchPolicy', 'Exact', undefined],
      ['spec.matchConstraints', undefined, {}],
    ],
    status: [
      ['status.observedGeneration', 1],
      ['status.typeChecking', {}, { expressionWarnings: [{ fieldRef: 'f', warning: 'w' }] }],
      ['status.conditions', [{ type: 'A', status: 'True' }]],
    ],
  },
  {
    bases: BASE,
    plural: 'validatingadmissionpolicybindings',
    kind: 'ValidatingAdmissionPolicyBinding',
    namespaced: false,
    weight: 0.5,
    object: { spec: { policyName: 'none-{x}', validationActions: ['Deny'] } },
    fields: [
      ['spec.validationActions', ['Warn', 'Audit'], ['Deny', 'Warn'], [], ['Odd'], undefined],
      ['spec.paramRef', { name: 'p', parameterNotFoundAction: 'Allow' }, { name: 'p' }, undefined],
      ['spec.policyName', '', 'Bad_Name', 'other-{x}'],
      [
        'spec.matchResources',
        { objectSelector: {} },
        { resourceRules: [{ ...NOWHERE, resourceNames: ['a'] }] },
        undefined,
      ],
    ],
  },
  {
    bases: BASE,
    plural: 'mutatingadmissionpolicies',
    kind: 'MutatingAdmissionPolicy',
    namespaced: false,
    weight: 0.5,
    object: {
      spec: {
        matchConstraints: { resourceRules: [NOWHERE] },
        reinvocationPolicy: 'Never',
        mutations: [
          {
            patchType: 'ApplyConfiguration',
            applyConfiguration: { expression: "Object{metadata: Object.metadata{name: 'x'}}" },
          },
        ],
      },
    },
    fields: [
      ['spec.failurePolicy', 'Ignore', undefined],
      ['spec.reinvocationPolicy', 'IfNeeded', 'Odd', undefined],
      [
        'spec.mutations',
        [
          {
            patchType: 'JSONPatch',
            jsonPatch: { expression: "[JSONPatch{op: 'add', path: '/x', value: 1}]" },
          },
        ],
        [{ patchType: 'Odd' }],
        [],
        undefined,
      ],
      ['spec.variables', [{ name: 'v', expression: '1' }], undefined],
    ],
  },
  {
    bases: BASE,
    plural: 'mutatingadmissionpolicybindings',
    kind: 'MutatingAdmissionPolicyBinding',
    namespaced: false,
    weight: 0.4,
    object: { spec: { policyName: 'none-{x}' } },
    fields: [
      ['spec.paramRef', { selector: {}, parameterNotFoundAction: 'Deny' }, {}, undefined],
      ['spec.policyName', '', 'other-{x}'],
      ['spec.matchResources', { namespaceSelector: {} }, undefined],
    ],
  },
]
