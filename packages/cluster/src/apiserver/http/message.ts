import type { Duplex } from 'node:stream'
import type { PresentedCertificate } from '../authentication/verify-chain.ts'

/** Who asks, as the authentication filter found out (apiserver/pkg/authentication/user). */
export interface User {
  readonly name: string
  readonly groups: readonly string[]
  readonly uid?: string
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/**
 * How a request came: from this process, as `user`; or over a socket, with the client's certificate, which nobody has judged yet. A
 * local request that carries an Authorization header is judged by it.
 */
export type Peer =
  | { readonly kind: 'local'; readonly user: User }
  | {
      readonly kind: 'socket'
      readonly certificate?: PresentedCertificate
      /** The address at the other end. */
      readonly address?: string
    }

/** A request as filters and endpoints see it, from a socket or from `fetch` alike. Read once: `body` may be called one time. */
export interface ApiRequest {
  readonly method: string
  /** As sent: percent-encoded, without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** Path and query as sent; absent: made of the two. */
  readonly target?: string
  /** A header by its lower-case name; several of one name are joined by `, `. */
  readonly header: (name: string) => string | undefined
  /** The values of a header that may come several times, each for itself; absent: `header` joins them. */
  readonly values?: (name: string) => readonly string[]
  /** All headers, for the few readers that look for prefixes (impersonation): lower-case name and value. */
  readonly headers: () => Iterable<readonly [string, string]>
  /** Aborts when the client has gone or the server closes. */
  readonly signal: AbortSignal
  readonly peer: Peer
  /** The whole body; undefined when it is longer than `limit` bytes. */
  readonly body: (limit: number) => Promise<Buffer | undefined>
  /** The body as it comes, instead of `body`, for who hands it on. */
  readonly stream: () => AsyncIterable<Uint8Array>
}

/** What a stream of chunks is made of: strings travel as UTF-8. */
export type Chunk = string | Uint8Array

/** An answer before it meets a socket or a `Response`. A streamed body ends when the request's signal aborts. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body?: Chunk | AsyncIterable<Chunk>
  /** Aborts when whoever reads a streamed body has fallen too far behind: the stream is cut, not waited for. */
  readonly overrun?: AbortSignal
  /** Whether the body is events of a watch, whole ones in each chunk, so that they can be messages of a WebSocket as well. */
  readonly isWatch?: boolean
  /** Gets the connection of a request for another protocol, once the head of this answer has been sent. */
  readonly tunnel?: (connection: Duplex) => void
}

/** Whether a body is there as a whole, or absent, and not made bit by bit. */
export const isWhole = (body: Answer['body']): body is Chunk | undefined =>
  body === undefined || typeof body === 'string' || body instanceof Uint8Array

/** Statuses of answers that never have a body, nor a length of one (RFC 9110, section 8.6). */
export const NO_BODY: ReadonlySet<number> = new Set([101, 204, 205, 304])
