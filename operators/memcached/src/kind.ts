import { kind, s, type ObjectOf } from 'kubewright'

/** A set of memcached servers. */
export const Memcached = kind('cache.example.com/v1alpha1', 'Memcached', {
  description: 'A set of memcached servers.',
  spec: s.object(
    {
      size: s.integer({ format: 'int32', description: 'How many servers run: 1 to 5.' }),
      containerPort: s.integer({
        format: 'int32',
        minimum: 1,
        maximum: 65535,
        default: 11211,
        description: 'The port that memcached listens on.',
      }),
      image: s.string({
        minLength: 1,
        default: 'memcached:1.6.38-alpine',
        description: 'The container image.',
      }),
    },
    {
      validations: [
        {
          rule: 'self.size >= 1 && self.size <= 5',
          message: 'size must be between 1 and 5',
          fieldPath: '.size',
        },
      ],
    },
  ),
  status: {
    nodes: s.array(s.string(), {
      listType: 'set',
      description: 'The names of the pods that run a server.',
    }),
    observedGeneration: s.integer({ format: 'int64' }),
    conditions: s.conditions(),
  },
  columns: {
    Size: '.spec.size',
    Available: '.status.conditions[?(@.type=="Available")].status',
    Degraded: '.status.conditions[?(@.type=="Degraded")].status',
  },
})

/** A Memcached as the server sends it. */
export type Memcached = ObjectOf<typeof Memcached>
