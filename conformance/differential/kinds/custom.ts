import type { KindModel } from './kind.ts'

/** The group of the definitions that generated sequences use. */
export const GROUP = 'differential.example.com'

const base = (version: string): string => `/apis/${GROUP}/${version}`

/** A definition with one version, or several that share a schema. */
function definition(
  kind: string,
  versions: readonly Record<string, unknown>[],
  scope: 'Namespaced' | 'Cluster' = 'Namespaced',
): Record<string, unknown> {
  const singular = kind.toLowerCase()
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.${GROUP}` },
    spec: {
      group: GROUP,
      scope,
      names: { kind, plural: `${singular}s`, singular, shortNames: [singular.slice(0, 3)] },
      versions: versions.map((it, i) => ({ served: true, storage: i === 0, ...it })),
    },
  }
}

const object = (properties: object, more: object = {}): object => ({
  type: 'object',
  properties,
  ...more,
})

const WIDGET_SPEC = object(
  {
    size: { type: 'integer', minimum: 0, maximum: 100, default: 1 },
    color: { type: 'string', enum: ['red', 'green', 'blue'] },
    note: { type: 'string', nullable: true, maxLength: 10 },
    port: { 'x-kubernetes-int-or-string': true },
    ratio: { type: 'number' },
    on: { type: 'boolean', default: true },
    when: { type: 'string', format: 'date-time' },
    replicas: { type: 'integer', format: 'int32' },
    parts: {
      type: 'array',
      maxItems: 5,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: object(
        {
          name: { type: 'string' },
          value: { type: 'integer', default: 7 },
          tags: { type: 'array', items: { type: 'string' } },
        },
        { required: ['name'] },
      ),
    },
    words: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    whole: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: { type: 'integer' } },
    bag: { type: 'object', additionalProperties: { type: 'string' } },
    fixed: {
      type: 'object',
      'x-kubernetes-map-type': 'atomic',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
    },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    nested: object({
      deep: object(
        { x: { type: 'integer', default: 3 }, y: { type: 'string', default: 'why' } },
        { default: {} },
      ),
    }),
    embedded: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    },
  },
  { required: ['color'] },
)

const STATUS = object({
  replicas: { type: 'integer' },
  selector: { type: 'string' },
  phase: { type: 'string', default: 'New' },
  conditions: {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
    items: object(
      { type: { type: 'string' }, status: { type: 'string' } },
      { required: ['type', 'status'] },
    ),
  },
})

const WIDGET_VERSION = {
  schema: { openAPIV3Schema: object({ spec: WIDGET_SPEC, status: STATUS }) },
  subresources: {
    status: {},
    scale: {
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.selector',
    },
  },
  additionalPrinterColumns: [
    { name: 'Color', type: 'string', jsonPath: '.spec.color' },
    { name: 'Size', type: 'integer', jsonPath: '.spec.size', priority: 1 },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  selectableFields: [{ jsonPath: '.spec.color' }, { jsonPath: '.spec.size' }],
}

const RULES = object(
  {
    min: { type: 'integer', default: 0 },
    max: { type: 'integer' },
    frozen: {
      type: 'string',
      'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'frozen is immutable' }],
    },
    grows: {
      type: 'integer',
      'x-kubernetes-validations': [
        {
          rule: 'self >= oldSelf',
          messageExpression: "oldSelf > 3 ? 'grows must not shrink' : 'too small'",
        },
      ],
    },
    names: {
      type: 'array',
      maxItems: 10,
      items: {
        type: 'string',
        maxLength: 8,
        'x-kubernetes-validations': [
          { rule: "self.startsWith('a')", reason: 'FieldValueForbidden' },
        ],
      },
    },
    items: {
      type: 'array',
      maxItems: 10,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['key'],
      items: object(
        {
          key: { type: 'string', maxLength: 10 },
          count: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self >= oldSelf' }] },
        },
        { required: ['key'] },
      ),
    },
    once: {
      type: 'string',
      maxLength: 20,
      'x-kubernetes-validations': [
        { rule: '!oldSelf.hasValue() || self == oldSelf.value()', optionalOldSelf: true },
      ],
    },
    pattern: { type: 'string', maxLength: 20, pattern: '^[a-z]+$' },
    any: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
    one: {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
    },
    until: { type: 'string', format: 'duration' },
    ip: { type: 'string', format: 'ipv4' },
  },
  {
    'x-kubernetes-validations': [
      {
        rule: '!has(self.max) || self.min <= self.max',
        message: 'min must not be above max',
        fieldPath: '.min',
      },
      {
        rule: "!has(self.pattern) || self.pattern != 'bad'",
        messageExpression: "'pattern is ' + self.pattern",
      },
    ],
  },
)

/** The definitions that generated sequences use, made once on both servers. */
export const DEFINITIONS: readonly Record<string, unknown>[] = [
  definition('Widget', [
    { name: 'v1', ...WIDGET_VERSION },
    { name: 'v1beta1', deprecated: true, ...WIDGET_VERSION },
  ]),
  definition('Rule', [{ name: 'v1', schema: { openAPIV3Schema: object({ spec: RULES }) } }]),
  definition(
    'Loose',
    [
      {
        name: 'v1alpha1',
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
    'Cluster',
  ),
]

const WIDGET_FIELDS: KindModel['fields'] = [
  ['spec.size', 5, 100, 101, -1, undefined],
  ['spec.color', 'green', 'blue', 'pink', undefined],
  ['spec.note', null, 'n', 'longer than ten', undefined],
  ['spec.port', 80, 'http', 1.5, undefined],
  ['spec.ratio', 1, 0.5, 1e10, 3, undefined],
  ['spec.on', false, null, undefined],
  ['spec.when', '2020-01-01T00:00:00Z', 'yesterday', undefined],
  ['spec.replicas', 2, 0, -1, undefined],
  [
    'spec.parts',
    [{ name: 'a' }],
    [
      { name: 'a', value: 1 },
      { name: 'b', tags: ['x', 'x'] },
    ],
    [{ name: 'b' }, { name: 'a' }],
    [{ name: 'a' }, { name: 'a' }],
    [{ value: 3 }],
    [],
    undefined,
  ],
  ['spec.words', ['x'], ['x', 'y'], ['y', 'x'], ['x', 'x'], undefined],
  ['spec.whole', [1, 2], [], [2], undefined],
  ['spec.bag', { a: '1' }, { b: '2', a: '3' }, {}, undefined],
  ['spec.fixed', { a: '1' }, { b: '2' }, undefined],
  ['spec.free', { any: [1, { x: null }] }, { other: true }, undefined],
  ['spec.nested', {}, { deep: {} }, { deep: { x: 9 } }, { deep: null }, undefined],
  [
    'spec.embedded',
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'e', nope: 1 }, data: { a: 'b' } },
    { kind: 'X' },
    undefined,
  ],
  ['spec.unknown', 1],
]

/** The kinds of {@link DEFINITIONS}. */
export const CUSTOM: readonly KindModel[] = [
  {
    bases: [base('v1'), base('v1beta1')],
    plural: 'widgets',
    kind: 'Widget',
    namespaced: true,
    weight: 7,
    scale: true,
    object: { spec: { color: 'red', replicas: 1 } },
    fields: WIDGET_FIELDS,
    status: [
      ['status.replicas', 3, -1, 'x'],
      ['status.selector', 'a=b', 5, undefined],
      ['status.phase', 'Ready', undefined],
      [
        'status.conditions',
        [{ type: 'Ready', status: 'True' }],
        [
          { type: 'Ready', status: 'False' },
          { type: 'B', status: '' },
        ],
        [{ type: 'x' }],
        undefined,
      ],
    ],
    selectors: ['spec.color=red', 'spec.size=5', 'spec.size!=1', 'spec.note=n'],
  },
  {
    bases: [base('v1')],
    plural: 'rules',
    kind: 'Rule',
    namespaced: true,
    weight: 4,
    object: { spec: { max: 5 } },
    fields: [
      ['spec.min', 1, 9, undefined],
      ['spec.max', 3, 10, undefined],
      ['spec.frozen', 'a', 'b', undefined],
      ['spec.grows', 1, 5, 3, undefined],
      ['spec.names', ['a'], ['b'], ['ab', 'c', 'toolongname'], undefined],
      [
        'spec.items',
        [{ key: 'a', count: 1 }],
        [
          { key: 'a', count: 0 },
          { key: 'b', count: 9 },
        ],
        [{ key: 'b', count: 2 }],
        undefined,
      ],
      ['spec.once', 'x', 'y', undefined],
      ['spec.pattern', 'good', 'bad', 'BAD', undefined],
      ['spec.any', 1, 'x', true, undefined],
      ['spec.one', { a: '1' }, { b: '2' }, { a: '1', b: '2' }, {}, undefined],
      ['spec.until', '5s', 'forever', undefined],
      ['spec.ip', '192.0.2.1', '::1', undefined],
      ['spec', undefined, {}],
    ],
  },
  {
    bases: [base('v1alpha1')],
    plural: 'looses',
    kind: 'Loose',
    namespaced: false,
    weight: 1,
    object: { spec: { anything: 1 } },
    fields: [
      ['spec.anything', 'text', { a: null }, [1, 2.5, 'x'], undefined],
      ['top', 1, undefined],
      ['status', { a: 1 }, undefined],
      ['spec', undefined, []],
    ],
  },
]
