import { ApiError, failure, type Status, type StatusReason } from 'kubewright/machinery'
import { parse as parseYaml } from 'yaml'
import { goKindOf, goSyntaxError } from '../codec/go-json-error.ts'

/** What a webhook answered. */
export interface Received {
  readonly status: number
  readonly contentType: string
  readonly location: string | undefined
  /** Seconds after which the same may be asked again; undefined where nothing is said of it. */
  readonly retryAfter: number | undefined
  readonly text: string
}

type Json = Readonly<Record<string, unknown>>

/**
 * Reads an answer as client-go reads it (rest/request.go transformResponse and Into). Throws an ApiError for a failing code, and an
 * Error with Go's sentence for what is no object.
 */
export function reviewIn({ status, contentType, text }: Received): Json {
  if (status < 200 || status > 206) throw statusIn(text) ?? unexpected(status, text)
  if (text === '') {
    const type = contentType || 'application/json'
    throw new Error(`0-length response with status code: ${status} and content type: ${type}`)
  }
  return objectIn(text)
}

/** The error that a body tells of, if it is a Status of failure. */
function statusIn(text: string): ApiError | undefined {
  try {
    const value = JSON.parse(text) as Partial<Status> | null
    const isStatus = value?.kind === 'Status' && value.apiVersion === 'v1'
    return isStatus && value.status === 'Failure' ? new ApiError(value as Status) : undefined
  } catch {
    return undefined
  }
}

const HEAD = `struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`

/** What is no JSON may still be YAML, which nearly every text is. */
function objectIn(text: string): Json {
  const failed = (why: string): Error =>
    new Error(`couldn't get version/kind; json parse error: ${why}`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    if (/^\s*[{[]/.test(text)) throw failed(goSyntaxError(text))
    try {
      value = parseYaml(text)
    } catch (error) {
      throw failed((error as Error).message)
    }
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json
  throw failed(`json: cannot unmarshal ${goKindOf(value)} into Go value of type ${HEAD}`)
}

const MESSAGES: Readonly<Record<number, readonly [StatusReason | 'UnsupportedMediaType', string]>> =
  {
    400: ['BadRequest', 'the server rejected our request for an unknown reason'],
    401: ['Unauthorized', 'the server has asked for the client to provide credentials'],
    404: ['NotFound', 'the server could not find the requested resource'],
    405: ['MethodNotAllowed', 'the server does not allow this method on the requested resource'],
    409: ['AlreadyExists', 'the server reported a conflict'],
    422: ['Invalid', 'the server rejected our request due to an error in our request'],
    429: [
      'TooManyRequests',
      'the server has received too many requests and has asked us to try again later',
    ],
    503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
    504: [
      'Timeout',
      'the server was unable to return a response in the time allotted, but may still be processing the request',
    ],
  }

/** The longest body that an error shows, in bytes. */
const SHOWN = 2048

/** What a failing code comes to (apimachinery/pkg/api/errors NewGenericServerResponse). */
function unexpected(code: number, text: string): ApiError {
  const shown = text.slice(0, SHOWN).trim()
  const known = MESSAGES[code]
  if (known) return new ApiError(failure(code, known[0], known[1]))
  if (code === 403) return new ApiError(failure(code, 'Forbidden', shown))
  if (code === 406 || code === 415) {
    const reason = code === 406 ? 'NotAcceptable' : 'UnsupportedMediaType'
    return new ApiError(failure(code, reason, shown))
  }
  const message =
    code >= 500
      ? `an error on the server (${JSON.stringify(shown)}) has prevented the request from succeeding`
      : `the server responded with the status code ${code} but did not return more information`
  return new ApiError(failure(code, code >= 500 ? 'InternalError' : undefined, message))
}
