import type { ConfigMap, Container, EnvVar, Pod, Secret, Service } from 'kubewright/kinds/core/v1'
import { expand } from './expand.ts'
import { podField, type PodPlace, resourceField } from './fields.ts'
import { serviceVariables } from './services.ts'

/** Where variables come from. Objects are those of the pod's namespace. */
export interface EnvironmentSources extends PodPlace {
  readonly configMap: (name: string) => ConfigMap | undefined
  readonly secret: (name: string) => Secret | undefined
  readonly services: readonly Service[]
}

/** A container cannot be described, so that nothing is started; it is tried again (CreateContainerConfigError). */
export class ContainerConfigError extends Error {
  override readonly name = 'ContainerConfigError'
}

/**
 * The variables that a pod gives a container: of its sources, then its own with `$(NAME)` expanded, and those of services
 * (kubelet_pods.go makeEnvironmentVariables). Throws a {@link ContainerConfigError} in the kubelet's words where something is missing.
 */
export function containerVariables(
  pod: Pod,
  container: Container,
  sources: EnvironmentSources,
): ReadonlyMap<string, string> {
  const links = pod.spec?.enableServiceLinks ?? true
  const services = serviceVariables(sources.services, pod.metadata.namespace ?? '', links)
  const own = new Map<string, string>()
  for (const from of container.envFrom ?? [])
    for (const [key, value] of valuesFrom(from, sources))
      own.set(`${from.prefix ?? ''}${key}`, value)
  for (const variable of container.env ?? []) {
    const value = valueOf(
      variable,
      pod,
      container,
      sources,
      (it) => own.get(it) ?? services.get(it),
    )
    if (value !== undefined) own.set(variable.name, value)
  }
  return new Map([...services, ...own])
}

type EnvFrom = NonNullable<Container['envFrom']>[number]

function valuesFrom(from: EnvFrom, sources: EnvironmentSources): readonly [string, string][] {
  if (from.configMapRef) {
    const { name = '', optional } = from.configMapRef
    return Object.entries(mapOf('configmap', name, optional, sources) ?? {})
  }
  if (!from.secretRef) return []
  const { name = '', optional } = from.secretRef
  return Object.entries(mapOf('secret', name, optional, sources) ?? {})
}

/** The texts of a ConfigMap or Secret. Undefined for a missing one that is optional. */
function mapOf(
  kind: 'configmap' | 'secret',
  name: string,
  optional: boolean | undefined,
  { configMap, secret }: EnvironmentSources,
): Readonly<Record<string, string>> | undefined {
  const found = kind === 'configmap' ? configMap(name)?.data : decoded(secret(name))
  const isThere = (kind === 'configmap' ? configMap(name) : secret(name)) !== undefined
  if (isThere) return found ?? {}
  if (optional) return undefined
  throw new ContainerConfigError(`${kind} ${JSON.stringify(name)} not found`)
}

function decoded(secret: Secret | undefined): Readonly<Record<string, string>> | undefined {
  const entries = Object.entries(secret?.data ?? {})
  return Object.fromEntries(
    entries.map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
  )
}

function valueOf(
  { value, valueFrom }: EnvVar,
  pod: Pod,
  container: Container,
  sources: EnvironmentSources,
  known: (name: string) => string | undefined,
): string | undefined {
  if (value || !valueFrom) return expand(value ?? '', known)
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = valueFrom
  try {
    if (fieldRef) return podField(pod, fieldRef.fieldPath, sources)
    if (resourceFieldRef) return resourceField(pod, resourceFieldRef, container, sources)
  } catch (error) {
    throw new ContainerConfigError((error as Error).message, { cause: error })
  }
  if (configMapKeyRef) return keyOf(pod, 'configmap', configMapKeyRef, sources)
  if (secretKeyRef) return keyOf(pod, 'secret', secretKeyRef, sources)
  return ''
}

interface KeyRef {
  readonly name?: string
  readonly key: string
  readonly optional?: boolean
}

function keyOf(
  pod: Pod,
  kind: 'configmap' | 'secret',
  { name = '', key, optional }: KeyRef,
  sources: EnvironmentSources,
): string | undefined {
  const value = mapOf(kind, name, optional, sources)?.[key]
  if (value !== undefined || optional) return value
  const shown = kind === 'configmap' ? 'ConfigMap' : 'Secret'
  throw new ContainerConfigError(
    `couldn't find key ${key} in ${shown} ${pod.metadata.namespace}/${name}`,
  )
}
