import { acceptOf } from 'kubewright/base'
import type { Answer, ApiRequest } from '../../../apiserver/http/message.ts'
import { isUpgrade } from '../../../apiserver/proxy/forward.ts'

/** Whether a request asks for a WebSocket. */
export const asksForWebSocket = (request: ApiRequest): boolean =>
  isUpgrade(request) && request.header('upgrade')!.toLowerCase() === 'websocket'

/** The subprotocols that a client speaks, best first. */
export const askedProtocols = (request: ApiRequest): readonly string[] =>
  (request.header('sec-websocket-protocol') ?? '')
    .split(',')
    .map((it) => it.trim())
    .filter((it) => it !== '')

/** What a handshake comes to: the head of an answer that wants a tunnel, with the protocol that was agreed on; or a refusal. */
export type WebSocketHandshake =
  | { readonly protocol: string; readonly head: Pick<Answer, 'status' | 'headers'> }
  | { readonly refused: Answer }

const plain = { 'content-type': 'text/plain; charset=utf-8' } as const

/**
 * Agrees on the first protocol of the client's that is among `supported`; `''` stands for a client that names none. The refusals are those
 * of golang.org/x/net/websocket, behind which Kubernetes' channels are.
 */
export function webSocketHandshake(
  request: ApiRequest,
  supported: readonly string[],
): WebSocketHandshake {
  const key = request.header('sec-websocket-key')
  if (!key) return { refused: { status: 400, headers: plain, body: 'mismatch challenge/response' } }
  if (request.header('sec-websocket-version') !== '13') {
    const headers = { ...plain, 'sec-websocket-version': '13' }
    return { refused: { status: 400, headers, body: 'missing or bad WebSocket Version' } }
  }
  const asked = askedProtocols(request)
  const protocol = (asked.length > 0 ? asked : ['']).find((it) => supported.includes(it))
  if (protocol === undefined) return { refused: { status: 403, headers: {} } }
  const headers = {
    upgrade: 'websocket',
    connection: 'Upgrade',
    'sec-websocket-accept': acceptOf(key),
    'sec-websocket-protocol': protocol,
  }
  return { protocol, head: { status: 101, headers } }
}
