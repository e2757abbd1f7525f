import type { ListMeta } from './object.ts'
import { quoteGo } from './patch/go-format.ts'

/** What a server says when it does not answer with an object (meta/v1 Status). */
export interface Status {
  readonly kind: 'Status'
  readonly apiVersion: 'v1'
  readonly metadata: ListMeta
  readonly status: 'Success' | 'Failure'
  readonly message?: string
  readonly reason?: StatusReason
  readonly details?: StatusDetails
  readonly code?: number
}

/** The machine-readable cause of a failure (meta/v1 StatusReason). */
export type StatusReason =
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Expired'
  | 'Invalid'
  | 'ServerTimeout'
  | 'StoreReadError'
  | 'Timeout'
  | 'TooManyRequests'
  | 'BadRequest'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'RequestEntityTooLarge'
  | 'UnsupportedMediaType'
  | 'InternalError'
  | 'ServiceUnavailable'

/** What a failure is about (meta/v1 StatusDetails). `kind` holds a resource's plural or a kind, as the real server does. */
export interface StatusDetails {
  readonly name?: string
  readonly group?: string
  readonly kind?: string
  readonly uid?: string
  readonly causes?: readonly StatusCause[]
  readonly retryAfterSeconds?: number
}

/** One of several causes of a failure (meta/v1 StatusCause). */
export interface StatusCause {
  readonly reason?: string
  readonly message?: string
  readonly field?: string
}

/**
 * The one error of the API: it carries a {@link Status}. Thrown by clients for every answer of 400 and above, and by the server's
 * own code to answer with one.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: Status

  constructor(status: Status, options?: ErrorOptions) {
    super(status.message ?? `the server answered ${status.code ?? 'nothing'}`, options)
    this.status = status
  }

  get code(): number {
    return this.status.code ?? 500
  }

  get reason(): StatusReason | undefined {
    return this.status.reason
  }
}

/** A Status of failure, its empty parts left out. */
export function failure(
  code: number,
  reason: StatusReason | undefined,
  message: string,
  details?: StatusDetails,
): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(reason ? { reason } : {}),
    ...(details ? { details } : {}),
    code,
  }
}

const is =
  (...reasons: readonly StatusReason[]) =>
  (error: unknown): error is ApiError =>
    error instanceof ApiError && error.reason !== undefined && reasons.includes(error.reason)

/** The predicates of apimachinery's `errors` package: whether an error is an {@link ApiError} of that reason. */
export const isNotFound: (error: unknown) => error is ApiError = is('NotFound')
export const isAlreadyExists: (error: unknown) => error is ApiError = is('AlreadyExists')
export const isConflict: (error: unknown) => error is ApiError = is('Conflict')
export const isInvalid: (error: unknown) => error is ApiError = is('Invalid')
export const isForbidden: (error: unknown) => error is ApiError = is('Forbidden')
export const isUnauthorized: (error: unknown) => error is ApiError = is('Unauthorized')
export const isExpired: (error: unknown) => error is ApiError = is('Expired', 'Gone')
export const isTooManyRequests: (error: unknown) => error is ApiError = is('TooManyRequests')
export const isTimeout: (error: unknown) => error is ApiError = is('Timeout', 'ServerTimeout')

interface GroupResource {
  readonly group: string
  readonly plural: string
}

const text = (it: GroupResource): string =>
  it.group === '' ? it.plural : `${it.plural}.${it.group}`
const about = (it: GroupResource, name: string): StatusDetails => ({
  ...(name ? { name } : {}),
  ...(it.group ? { group: it.group } : {}),
  ...(it.plural ? { kind: it.plural } : {}),
})

/** Constructors with the wording of apimachinery/pkg/api/errors. */
export const notFound = (resource: GroupResource, name: string): ApiError =>
  new ApiError(
    failure(404, 'NotFound', `${text(resource)} ${quoteGo(name)} not found`, about(resource, name)),
  )

export const alreadyExists = (resource: GroupResource, name: string): ApiError =>
  new ApiError(
    failure(
      409,
      'AlreadyExists',
      `${text(resource)} ${quoteGo(name)} already exists`,
      about(resource, name),
    ),
  )

export const conflict = (resource: GroupResource, name: string, why: string): ApiError =>
  new ApiError(
    failure(
      409,
      'Conflict',
      `Operation cannot be fulfilled on ${text(resource)} ${quoteGo(name)}: ${why}`,
      about(resource, name),
    ),
  )

/** Why a write with an old resourceVersion is refused (apiserver/pkg/registry/generic/registry/store.go). */
export const OPTIMISTIC_LOCK =
  'the object has been modified; please apply your changes to the latest version and try again'

export const forbidden = (resource: GroupResource, name: string, why: string): ApiError => {
  const subject =
    resource.plural === ''
      ? 'forbidden'
      : `${text(resource)}${name ? ` ${quoteGo(name)}` : ''} is forbidden`
  return new ApiError(failure(403, 'Forbidden', `${subject}: ${why}`, about(resource, name)))
}

export const badRequest = (message: string): ApiError =>
  new ApiError(failure(400, 'BadRequest', message))

export const unauthorized = (message: string = 'Unauthorized'): ApiError =>
  new ApiError(failure(401, 'Unauthorized', message))

export const internalError = (cause: string): ApiError =>
  new ApiError(
    failure(500, 'InternalError', `Internal error occurred: ${cause}`, {
      causes: [{ message: cause }],
    }),
  )

export const expired = (message: string): ApiError => new ApiError(failure(410, 'Expired', message))

export const methodNotAllowed = (resource: GroupResource, verb: string): ApiError =>
  new ApiError(
    failure(
      405,
      'MethodNotAllowed',
      `${verb} is not supported on resources of kind "${text(resource)}"`,
      {
        ...(resource.group ? { group: resource.group } : {}),
        kind: resource.plural,
      },
    ),
  )
