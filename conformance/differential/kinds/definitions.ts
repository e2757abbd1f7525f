/** The group of the definitions that generated sequences use. */
export const GROUP = 'differential.example.com'

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

/** Two versions that know different fields: each drops what the other alone knows, and defaults its own. */
const SHAPE_V1 = object(
  {
    sides: { type: 'integer', default: 3 },
    label: { type: 'string', default: 'none' },
    points: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['x', 'plane'],
      items: object(
        {
          x: { type: 'integer' },
          plane: { type: 'string', default: 'front' },
          weight: { type: 'number', nullable: true },
        },
        { required: ['x'] },
      ),
    },
    old: { type: 'string' },
  },
  { required: ['sides'] },
)

const SHAPE_V2 = object({
  sides: { type: 'integer', default: 3 },
  label: { type: 'string', default: 'none' },
  points: {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['x', 'plane'],
    items: object(
      { x: { type: 'integer' }, plane: { type: 'string', default: 'front' } },
      { required: ['x'] },
    ),
  },
  extra: object({ on: { type: 'boolean', default: false } }, { default: {} }),
})

/** The definitions that generated sequences use, made once on both servers. */
export const DEFINITIONS: readonly Record<string, unknown>[] = [
  definition('Widget', [
    { name: 'v1', ...WIDGET_VERSION },
    { name: 'v1beta1', deprecated: true, ...WIDGET_VERSION },
  ]),
  definition('Rule', [{ name: 'v1', schema: { openAPIV3Schema: object({ spec: RULES }) } }]),
  definition(
    'Shape',
    [
      {
        name: 'v1',
        schema: { openAPIV3Schema: object({ spec: SHAPE_V1, status: STATUS }) },
        subresources: { status: {} },
      },
      { name: 'v2', schema: { openAPIV3Schema: object({ spec: SHAPE_V2, status: STATUS }) } },
    ],
    'Cluster',
  ),
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
