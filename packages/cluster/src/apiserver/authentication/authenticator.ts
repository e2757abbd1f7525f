import type { ApiRequest, User } from '../http/message.ts'

/** A user who was recognised, and the audiences that the credential was asked for and is good for. */
export interface Authenticated {
  readonly user: User
  readonly audiences: readonly string[]
}

/** What an authenticator may say beside its answer (apiserver/pkg/audit, pkg/warning). */
export interface Remarks {
  readonly warn: (text: string) => void
  readonly annotate: (key: string, value: string) => void
}

/** Remarks that nobody hears. */
export const NO_REMARKS: Remarks = Object.freeze({ warn: () => {}, annotate: () => {} })

/**
 * Whose token this is, for one of `audiences` (apiserver/pkg/authentication/authenticator Token): undefined for a token that is none of
 * this sort; rejects with an {@link AuthenticationError} for one that is, and is not good.
 */
export type TokenAuthenticator = (
  token: string,
  audiences: readonly string[],
  remarks: Remarks,
) => Promise<Authenticated | undefined>

/** Who sends a request (authenticator.Request): as with tokens. */
export type RequestAuthenticator = (
  request: ApiRequest,
  remarks: Remarks,
) => Promise<Authenticated | undefined>

/** Why a credential is not good, in the words that a TokenReview shows. Whoever sent it is only told `Unauthorized`. */
export class AuthenticationError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'AuthenticationError'
  }
}

/** Several reasons as one, each once (apimachinery/pkg/util/errors Aggregate). */
export function aggregated(errors: readonly Error[]): AuthenticationError {
  const messages = [...new Set(errors.map((it) => it.message))]
  return new AuthenticationError(
    messages.length === 1 ? messages[0]! : `[${messages.join(', ')}]`,
    errors[0] ? { cause: errors[0] } : undefined,
  )
}

type Asked<T extends readonly unknown[]> = (...asked: T) => Promise<Authenticated | undefined>

/** The first of several that recognises somebody; what the others found wrong counts only where nobody does (authentication/request/union). */
export const firstOf =
  <T extends readonly unknown[]>(authenticators: readonly Asked<T>[]): Asked<T> =>
  async (...asked) => {
    const errors: Error[] = []
    for (const authenticate of authenticators) {
      try {
        const found = await authenticate(...asked)
        if (found) return found
      } catch (error) {
        errors.push(error as Error)
      }
    }
    if (errors.length > 0) throw aggregated(errors)
    return undefined
  }

const intersection = (some: readonly string[], others: readonly string[]): readonly string[] =>
  some.filter((it) => others.includes(it))

/** Makes a token authenticator that knows no audiences good for those of the server (authenticatorfactory, AudAgnosticTokenAuthenticator). */
export const forAudiences =
  (server: readonly string[], authenticate: TokenAuthenticator): TokenAuthenticator =>
  async (token, audiences, remarks) => {
    const good = audiences.length === 0 ? server : intersection(server, audiences)
    if (good.length === 0 && server.length > 0) return undefined
    const found = await authenticate(token, audiences, remarks)
    return found && { user: found.user, audiences: good }
  }
