import { kind, s, type ObjectOf } from 'kubewright'

/** A web application with its configuration. */
export const MyApp = kind('example.com/v1', 'MyApp', {
  description:
    'A web application: a Deployment, a Service in front of it, and a ConfigMap with its configuration.',
  spec: {
    replicas: s.integer({
      format: 'int32',
      minimum: 1,
      default: 1,
      description: 'How many pods run.',
    }),
    image: s.string({ minLength: 1, description: 'The container image, with its tag.' }),
    port: s.integer({
      format: 'int32',
      minimum: 1,
      maximum: 65535,
      default: 80,
      description: 'The port that the container listens on.',
    }),
    config: s
      .map(s.string(), {
        description: 'Environment variables for the container, kept in a ConfigMap.',
      })
      .optional(),
  },
  status: {
    readyReplicas: s.integer({ format: 'int32' }),
    observedGeneration: s.integer({ format: 'int64' }),
    selector: s.string(),
    replicas: s.integer({ format: 'int32' }),
    conditions: s.conditions(),
  },
  scale: true,
  columns: { Replicas: '.spec.replicas', Ready: '.status.readyReplicas', Image: '.spec.image' },
})

/** A MyApp as the server sends it. */
export type MyApp = ObjectOf<typeof MyApp>
