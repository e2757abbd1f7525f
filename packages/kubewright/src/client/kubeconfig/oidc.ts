import type { Clock } from '../../base/clock.ts'
import { reasonOf } from '../answer.ts'
import { ConfigurationError } from '../exchange.ts'
import type { AuthProviderEntry } from './kubeconfig.ts'

/** An identity token and until when it should be used, ms since the epoch. */
export interface OidcToken {
  readonly token: string
  readonly expires: number
}

/** Asks an identity provider: the JSON of a good answer. */
export type AskProvider = (url: string, form?: URLSearchParams) => Promise<unknown>

/** How long before its end a token is renewed, ms. */
const LEEWAY = 10_000

/**
 * Hands out identity tokens of an `auth-provider` of the name `oidc` (client-go plugin/pkg/client/auth/oidc): the one it has while it is
 * good, then the next one for the refresh token. A refresh token that the provider replaces is kept for this process; the kubeconfig is
 * not written. Throws a ConfigurationError for another provider.
 */
export function oidcTokens(
  entry: AuthProviderEntry,
  clock: Clock,
  ask: AskProvider,
): (refused: boolean) => Promise<OidcToken> {
  const config = entry.config ?? {}
  if (entry.name !== 'oidc')
    throw new ConfigurationError(
      `the auth-provider ${entry.name} of the kubeconfig user is not supported; an exec plugin (kubelogin, gke-gcloud-auth-plugin …) or oidc was expected`,
    )
  let token = config['id-token'] ?? ''
  let refresh = config['refresh-token'] ?? ''
  return async (refused) => {
    const expires = expiryOf(token)
    if (!refused && expires > clock.now()) return { token, expires }
    if (!refresh)
      throw new ConfigurationError(
        'the id-token of the kubeconfig user has expired and there is no refresh-token; log in anew',
      )
    const next = await renewed(config, refresh, ask)
    refresh = next.refresh || refresh
    token = next.token
    return { token, expires: expiryOf(token) }
  }
}

async function renewed(
  config: Readonly<Record<string, string>>,
  refresh: string,
  ask: AskProvider,
): Promise<{ readonly token: string; readonly refresh: string }> {
  const issuer = (config['idp-issuer-url'] ?? '').replace(/\/$/, '')
  try {
    const found = (await ask(`${issuer}/.well-known/openid-configuration`)) as {
      token_endpoint?: string
    }
    if (!found.token_endpoint) throw new Error('its configuration names no token_endpoint')
    const form = new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: refresh,
      client_id: config['client-id'] ?? '',
      ...(config['client-secret'] ? { client_secret: config['client-secret'] } : {}),
    })
    const answer = (await ask(found.token_endpoint, form)) as {
      id_token?: string
      refresh_token?: string
    }
    if (!answer.id_token) throw new Error('it sent no id_token')
    return { token: answer.id_token, refresh: answer.refresh_token ?? '' }
  } catch (cause) {
    throw new ConfigurationError(
      `the id-token of the kubeconfig user could not be renewed at ${issuer || 'an unnamed issuer (idp-issuer-url)'}: ${reasonOf(cause)}; log in anew if the refresh-token has expired`,
      { cause },
    )
  }
}

/** A moment before a token ends (RFC 7519 `exp`), ms; 0 for what is none. It is the server that checks it. */
function expiryOf(token: string): number {
  const payload = token.split('.')[1]
  if (!payload) return 0
  try {
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as {
      exp?: unknown
    }
    return typeof claims.exp === 'number' ? claims.exp * 1000 - LEEWAY : 0
  } catch {
    return 0
  }
}
