import type { Clock } from 'kubewright/base'
import type { Remote } from '../http/remote.ts'
import {
  AuthenticationError,
  type Authenticated,
  type TokenAuthenticator,
} from './authenticator.ts'

/** How a webhook is asked about tokens (`--authentication-token-webhook-*`). */
export interface WebhookTokenOptions {
  readonly remote: Remote
  /** `v1` or `v1beta1`. */
  readonly version: string
  /** How long a token that it knows is believed, in milliseconds. */
  readonly cacheMilliseconds: number
  /** Whom tokens are for where nobody says. */
  readonly audiences: readonly string[]
  readonly clock: Clock
}

const PATIENCE = 30_000
const MOST_REMEMBERED = 4096

interface Status {
  readonly authenticated?: boolean
  readonly user?: {
    readonly username?: string
    readonly uid?: string
    readonly groups?: readonly string[]
    readonly extra?: Readonly<Record<string, readonly string[]>>
  }
  readonly audiences?: readonly string[]
  readonly error?: string
}

/** Asks a webhook whose token it is (apiserver/plugin/pkg/authenticator/token/webhook); what it knows is remembered for a while. */
export function webhookTokens(options: WebhookTokenOptions): TokenAuthenticator {
  const remembered = new Map<string, { readonly found: Authenticated; readonly until: number }>()
  return async (token, asked) => {
    const audiences = asked.length > 0 ? asked : options.audiences
    const key = JSON.stringify([token, audiences])
    const known = remembered.get(key)
    const now = options.clock.now()
    if (known && known.until > now) return known.found
    const found = await ask(token, audiences, options)
    if (remembered.size >= MOST_REMEMBERED) remembered.clear()
    if (found) remembered.set(key, { found, until: now + options.cacheMilliseconds })
    else remembered.delete(key)
    return found
  }
}

async function ask(
  token: string,
  audiences: readonly string[],
  { remote, version }: WebhookTokenOptions,
): Promise<Authenticated | undefined> {
  const review = {
    kind: 'TokenReview',
    apiVersion: `authentication.k8s.io/${version}`,
    metadata: {},
    spec: { token, ...(audiences.length > 0 ? { audiences } : {}) },
    status: { user: {} },
  }
  const status = await statusOf(remote, review)
  if (!status.authenticated) {
    if (status.error) throw new AuthenticationError(status.error)
    return undefined
  }
  // A webhook that knows no audiences answers for the server.
  const good = status.audiences?.length
    ? status.audiences.filter((it) => audiences.includes(it))
    : audiences
  if (audiences.length > 0 && good.length === 0) return undefined
  const { username = '', uid, groups = [], extra } = status.user ?? {}
  const user = { name: username, groups, ...(uid ? { uid } : {}), ...(extra ? { extra } : {}) }
  return { user, audiences: good }
}

async function statusOf(remote: Remote, review: object): Promise<Status> {
  try {
    const { status, body, text } = await remote.post(review, PATIENCE)
    if (status >= 200 && status < 300)
      return (body as { status?: Status } | undefined)?.status ?? {}
    throw new Error(`the webhook answered ${status}: ${text.slice(0, 200)}`)
  } catch (error) {
    throw new AuthenticationError((error as Error).message, { cause: error })
  }
}
