import type { X509Certificate } from 'node:crypto'
import type { ApiRequest } from '../http/message.ts'
import { AuthenticationError, type RequestAuthenticator } from './authenticator.ts'
import { commonName, presented } from './client-certificate.ts'
import { chainProblem } from './verify-chain.ts'

/** Which proxies are believed, and in which headers they say who asks (`--requestheader-*`). Header names are in lower case. */
export interface FrontProxyOptions {
  readonly authorities: readonly X509Certificate[]
  /** Common names of the proxies' certificates; empty: any. */
  readonly allowedNames: readonly string[]
  readonly usernameHeaders: readonly string[]
  readonly uidHeaders: readonly string[]
  readonly groupHeaders: readonly string[]
  readonly extraPrefixes: readonly string[]
}

/**
 * Believes the headers of a proxy that shows a certificate of its own authority (apiserver/pkg/authentication/request/headerrequest).
 */
export const frontProxy =
  (options: FrontProxyOptions, now: () => number): RequestAuthenticator =>
  async (request) => {
    const certificate = presented(request)
    if (!certificate) return undefined
    const problem = chainProblem(certificate, options.authorities, now())
    if (problem !== undefined) throw new AuthenticationError(problem)
    const { allowedNames } = options
    const name = commonName(certificate.leaf)
    if (allowedNames.length > 0 && !allowedNames.includes(name)) {
      throw new AuthenticationError(`x509: subject with cn=${name} is not in the allowed list`)
    }
    return userOf(request, options)
  }

async function userOf(
  request: ApiRequest,
  options: FrontProxyOptions,
): ReturnType<RequestAuthenticator> {
  const first = (names: readonly string[]): string =>
    names.map((it) => request.header(it)?.trim() ?? '').find((it) => it !== '') ?? ''
  const name = first(options.usernameHeaders)
  if (name === '') return undefined
  const uid = first(options.uidHeaders)
  const groups = options.groupHeaders.flatMap((it) => valuesOf(request, it))
  const extra = extraOf(request, options.extraPrefixes)
  return {
    user: {
      name,
      groups,
      ...(uid === '' ? {} : { uid }),
      ...(Object.keys(extra).length === 0 ? {} : { extra }),
    },
    audiences: [],
  }
}

/** Where the values of a header are not told apart, they are joined. */
const valuesOf = (request: ApiRequest, name: string): readonly string[] =>
  (request.values?.(name) ?? request.header(name)?.split(/, */) ?? []).filter((it) => it !== '')

function extraOf(
  request: ApiRequest,
  prefixes: readonly string[],
): Readonly<Record<string, readonly string[]>> {
  const extra: Record<string, readonly string[]> = Object.create(null) as never
  for (const prefix of prefixes) {
    for (const [name] of request.headers()) {
      if (!name.startsWith(prefix)) continue
      const key = unescaped(name.slice(prefix.length))
      extra[key] = [...(extra[key] ?? []), ...valuesOf(request, name)]
    }
  }
  return extra
}

/** A key that is not well escaped stays as it is (unescapeExtraKey). */
export function unescaped(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}
