import {
  badRequest,
  type FieldError,
  invalid,
  invalidValue,
  notSupported,
  required,
  forbiddenField,
  tooLong,
} from 'kubewright/machinery'

/** The options of a create, update or patch, from its query. */
export interface WriteOptions {
  readonly dryRun: boolean
  /** Empty where the client names none. */
  readonly fieldManager: string
  readonly fieldValidation: 'Strict' | 'Warn' | 'Ignore'
  readonly force: boolean | undefined
}

const LEVELS = ['', 'Ignore', 'Strict', 'Warn'] as const
const MANAGER_LENGTH = 128

/** Reads and checks them (meta/v1/validation). `kind` is `CreateOptions`, `UpdateOptions` or `PatchOptions`. Throws an ApiError. */
export function writeOptions(
  query: URLSearchParams,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  apply: boolean = false,
): WriteOptions {
  const fieldManager = query.get('fieldManager') ?? ''
  const level = query.get('fieldValidation') ?? ''
  const force = booleanOf(query, 'force')
  const errors: FieldError[] = []
  if (apply && fieldManager === '') {
    errors.push(required('fieldManager', 'is required for apply patch'))
  }
  if (kind === 'PatchOptions' && !apply && force !== undefined) {
    errors.push(forbiddenField('force', 'may not be specified for non-apply patch'))
  }
  errors.push(...managerErrors(fieldManager), ...dryRunErrors(query))
  if (!(LEVELS as readonly string[]).includes(level)) {
    errors.push(notSupported('fieldValidation', level, LEVELS))
  }
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind }, '', errors)
  return {
    dryRun: query.has('dryRun'),
    fieldManager,
    fieldValidation: (level || 'Warn') as WriteOptions['fieldValidation'],
    force,
  }
}

function managerErrors(manager: string): readonly FieldError[] {
  const errors: FieldError[] = []
  if (manager.length > MANAGER_LENGTH) errors.push(tooLong('fieldManager', MANAGER_LENGTH))
  let position = 0
  for (const char of manager) {
    if (!isPrintable(char)) {
      const code = char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
      const detail = `invalid character U+${code} (at position ${position})`
      errors.push(invalidValue('fieldManager', manager, detail))
    }
    position += Buffer.byteLength(char)
  }
  return errors
}

/** Go's unicode.IsPrint: letters, marks, numbers, punctuation, symbols, and the ASCII space. */
const isPrintable = (char: string): boolean => /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(char)

/** What is wrong with the `dryRun` of a query. */
export function dryRunErrors(query: URLSearchParams): readonly FieldError[] {
  const values = query.getAll('dryRun')
  return values.every((it) => it === 'All') ? [] : [notSupported('dryRun', values, ['All'])]
}

/** A boolean of a query as Go's parameter codec reads it; undefined where it is absent. Throws a 400. */
export function booleanOf(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name)
  if (value === null) return undefined
  return value !== '0' && value.toLowerCase() !== 'false'
}

/** An integer of a query; undefined where it is absent. Throws the 400 of Go's strconv. */
export function integerOf(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name)
  if (value === null) return undefined
  const isNumber = /^[+-]?\d+$/.test(value)
  if (isNumber && BigInt.asIntN(64, BigInt(value)) === BigInt(value)) return Number(value)
  const why = isNumber ? 'value out of range' : 'invalid syntax'
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: ${why}`)
}

/** Who a write is by: the manager it names, else the first word of its User-Agent (handlers/create.go managerOrUserAgent). */
export function managerOf(options: WriteOptions, userAgent: string | undefined): string {
  if (options.fieldManager !== '') return options.fieldManager
  const prefix = (userAgent ?? '').split('/')[0]!
  let cut = ''
  for (const char of prefix) {
    if (!isPrintable(char)) continue
    if (Buffer.byteLength(cut + char) > MANAGER_LENGTH) break
    cut += char
  }
  return cut
}
