import { kind, s, type ObjectOf } from 'kubewright'

/** An OTP application: how many, which image, and what each container gets. */
export const AppOTP = kind('appotp.learn.com/v1', 'AppOTP', {
  description: 'An OTP application that runs as a Deployment behind a Service.',
  spec: {
    size: s.integer({ format: 'int32', minimum: 0, default: 1, description: 'How many pods run.' }),
    image: s.string({ minLength: 1, description: 'The container image, with its tag.' }),
    resources: s
      .resourceRequirements({ description: 'What each container asks for and may use.' })
      .optional(),
    envs: s.envVars({ description: 'Environment variables of the container.' }).optional(),
    ports: s
      .containerPorts({ description: 'Ports of the container; the Service offers the same.' })
      .optional(),
  },
  status: {
    deploymentStatus: s.enum(['progressing', 'normal', 'degraded'], {
      description: 'How the Deployment is doing, in a word.',
    }),
    observedGeneration: s.integer({ format: 'int64' }),
    readyReplicas: s.integer({ format: 'int32' }),
    conditions: s.conditions(),
  },
  columns: {
    Size: '.spec.size',
    Ready: '.status.readyReplicas',
    Status: '.status.deploymentStatus',
    Image: { path: '.spec.image', priority: 1 },
  },
})

/** An AppOTP as the server sends it. */
export type AppOTP = ObjectOf<typeof AppOTP>
