import type { Condition } from '../machinery/condition.ts'
import type {
  ContainerPort,
  EnvVar,
  LocalObjectReference,
  ResourceRequirements,
} from '../kinds/core/v1.ts'
import { words } from './builder.ts'
import { type Schema, schemaOf } from './schema.ts'

/** What may be said of a fragment: its structure is fixed. */
export interface FragmentOptions {
  readonly description?: string
}

/** Values that Kubernetes itself declares and that specs often carry: the types are those of the built-in kinds. */
export interface Fragments {
  /** What a container asks for and may use (core/v1 ResourceRequirements), without claims. */
  resourceRequirements(
    options?: FragmentOptions,
  ): Schema<
    Pick<ResourceRequirements, 'limits' | 'requests'>,
    Pick<ResourceRequirements, 'limits' | 'requests'>,
    'required'
  >
  /** Environment variables, by name (core/v1 EnvVar): values, or references to fields, ConfigMaps and Secrets. */
  envVars(options?: FragmentOptions): Schema<readonly EnvVar[], readonly EnvVar[], 'required'>
  /** Ports of a container (core/v1 ContainerPort), by number and protocol. */
  containerPorts(
    options?: FragmentOptions,
  ): Schema<readonly ContainerPort[], readonly ContainerPort[], 'required'>
  /** Names of Secrets to pull images with (core/v1 LocalObjectReference). */
  imagePullSecrets(
    options?: FragmentOptions,
  ): Schema<readonly LocalObjectReference[], readonly LocalObjectReference[], 'required'>
  /** Observations of an object's state, by type (meta/v1 Condition). */
  conditions(
    options?: FragmentOptions,
  ): Schema<readonly Condition[], readonly Condition[], 'required'>
}

const w = words

const requirements = w.object({
  limits: w.map(w.quantity()).optional(),
  requests: w.map(w.quantity()).optional(),
})

const keyOf = (what: string) =>
  w.object(
    {
      name: w.string({ default: '', description: `The name of the ${what}.` }),
      key: w.string({ description: `The key in the ${what}.` }),
      optional: w
        .boolean({ description: `Whether the ${what} or its key may be absent.` })
        .optional(),
    },
    { mapType: 'atomic' },
  )

const envVar = w.object({
  name: w.string({ minLength: 1 }),
  value: w.string().optional(),
  valueFrom: w
    .object({
      fieldRef: w
        .object({ apiVersion: w.string().optional(), fieldPath: w.string() }, { mapType: 'atomic' })
        .optional(),
      resourceFieldRef: w
        .object(
          {
            containerName: w.string().optional(),
            resource: w.string(),
            divisor: w.quantity().optional(),
          },
          { mapType: 'atomic' },
        )
        .optional(),
      configMapKeyRef: keyOf('ConfigMap').optional(),
      secretKeyRef: keyOf('Secret').optional(),
    })
    .optional(),
})

const port = w.object({
  name: w.string().optional(),
  containerPort: w.integer({ format: 'int32', minimum: 1, maximum: 65535 }),
  protocol: w.enum(['TCP', 'UDP', 'SCTP'], { default: 'TCP' }),
  hostPort: w.integer({ format: 'int32', minimum: 1, maximum: 65535 }).optional(),
  hostIP: w.string().optional(),
})

const conditionSchema = w.object({
  type: w.string({
    maxLength: 316,
    pattern:
      '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
  }),
  status: w.enum(['True', 'False', 'Unknown']),
  observedGeneration: w.integer({ format: 'int64', minimum: 0 }).optional(),
  lastTransitionTime: w.dateTime(),
  reason: w.string({
    minLength: 1,
    maxLength: 1024,
    pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
  }),
  message: w.string({ maxLength: 32768 }),
})

/** A fragment's schema under the built-in kinds' type, which says the same of what passes it. */
const typed = <T>(
  { json }: Schema,
  { description }: FragmentOptions = {},
): Schema<T, T, 'required'> =>
  schemaOf<T, T>(Object.freeze({ ...(description ? { description } : {}), ...json }), 'required')

/** The implementations of {@link Fragments}. */
export const fragments: Fragments = Object.freeze({
  resourceRequirements: (options?: FragmentOptions) =>
    typed<ResourceRequirements>(requirements, options),
  envVars: (options?: FragmentOptions) =>
    typed<readonly EnvVar[]>(w.array(envVar, { mapKeys: ['name'] }), options),
  containerPorts: (options?: FragmentOptions) =>
    typed<readonly ContainerPort[]>(
      w.array(port, { mapKeys: ['containerPort', 'protocol'] }),
      options,
    ),
  imagePullSecrets: (options?: FragmentOptions) =>
    typed<readonly LocalObjectReference[]>(
      w.array(w.object({ name: w.string({ default: '' }) }), { mapKeys: ['name'] }),
      options,
    ),
  conditions: (options?: FragmentOptions) =>
    typed<readonly Condition[]>(w.array(conditionSchema, { mapKeys: ['type'] }), options),
})
