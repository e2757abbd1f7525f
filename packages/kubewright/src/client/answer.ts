import { parseExact } from '../base/exact-json.ts'
import { ApiError, failure, type Status, type StatusReason } from '../machinery/status.ts'

/** Thrown when no answer came at all: the server cannot be reached, or the connection broke. `server` is its address. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
  readonly server: string

  constructor(server: string, cause: unknown) {
    super(
      `no answer from the API server at ${server}: ${reasonOf(cause)}; ${isDisbelief(cause) ? BELIEF : "check that it runs, and that the kubeconfig's cluster.server and proxy-url lead to it"}`,
      { cause },
    )
    this.server = server
  }
}

const BELIEF =
  "check the kubeconfig's certificate-authority-data and tls-server-name: they are not of the server that is there"

/** What Node calls a certificate that is not believed. */
const DISBELIEF = /^(CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA|ERR_TLS_CERT)/

/** Whether a connection was given up because the server's certificate is not believed. */
export const isDisbelief = (error: unknown): boolean => DISBELIEF.test(codeOf(error))

/** The code of an error, or else of its cause (`ECONNREFUSED`); empty where none has one. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown }
  return typeof code === 'string' || cause === error ? String(code ?? '') : codeOf(cause)
}

/** The innermost message of an error and its causes: fetch says only "fetch failed". */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined && error.cause !== error) return reasonOf(error.cause)
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map(reasonOf).join('; ')
  return error.message || error.name
}

const REASONS: Readonly<Record<number, StatusReason>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
}

/** What was asked, for the sentence of an error. */
export interface Asked {
  readonly method: string
  readonly server: string
  readonly path: string
}

/** The error that an answer of 400 and above is: its Status, or a sentence around whatever else the server said. */
export async function errorOf(response: Response, asked: Asked): Promise<ApiError> {
  const body = await response.text().catch(() => '')
  const status = statusIn(body)
  if (status) return new ApiError({ ...status, code: status.code ?? response.status })
  const wait = Number(response.headers.get('retry-after'))
  return new ApiError(
    failure(
      response.status,
      REASONS[response.status],
      strangeAnswer(response, asked, body),
      wait > 0 ? { retryAfterSeconds: wait } : undefined,
    ),
  )
}

function statusIn(body: string): Status | undefined {
  if (!body.startsWith('{')) return undefined
  try {
    const parsed = JSON.parse(body) as Partial<Status>
    return parsed.kind === 'Status' ? (parsed as Status) : undefined
  } catch {
    return undefined
  }
}

function strangeAnswer(response: Response, asked: Asked, body: string): string {
  if (response.status === 404 && body.startsWith('404 page not found'))
    return `${asked.method} ${asked.path}: ${asked.server} does not serve this path; if it is of a custom resource, install its CustomResourceDefinition first`
  const said = body.replace(/\s+/g, ' ').trim().slice(0, 200)
  const what = said === '' ? 'nothing' : JSON.stringify(said)
  return `${asked.method} ${asked.path}: ${asked.server} answered ${response.status} and not with a Kubernetes Status but with ${what}${adviceFor(response.status)}`
}

function adviceFor(code: number): string {
  if (code === 401) return '; check the credentials of the kubeconfig user'
  return '; check that the address is an API server and not a proxy in front of it'
}

/** The JSON of a good answer; integers that no number can hold are bigints. Throws an ApiError with a sentence when the body is not JSON. */
export async function jsonOf<T>(response: Response, asked: Asked): Promise<T> {
  const body = await response.text()
  try {
    return parseExact(body) as T
  } catch (cause) {
    throw new ApiError(
      failure(response.status, 'InternalError', strangeAnswer(response, asked, body)),
      { cause },
    )
  }
}
