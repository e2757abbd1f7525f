import type { Draft } from 'kubewright'
import type { Deployment } from 'kubewright/kinds/apps/v1'
import type { ConfigMap, Service } from 'kubewright/kinds/core/v1'
import type { MyApp } from './kind.ts'

/** What selects the pods of a MyApp. */
export const selectorOf = (name: string): Record<string, string> => ({
  'app.kubernetes.io/name': 'my-app',
  'app.kubernetes.io/instance': name,
})

/** {@link selectorOf} as a label selector: what the scale subresource tells an autoscaler. */
export const selectorTextOf = (name: string): string =>
  Object.entries(selectorOf(name))
    .map(([key, value]) => `${key}=${value}`)
    .join(',')

/** The ConfigMap that holds the configuration. */
export function configMapOf({ metadata: { name = '', namespace }, spec }: MyApp): Draft<ConfigMap> {
  return { metadata: { name, namespace, labels: selectorOf(name) }, data: spec.config ?? {} }
}

/** The Deployment; its pods carry the configuration's revision, so that a change of it rolls them. */
export function deploymentOf({
  metadata: { name = '', namespace },
  spec,
}: MyApp): Draft<Deployment> {
  const labels = selectorOf(name)
  const container = {
    name: 'app',
    image: spec.image,
    ports: [{ name: 'http', containerPort: spec.port }],
    envFrom: [{ configMapRef: { name } }],
  }
  const annotations = { 'example.com/config': configRevision(spec.config ?? {}) }
  return {
    metadata: { name, namespace, labels },
    spec: {
      replicas: spec.replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels, annotations }, spec: { containers: [container] } },
    },
  }
}

/** The Service in front of the pods. */
export function serviceOf({ metadata: { name = '', namespace }, spec }: MyApp): Draft<Service> {
  const labels = selectorOf(name)
  return {
    metadata: { name, namespace, labels },
    spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: spec.port }] },
  }
}

/** A short text that differs when the configuration does (FNV-1a over its sorted entries). */
export function configRevision(config: Readonly<Record<string, string>>): string {
  const text = JSON.stringify(Object.entries(config).sort(([a], [b]) => (a < b ? -1 : 1)))
  let hash = 0x811c9dc5
  for (const char of text) hash = Math.imul(hash ^ char.codePointAt(0)!, 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}
