import type { ApiRequest } from '../http/message.ts'
import {
  AuthenticationError,
  type RequestAuthenticator,
  type TokenAuthenticator,
} from './authenticator.ts'

/** Recognises the bearer token of a request (apiserver/pkg/authentication/request/bearertoken). One that nobody issued is refused. */
export const bearerTokens =
  (tokens: TokenAuthenticator): RequestAuthenticator =>
  async (request, remarks) => {
    const [scheme = '', token, ...more] = (request.header('authorization') ?? '').trim().split(' ')
    if (scheme.toLowerCase() !== 'bearer' || token === undefined) return undefined
    if (token === '') {
      if (more.some((it) => it !== ''))
        remarks.warn(
          'the provided Authorization header contains extra space before the bearer token, and is ignored',
        )
      return undefined
    }
    return await demanded(tokens, token, remarks)
  }

const PROTOCOL = 'base64url.bearer.authorization.k8s.io.'

/** Recognises a token among the protocols of a WebSocket, where browsers can put one (authentication/request/websocket). */
export const websocketTokens =
  (tokens: TokenAuthenticator): RequestAuthenticator =>
  async (request, remarks) => {
    if (!isWebSocket(request)) return undefined
    const protocols = (request.header('sec-websocket-protocol') ?? '').split(',')
    const found = protocols.map((it) => it.trim()).filter((it) => it.startsWith(PROTOCOL))
    const [encoded] = found
    if (encoded === undefined) return undefined
    if (found.length > 1) throw new AuthenticationError('multiple bearer tokens specified')
    const bytes = Buffer.from(encoded.slice(PROTOCOL.length), 'base64url')
    return bytes.length === 0 ? undefined : await demanded(tokens, bytes.toString(), remarks)
  }

const isWebSocket = (request: ApiRequest): boolean =>
  request.header('upgrade')?.toLowerCase() === 'websocket' &&
  /\bupgrade\b/i.test(request.header('connection') ?? '')

/** A token that was shown and that nobody recognises is not the same as none. */
async function demanded(
  tokens: TokenAuthenticator,
  token: string,
  remarks: Parameters<RequestAuthenticator>[1],
): ReturnType<RequestAuthenticator> {
  const found = await tokens(token, [], remarks)
  if (!found) throw new AuthenticationError('invalid bearer token')
  return found
}
