import type { Readable } from 'node:stream'
import type { ApiRequest } from './message.ts'

/** Path and query of a request's target; one that names scheme and host counts by what follows them. */
export function targetOf(url: string): Required<Pick<ApiRequest, 'path' | 'query' | 'target'>> {
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
export function readBody(incoming: Readable, limit: number): Promise<Buffer | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | undefined>()
  const chunks: Buffer[] = []
  let length = 0
  incoming.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length <= limit) chunks.push(chunk)
  })
  incoming.on('end', () => {
    if (length > limit) resolve(undefined)
    else resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, length))
  })
  incoming.on('error', reject)
  // Before its end: who has sent half of a body is not asked for the rest.
  const left = (): void => {
    if (!incoming.readableEnded) reject(new Error('the client went before its body was complete'))
  }
  incoming.on('close', left)
  if (incoming.destroyed) left()
  return promise
}
