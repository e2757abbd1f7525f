import type { Clock } from 'kubewright/base'
import type { Client } from 'kubewright/client'
import type { TokenRequest } from 'kubewright/kinds/authentication.k8s.io/v1'
import { type Pod, ServiceAccount } from 'kubewright/kinds/core/v1'
import type { TokenRequested } from './payload.ts'

interface Kept {
  readonly token: string
  /** When the next one is asked for. */
  readonly until: number
}

/** Gets tokens of a pod's service account, and a new one when four fifths of its time are over (pkg/kubelet/token). */
export function tokensOf(
  client: Client,
  clock: Clock,
  pod: Pod,
): (request: TokenRequested) => Promise<string> {
  const kept = new Map<string, Kept>()
  return async ({ audience, expirationSeconds }) => {
    const which = `${audience ?? ''} ${expirationSeconds}`
    const before = kept.get(which)
    if (before && before.until > clock.now()) return before.token
    const { namespace = '', name = '', uid = '' } = pod.metadata
    const account = { namespace, name: pod.spec?.serviceAccountName || 'default' }
    const asked = await client.subresource<TokenRequest>(ServiceAccount, account, 'token').create({
      metadata: {},
      spec: {
        audiences: audience === undefined ? [] : [audience],
        expirationSeconds,
        boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
      },
    })
    const { token = '', expirationTimestamp = '' } = asked.status ?? {}
    const left = Date.parse(expirationTimestamp) - clock.now()
    kept.set(which, { token, until: clock.now() + left * 0.8 })
    return token
  }
}
