import type { ApiRequest } from './message.ts'

/** Path and query of a request's target; one that names scheme and host counts by what follows them. */
export function targetOf(url: string): Pick<ApiRequest, 'path' | 'query' | 'target'> {
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '')
  const at = target.indexOf('?')
  return {
    target,
    path: at < 0 ? target : target.slice(0, at),
    query: queryOf(at < 0 ? '' : target.slice(at + 1)),
  }
}

/** A query, without the pairs that Go passes over: those with a `;`, and those that cannot be decoded (net/url parseQuery). */
export function queryOf(text: string): URLSearchParams {
  if (!/[;%]/.test(text)) return new URLSearchParams(text)
  const pairs = text.split('&')
  return new URLSearchParams(pairs.filter((it) => !UNREADABLE.test(it)).join('&'))
}

const UNREADABLE = /;|%(?![0-9A-Fa-f]{2})/

/** The whole body; what is too long is read to its end, so that the client can hear the answer. */
export async function readBody(
  incoming: AsyncIterable<Buffer>,
  limit: number,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of incoming) {
    length += chunk.length
    if (length <= limit) chunks.push(chunk)
  }
  if (length > limit) return undefined
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, length)
}
