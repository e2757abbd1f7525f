import type { Draft } from 'kubewright'
import type { Deployment } from 'kubewright/kinds/apps/v1'
import type { Service } from 'kubewright/kinds/core/v1'
import type { AppOTP } from './kind.ts'

/** The label by which a pod names its AppOTP. */
export const OWNER_LABEL: string = 'appotp.learn.com/name'

const labelsOf = (name: string): Record<string, string> => ({
  'app.kubernetes.io/name': 'app-otp',
  'app.kubernetes.io/managed-by': 'kubewright',
  [OWNER_LABEL]: name,
})

/** The Deployment that an AppOTP asks for. */
export function deploymentOf({ metadata, spec }: AppOTP): Draft<Deployment> {
  const { name = '', namespace } = metadata
  const labels = labelsOf(name)
  const container = {
    name: 'app-otp',
    image: spec.image,
    ...(spec.resources ? { resources: spec.resources } : {}),
    ...(spec.envs ? { env: spec.envs } : {}),
    ...(spec.ports ? { ports: spec.ports } : {}),
  }
  return {
    metadata: { name, namespace, labels },
    spec: {
      replicas: spec.size,
      selector: { matchLabels: { [OWNER_LABEL]: name } },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  }
}

/** The Service in front of an AppOTP, or undefined where it opens no port. */
export function serviceOf({ metadata, spec }: AppOTP): Draft<Service> | undefined {
  const { name = '', namespace } = metadata
  if (!spec.ports?.length) return undefined
  const ports = spec.ports.map((it) => ({
    name: it.name ?? `port-${it.containerPort}`,
    port: it.containerPort,
    targetPort: it.containerPort,
    protocol: it.protocol ?? 'TCP',
  }))
  return {
    metadata: { name, namespace, labels: labelsOf(name) },
    spec: { selector: { [OWNER_LABEL]: name }, ports },
  }
}
