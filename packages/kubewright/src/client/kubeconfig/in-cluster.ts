import { existsSync, readFileSync } from 'node:fs'
import type { KubeConfig } from './kubeconfig.ts'

/** Where Kubernetes mounts a pod's service account. */
export const SERVICE_ACCOUNT_DIR = '/var/run/secrets/kubernetes.io/serviceaccount'

/** The configuration of the pod that this runs in, or undefined outside of one. The token file is re-read as it is rotated. */
export function inClusterConfig(
  env: Readonly<Record<string, string | undefined>>,
  folder: string = SERVICE_ACCOUNT_DIR,
): KubeConfig | undefined {
  const host = env['KUBERNETES_SERVICE_HOST']
  const port = env['KUBERNETES_SERVICE_PORT']
  if (!host || !port || !existsSync(`${folder}/token`)) return undefined
  const namespace = existsSync(`${folder}/namespace`)
    ? readFileSync(`${folder}/namespace`, 'utf8').trim()
    : ''
  return {
    clusters: [
      {
        name: 'in-cluster',
        cluster: {
          server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
          'certificate-authority': `${folder}/ca.crt`,
        },
      },
    ],
    users: [{ name: 'service-account', user: { tokenFile: `${folder}/token` } }],
    contexts: [
      {
        name: 'in-cluster',
        context: {
          cluster: 'in-cluster',
          user: 'service-account',
          ...(namespace ? { namespace } : {}),
        },
      },
    ],
    'current-context': 'in-cluster',
  }
}
