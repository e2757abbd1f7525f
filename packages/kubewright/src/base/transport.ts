/**
 * The one way to a server: a request in, a response out, streaming where the body streams.
 *
 * A `fetch` bound to TLS settings is one; an API server's own `fetch` in this process is another, with the same codecs and no
 * socket. Aborting the request's signal ends the call and its body. A transport rejects only when no answer came at all
 * (connection refused, reset, timed out); every status code is an answer.
 */
export type Transport = (request: Request) => Promise<Response>
