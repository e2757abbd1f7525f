import { stringifyExact } from '../base/exact-json.ts'
import { goNumber } from './go-number.ts'
import { quoteGo } from './patch/go-format.ts'
import { ApiError, failure, type StatusCause } from './status.ts'

/**
 * One thing wrong with one field (apimachinery/pkg/util/validation/field). Validation collects these; nothing throws until the
 * edge, where {@link invalid} makes one answer of them.
 */
export interface FieldError {
  readonly type: FieldErrorType
  /** `spec.containers[0].name`; `<nil>` where the error has no place. */
  readonly field: string
  /** The offending value, as JSON; printed by `Invalid`, `Duplicate`, `NotSupported`, `NotFound`, `TypeInvalid`. */
  readonly value?: unknown
  readonly detail: string
}

/** The kinds of {@link FieldError}, by their `reason` in a StatusCause. */
export type FieldErrorType =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'InternalError'
  | 'FieldValueTypeInvalid'

const HEADS: Readonly<Record<FieldErrorType, string>> = {
  FieldValueNotFound: 'Not found',
  FieldValueRequired: 'Required value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  InternalError: 'Internal error',
  FieldValueTypeInvalid: 'Invalid value',
}

const SILENT: ReadonlySet<FieldErrorType> = new Set<FieldErrorType>([
  'FieldValueRequired',
  'FieldValueForbidden',
  'FieldValueTooLong',
  'InternalError',
  'FieldValueTypeInvalid',
])

/** Stands for a value that Go prints as `{}`-less struct text cannot be had here; prints as `{}`-style JSON does in Go. */
const valueText = (value: unknown): string => {
  if (typeof value === 'string') return quoteGo(value)
  if (value === undefined || value === null) return 'null'
  if (typeof value === 'object') return escapeHtml(stringifyExact(value))
  return typeof value === 'number' ? goNumber(value) : String(value)
}

/** Go's JSON has these five characters escaped. */
const escapeHtml = (json: string): string =>
  json.replace(/[<>&\u2028\u2029]/g, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** The error without its field: `Invalid value: 0: must be greater than 0`. */
export function fieldErrorBody(error: FieldError): string {
  const silent =
    SILENT.has(error.type) && !(error.type === 'FieldValueTypeInvalid' && 'value' in error)
  const head =
    silent || !('value' in error)
      ? HEADS[error.type]
      : `${HEADS[error.type]}: ${valueText(error.value)}`
  return error.detail === '' ? head : `${head}: ${error.detail}`
}

/** The error as Kubernetes prints it: `spec.size: Invalid value: 0: must be greater than 0`. */
export const fieldErrorText = (error: FieldError): string =>
  `${error.field}: ${fieldErrorBody(error)}`

/** Constructors with the wording of `field.Required`, `field.Invalid` … */
export const required = (field: string, detail: string = ''): FieldError => ({
  type: 'FieldValueRequired',
  field,
  detail,
})
export const invalidValue = (field: string, value: unknown, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  field,
  value,
  detail,
})
export const duplicate = (field: string, value: unknown): FieldError => ({
  type: 'FieldValueDuplicate',
  field,
  value,
  detail: '',
})
export const forbiddenField = (field: string, detail: string): FieldError => ({
  type: 'FieldValueForbidden',
  field,
  detail,
})
export const notFoundField = (field: string, value: unknown): FieldError => ({
  type: 'FieldValueNotFound',
  field,
  value,
  detail: '',
})
export const tooLong = (field: string, max: number): FieldError => ({
  type: 'FieldValueTooLong',
  field,
  detail:
    max >= 0 ? `may not be more than ${max} ${max === 1 ? 'byte' : 'bytes'}` : 'value is too long',
})
export const tooMany = (field: string, actual: number, max: number): FieldError => ({
  type: 'FieldValueTooMany',
  field,
  value: actual,
  detail:
    max >= 0 ? `must have at most ${max} ${max === 1 ? 'item' : 'items'}` : 'has too many items',
})
export const notSupported = (
  field: string,
  value: unknown,
  supported: readonly string[],
): FieldError => ({
  type: 'FieldValueNotSupported',
  field,
  value,
  detail: supported.length
    ? `supported values: ${supported.map((it) => JSON.stringify(it)).join(', ')}`
    : '',
})
export const typeInvalid = (field: string, value: unknown, detail: string): FieldError => ({
  type: 'FieldValueTypeInvalid',
  field,
  value,
  detail,
})

interface GroupKind {
  readonly group: string
  readonly kind: string
}

/** The 422 that says what is wrong with an object (apimachinery `errors.NewInvalid`); equal errors are said once. */
export function invalid(kind: GroupKind, name: string, errors: readonly FieldError[]): ApiError {
  const causes: StatusCause[] = errors.map((it) => ({
    reason: it.type,
    message: fieldErrorBody(it),
    field: it.field,
  }))
  const texts = [...new Set(errors.map(fieldErrorText))]
  const all = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`
  const of = kind.group ? `${kind.kind}.${kind.group}` : kind.kind
  return new ApiError(
    failure(
      422,
      'Invalid',
      errors.length ? `${of} "${name}" is invalid: ${all}` : `${of} "${name}" is invalid`,
      {
        ...(name ? { name } : {}),
        ...(kind.group ? { group: kind.group } : {}),
        ...(kind.kind ? { kind: kind.kind } : {}),
        ...(causes.length ? { causes } : {}),
      },
    ),
  )
}
