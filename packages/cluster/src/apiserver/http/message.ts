/** Who asks, as the authentication filter found out (apiserver/pkg/authentication/user). */
export interface User {
  readonly name: string
  readonly groups: readonly string[]
  readonly uid?: string
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/**
 * How a request came: from this process, as `user`; or over a socket, with the names of a client certificate that was checked
 * against the client authority. A local request that carries an Authorization header is judged by it.
 */
export type Peer =
  | { readonly kind: 'local'; readonly user: User }
  | { readonly kind: 'socket'; readonly certificate?: { readonly subject: User } }

/** A request as filters and endpoints see it, from a socket or from `fetch` alike. Read once: `body` may be called one time. */
export interface ApiRequest {
  readonly method: string
  /** As sent: percent-encoded, without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** A header by its lower-case name; several of one name are joined by `, `. */
  readonly header: (name: string) => string | undefined
  /** All headers, for the few readers that look for prefixes (impersonation): lower-case name and value. */
  readonly headers: () => Iterable<readonly [string, string]>
  /** Aborts when the client has gone or the server closes. */
  readonly signal: AbortSignal
  readonly peer: Peer
  /** The whole body; undefined when it is longer than `limit` bytes. */
  readonly body: (limit: number) => Promise<Buffer | undefined>
}

/** What a stream of chunks is made of: strings travel as UTF-8. */
export type Chunk = string | Uint8Array

/** An answer before it meets a socket or a `Response`. A streamed body ends when the request's signal aborts. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body?: Chunk | AsyncIterable<Chunk>
}
