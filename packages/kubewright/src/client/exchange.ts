import type { Random } from '../base/random.ts'
import type { Clock } from '../base/clock.ts'
import { exponentialBackoff } from '../base/backoff.ts'
import { stringifyExact } from '../base/exact-json.ts'
import { codeOf, errorOf, reasonOf, UnreachableError, type Asked } from './answer.ts'
import type { Connection } from './connection.ts'
import { queryText, type Query } from './path.ts'
import { withRetries, type RetryOptions } from './retrying.ts'
import { warningsOf, type WarningHandler } from './warnings.ts'

/** One call, before it is a Request. `path` starts with a slash and is under the server's address. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: Query
  /** Sent as JSON unless it is a string. */
  readonly body?: unknown
  /** Default `application/json`. */
  readonly contentType?: string
  /** Default `application/json`. */
  readonly accept?: string
  readonly signal?: AbortSignal | undefined
}

/** Makes a call and answers with a good response; throws an ApiError for every other, or an {@link UnreachableError}. */
export type Exchange = (call: Call) => Promise<Response>

/** What an {@link Exchange} is made of. */
export interface ExchangeParts {
  readonly connection: Connection
  readonly clock: Clock
  readonly random: Random
  readonly userAgent: string
  readonly onWarning: WarningHandler
}

/** Makes an {@link Exchange} over a connection: retries, warnings and errors are dealt with here, once. */
export function createExchange(parts: ExchangeParts): Exchange {
  const { connection, clock, random, userAgent, onWarning } = parts
  const server = connection.server.replace(/\/$/, '')
  const backoff = exponentialBackoff({ base: 50, max: 2_000, jitter: 0.2 }, random)
  const retry: RetryOptions = { clock, backoff, passing: mayPass }
  return async (call) => {
    call.signal?.throwIfAborted()
    const url = server + call.path + queryText(call.query)
    const init = requestInit(call, userAgent)
    const asked: Asked = { method: call.method, server, path: call.path }
    const send = (): Promise<Response> => connection.transport(new Request(url, init))
    const response = await withRetries(send, call, retry).catch((error: unknown) => {
      throw noAnswer(error, call.signal, server)
    })
    if (response.headers.has('warning')) warningsOf(response.headers).forEach(onWarning)
    if (response.status >= 400) throw await errorOf(response, asked)
    return response
  }
}

function requestInit(call: Call, userAgent: string): RequestInit {
  const headers: Record<string, string> = {
    accept: call.accept ?? 'application/json',
    'user-agent': userAgent,
  }
  const init: RequestInit = { method: call.method, headers }
  if (call.signal) init.signal = call.signal
  if (call.body !== undefined) {
    headers['content-type'] = call.contentType ?? 'application/json'
    init.body = typeof call.body === 'string' ? call.body : stringifyExact(call.body)
  }
  return init
}

/**
 * Whether a connection broke that had been there, as when a server goes away between two calls: the next call makes another. One that
 * cannot be made (refused, unknown host, certificate) is told at once: who can wait has its own way of waiting.
 */
const mayPass = (error: unknown): boolean =>
  /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/.test(codeOf(error))

function noAnswer(error: unknown, signal: AbortSignal | undefined, server: string): unknown {
  if (signal?.aborted) return signal.reason
  if (error instanceof UnreachableError || error instanceof ConfigurationError) return error
  return new UnreachableError(server, error instanceof Error ? error : new Error(reasonOf(error)))
}

/** Thrown when a client cannot be set up: a kubeconfig that is missing or wrong, credentials that cannot be had. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}
