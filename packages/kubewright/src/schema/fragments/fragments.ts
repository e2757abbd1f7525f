import type { Condition } from '../../machinery/index.ts'
import type {
  Affinity,
  ConfigMapKeySelector,
  Container,
  ContainerPort,
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  Lifecycle,
  LocalObjectReference,
  ObjectReference,
  PersistentVolumeClaimSpec,
  PodSecurityContext,
  PodSpec,
  PodTemplateSpec,
  Probe,
  ResourceRequirements,
  SecretKeySelector,
  SecurityContext,
  ServicePort,
  Toleration,
  TopologySpreadConstraint,
  Volume,
  VolumeMount,
} from '../../kinds/core/v1.ts'
import type { LabelSelector } from '../../kinds/meta/v1.ts'
import type { CommonOptions, Declared, DefaultFor } from '../builder-options.ts'
import { declare } from '../declare.ts'
import type { JsonSchema } from '../json-schema.ts'
import type { Schema } from '../schema.ts'
import data from './definitions.json' with { type: 'json' }
import { type Definitions, resolveDefinition } from './structural-definitions.ts'

/** Declares a value of a type that Kubernetes has already. */
export type Fragment<T> = <const D extends DefaultFor<T, N> = undefined, N extends boolean = false>(
  options?: CommonOptions<D, N>,
) => Declared<T, T, D, N>

/** The same for a list, which may also be bounded. */
export type ListFragment<T> = <
  const D extends DefaultFor<readonly T[], N> = undefined,
  N extends boolean = false,
>(
  options?: CommonOptions<D, N> & { readonly minItems?: number; readonly maxItems?: number },
) => Declared<readonly T[], readonly T[], D, N>

/**
 * Words for what operators take over from pods and services, with the schemas and types of Kubernetes itself: what is declared so can
 * be put into a Deployment as it is. Quantities are typed as texts; the server also takes plain numbers.
 */
export interface Fragments {
  // Containers
  resourceRequirements: Fragment<ResourceRequirements>
  envVars: ListFragment<EnvVar>
  envFrom: ListFragment<EnvFromSource>
  envVarSource: Fragment<EnvVarSource>
  containerPorts: ListFragment<ContainerPort>
  volumeMounts: ListFragment<VolumeMount>
  probe: Fragment<Probe>
  lifecycle: Fragment<Lifecycle>
  securityContext: Fragment<SecurityContext>
  containers: ListFragment<Container>
  // Pods
  podTemplate: Fragment<PodTemplateSpec>
  podSpec: Fragment<PodSpec>
  podSecurityContext: Fragment<PodSecurityContext>
  volumes: ListFragment<Volume>
  tolerations: ListFragment<Toleration>
  affinity: Fragment<Affinity>
  nodeSelector: Fragment<Readonly<Record<string, string>>>
  topologySpreadConstraints: ListFragment<TopologySpreadConstraint>
  imagePullSecrets: ListFragment<LocalObjectReference>
  // References
  localObjectReference: Fragment<LocalObjectReference>
  objectReference: Fragment<ObjectReference>
  secretKeySelector: Fragment<SecretKeySelector>
  configMapKeySelector: Fragment<ConfigMapKeySelector>
  labelSelector: Fragment<LabelSelector>
  // Services and storage
  servicePorts: ListFragment<ServicePort>
  persistentVolumeClaimSpec: Fragment<PersistentVolumeClaimSpec>
  /** Observations of the object's state, one a type, for its status. */
  conditions: ListFragment<Condition>
}

/** Where each word's schema stands: a definition, or a property of one. */
const PLACES: Readonly<Record<Exclude<keyof Fragments, 'conditions'>, string>> = {
  resourceRequirements: 'ResourceRequirements',
  envVars: 'Container.env',
  envFrom: 'Container.envFrom',
  envVarSource: 'EnvVarSource',
  containerPorts: 'Container.ports',
  volumeMounts: 'Container.volumeMounts',
  probe: 'Probe',
  lifecycle: 'Lifecycle',
  securityContext: 'SecurityContext',
  containers: 'PodSpec.containers',
  podTemplate: 'PodTemplateSpec',
  podSpec: 'PodSpec',
  podSecurityContext: 'PodSecurityContext',
  volumes: 'PodSpec.volumes',
  tolerations: 'PodSpec.tolerations',
  affinity: 'Affinity',
  nodeSelector: 'PodSpec.nodeSelector',
  topologySpreadConstraints: 'PodSpec.topologySpreadConstraints',
  imagePullSecrets: 'PodSpec.imagePullSecrets',
  localObjectReference: 'LocalObjectReference',
  objectReference: 'ObjectReference',
  secretKeySelector: 'SecretKeySelector',
  configMapKeySelector: 'ConfigMapKeySelector',
  labelSelector: 'LabelSelector',
  servicePorts: 'ServiceSpec.ports',
  persistentVolumeClaimSpec: 'PersistentVolumeClaimSpec',
}

function schemaAt(place: string): JsonSchema {
  const [name = '', property] = place.split('.')
  const schema = resolveDefinition(data as unknown as Definitions, name)
  return property === undefined ? schema : (schema.properties?.[property] as JsonSchema)
}

/** meta/v1 Condition with the bounds that its Go type declares. */
const CONDITIONS: JsonSchema = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
  items: {
    type: 'object',
    required: ['lastTransitionTime', 'message', 'reason', 'status', 'type'],
    properties: {
      type: {
        type: 'string',
        maxLength: 316,
        pattern:
          '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
      },
      status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
      observedGeneration: { type: 'integer', format: 'int64', minimum: 0 },
      lastTransitionTime: { type: 'string', format: 'date-time' },
      reason: {
        type: 'string',
        maxLength: 1024,
        minLength: 1,
        pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
      },
      message: { type: 'string', maxLength: 32768 },
    },
  },
}

type Word = (options?: object) => Schema

const words: [string, Word][] = Object.entries(PLACES).map(([name, place]) => [
  name,
  (options) => declare(schemaAt(place), options),
])

/** The implementations: what a word returns carries types that only its signature in {@link Fragments} tells. */
export const fragments: Fragments = Object.freeze({
  ...Object.fromEntries(words),
  conditions: (options?: object) => declare(CONDITIONS, options),
}) as unknown as Fragments
