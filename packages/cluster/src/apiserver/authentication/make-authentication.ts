import type { X509Certificate } from 'node:crypto'
import type { Clock } from 'kubewright/base'
import type { User } from '../http/message.ts'
import {
  aggregated,
  type Authenticated,
  AuthenticationError,
  firstOf,
  forAudiences,
  type Remarks,
  type RequestAuthenticator,
  type TokenAuthenticator,
} from './authenticator.ts'
import { bearerTokens, websocketTokens } from './bearer.ts'
import { bootstrapTokens } from './bootstrap-tokens.ts'
import { clientCertificates } from './client-certificate.ts'
import { frontProxy, type FrontProxyOptions } from './front-proxy.ts'
import type { FindObject } from './service-account-claims.ts'
import type { ServiceAccountOptions, ServiceAccountTokens } from './service-account-tokens.ts'
import { staticTokens } from './token-file.ts'

/** Who is believed (kubernetes/pkg/kubeapiserver/authenticator). Everything has a default. */
export interface AuthenticationOptions {
  /** Whether who says nothing may ask; a list of paths lets him ask for these. Default true. */
  readonly anonymous?: boolean | readonly string[]
  /** Whose client certificates are believed. Default: the listener's own client authority. */
  readonly clientAuthorities?: readonly X509Certificate[]
  readonly frontProxy?: FrontProxyOptions
  readonly serviceAccounts?: ServiceAccountOptions
  /** Whether the tokens are taken with which nodes join. Default false. */
  readonly bootstrapTokens?: boolean
  /** More authenticators of tokens, asked last in this order: JWT issuers, a webhook. */
  readonly tokens?: readonly TokenAuthenticator[]
}

/** What authenticators need of the server. */
export interface AuthenticationParts {
  readonly clock: Clock
  readonly find: FindObject
  readonly accounts: ServiceAccountTokens
  /** Tokens that are good for ever. */
  readonly users: ReadonlyMap<string, User>
  /** The authorities of the listener. */
  readonly listenerAuthorities: () => readonly X509Certificate[]
}

/** How a server recognises its users. */
export interface Authentication {
  readonly request: RequestAuthenticator
  /** As a TokenReview asks: rejects with an {@link AuthenticationError} for every token that is not good. */
  readonly token: (
    token: string,
    audiences: readonly string[],
    remarks: Remarks,
  ) => Promise<Authenticated>
  /** Whether a path may be asked for by who says nothing. */
  readonly allowsAnonymous: (path: string) => boolean
}

/** Puts the authenticators together, in kube-apiserver's order. */
export function makeAuthentication(
  options: AuthenticationOptions,
  parts: AuthenticationParts,
): Authentication {
  const { clock, accounts } = parts
  const now = (): number => clock.now()
  const audiences = accounts.audiences
  const bootstrap = options.bootstrapTokens ? [bootstrapTokens(parts.find, now)] : []
  const tokens = firstOf<Parameters<TokenAuthenticator>>([
    forAudiences(audiences, staticTokens(parts.users)),
    accounts.authenticate,
    ...bootstrap.map((it) => forAudiences(audiences, it)),
    ...(options.tokens ?? []),
  ])
  const proxy = options.frontProxy ? [frontProxy(options.frontProxy, now)] : []
  const roots = (): readonly X509Certificate[] =>
    options.clientAuthorities ?? parts.listenerAuthorities()
  const { anonymous = true } = options
  return {
    request: firstOf<Parameters<RequestAuthenticator>>([
      ...proxy,
      clientCertificates(roots, now),
      bearerTokens(tokens),
      websocketTokens(tokens),
    ]),
    token: (token, asked, remarks) => reviewed(tokens, token, asked, remarks),
    allowsAnonymous: (path) =>
      typeof anonymous === 'boolean' ? anonymous : anonymous.includes(path),
  }
}

const NOBODY = 'invalid bearer token'

/** The token of the server itself is asked for first, so that its refusal stands before all others. */
async function reviewed(
  tokens: TokenAuthenticator,
  token: string,
  audiences: readonly string[],
  remarks: Remarks,
): Promise<Authenticated> {
  let found: Authenticated | undefined
  try {
    found = await tokens(token, audiences, remarks)
  } catch (error) {
    throw aggregated([new AuthenticationError(NOBODY), error as Error])
  }
  if (!found) throw new AuthenticationError(NOBODY)
  return found
}
