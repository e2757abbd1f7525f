import type { Clock } from 'kubewright/base'
import { connect, type KubeConfig } from 'kubewright/client'

/** What a remote service answered: its status, and its body where that is JSON. */
export interface RemoteAnswer {
  readonly status: number
  readonly body: unknown
  readonly text: string
}

/** A service that the server asks: a webhook, or an issuer of tokens. Calls reject with an Error where there is no answer in time. */
export interface Remote {
  /** The URL that its kubeconfig names. */
  readonly url: string
  readonly post: (body: object, timeout: number) => Promise<RemoteAnswer>
  readonly get: (url: string, timeout: number) => Promise<RemoteAnswer>
  readonly close: () => Promise<void>
}

/** The service that a kubeconfig names, with its authority and the server's own credentials for it. Throws for one that cannot be used. */
export function remoteOf(config: KubeConfig, clock: Clock): Remote {
  const { server, transport, close } = connect(config, { clock })
  const ask = async (url: string, init: RequestInit, timeout: number): Promise<RemoteAnswer> => {
    const ended = new AbortController()
    const timer = clock.after(timeout, () => ended.abort(new Error('context deadline exceeded')))
    try {
      const answer = await transport(new Request(url, { ...init, signal: ended.signal }))
      const text = await answer.text()
      return { status: answer.status, body: jsonOf(text), text }
    } finally {
      timer.cancel()
    }
  }
  return {
    url: server,
    post: (body, timeout) => {
      const headers = { 'content-type': 'application/json', accept: 'application/json' }
      return ask(server, { method: 'POST', headers, body: JSON.stringify(body) }, timeout)
    },
    get: (url, timeout) => ask(url, { headers: { accept: 'application/json' } }, timeout),
    close,
  }
}

/** A service at a URL alone, trusted by `authority` (PEM) or, without it, by the machine's own. */
export const remoteAt = (url: string, authority: string | undefined, clock: Clock): Remote =>
  remoteOf(
    {
      clusters: [
        {
          name: 'remote',
          cluster: {
            server: url,
            ...(authority
              ? { 'certificate-authority-data': Buffer.from(authority).toString('base64') }
              : {}),
          },
        },
      ],
      contexts: [{ name: 'remote', context: { cluster: 'remote' } }],
      'current-context': 'remote',
    } as KubeConfig,
    clock,
  )

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
