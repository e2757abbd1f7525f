import type { Draft } from 'kubewright'
import type { Deployment } from 'kubewright/kinds/apps/v1'
import type { Memcached } from './kind.ts'

/** What selects the pods of a Memcached. */
export const selectorOf = (name: string): Record<string, string> => ({
  'app.kubernetes.io/name': 'memcached',
  'app.kubernetes.io/instance': name,
})

/** {@link selectorOf} as a label selector. */
export const selectorTextOf = (name: string): string =>
  Object.entries(selectorOf(name))
    .map(([key, value]) => `${key}=${value}`)
    .join(',')

/** The Deployment that runs the servers, under the restricted pod security standard. */
export function deploymentOf({
  metadata: { name = '', namespace },
  spec,
}: Memcached): Draft<Deployment> {
  const labels = selectorOf(name)
  const container = {
    name: 'memcached',
    image: spec.image,
    command: [
      'memcached',
      '--memory-limit=64',
      `--port=${spec.containerPort}`,
      '-o',
      'modern',
      '-v',
    ],
    ports: [{ name: 'memcached', containerPort: spec.containerPort }],
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 1001,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    },
  }
  const securityContext = {
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' },
  } as const
  return {
    metadata: { name, namespace, labels },
    spec: {
      replicas: spec.size,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { securityContext, containers: [container] } },
    },
  }
}
