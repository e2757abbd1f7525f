import type { Answer, ApiRequest } from '../../../apiserver/http/message.ts'
import { isUpgrade } from '../../../apiserver/proxy/forward.ts'
import { plainAnswer } from '../plain-answer.ts'

const PROTOCOL_VERSION = 'X-Stream-Protocol-Version'

/** What a handshake comes to: the head of an answer that wants a tunnel, with the protocol that was agreed on; or a refusal. */
export type SpdyHandshake =
  | { readonly protocol: string; readonly head: Pick<Answer, 'status' | 'headers'> }
  | { readonly refused: Answer }

/** Agrees on the first protocol of the client's that is among `supported` (k8s.io/streaming/pkg/httpstream Handshake). */
export function spdyHandshake(request: ApiRequest, supported: readonly string[]): SpdyHandshake {
  const header = request.header(PROTOCOL_VERSION.toLowerCase())
  if (header === undefined) {
    const count = [...request.headers()].length
    const why = `unable to upgrade: header ${PROTOCOL_VERSION} does not exist in request with ${count} headers`
    return { refused: plainAnswer(400, `${why}\n`) }
  }
  const asked = header
    .split(',')
    .map((it) => it.trim())
    .filter((it) => it !== '')
  if (asked.length === 0) {
    const why = `unable to upgrade: header ${PROTOCOL_VERSION} contains [${header}], but no valid protocols`
    return { refused: plainAnswer(400, `${why}\n`) }
  }
  const protocol = asked.find((it) => supported.includes(it))
  if (protocol === undefined) return { refused: unsupported(asked, supported) }
  if (!isUpgrade(request) || !request.header('upgrade')!.toLowerCase().includes('spdy/3.1'))
    return { refused: plainAnswer(400, 'unable to upgrade: missing upgrade headers in request\n') }
  return { protocol, head: spdyHead(protocol) }
}

function unsupported(asked: readonly string[], supported: readonly string[]): Answer {
  const why = `unable to upgrade: unable to negotiate protocol: client supports [${asked.join(' ')}], server accepts [${supported.join(' ')}]`
  const answer = plainAnswer(403, `${why}\n`)
  const headers = { ...answer.headers, 'X-Accepted-Stream-Protocol-Versions': supported }
  return { ...answer, headers }
}

const spdyHead = (protocol: string): Pick<Answer, 'status' | 'headers'> => ({
  status: 101,
  headers: { connection: 'Upgrade', upgrade: 'SPDY/3.1', [PROTOCOL_VERSION]: protocol },
})
