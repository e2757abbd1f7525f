import { goFloat } from '../machinery/index.ts'
import type { SchemaNode } from './schema-node.ts'
import { type Findings, multipleError, otherError, unplacedError } from './value-error.ts'

/** Whether a number is one that Go decodes as an int64: JSON has no other way to tell 1 from 1.0. */
export function isInteger(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63
}

/** The greatest number below 2^63. */
const GREATEST = 2 ** 63 - 1024

/** A number to compare with bounds; of a bigint, which is an int64, the nearest one that is an int64 too. */
export const withinInt64 = (value: number | bigint): number =>
  typeof value === 'bigint' ? Math.min(Number(value), GREATEST) : value

/** Whether a float passes as an integer (go-openapi/swag IsFloat64AJSONInteger): whole, or within 1e-9 of it. */
export function nearlyInteger(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false
  const whole = Math.trunc(value)
  if (value === whole) return true
  const distance = Math.abs(value - whole)
  return whole > 0 && distance / (Math.abs(value) + whole) < 1e-9
}

/**
 * Range, multipleOf, minimum and maximum of a number (kube-openapi/pkg/validation/validate numberValidator). Whole numbers are
 * compared with a bound cut to a whole one, unless the bound is not of the schema's own type.
 */
export function checkNumber(found: Findings, node: SchemaNode, value: number, path: string): void {
  checkRange(found, node, value, 'Checked', path)
  for (const it of KEYWORDS) {
    const bound = node.source[it.keyword]
    if (bound === undefined) continue
    const ofType = checkRange(found, node, bound, it.what, path)
    const integer = ofType && isInteger(value)
    const exclusive = it.exclusive !== undefined && node.source[it.exclusive] === true
    it.check(found, value, integer ? Math.trunc(bound) : bound, integer, exclusive, path)
  }
  found.matches++
}

type Check = (
  found: Findings,
  value: number,
  bound: number,
  integer: boolean,
  exclusive: boolean,
  path: string,
) => void

interface Keyword {
  readonly keyword: 'multipleOf' | 'minimum' | 'maximum'
  readonly exclusive?: 'exclusiveMinimum' | 'exclusiveMaximum'
  /** What Kubernetes calls the bound where it is not of the schema's type. */
  readonly what: string
  readonly check: Check
}

const KEYWORDS: readonly Keyword[] = [
  { keyword: 'multipleOf', what: 'MultipleOf', check: checkMultiple },
  {
    keyword: 'minimum',
    exclusive: 'exclusiveMinimum',
    what: 'Minimum boundary',
    check: checkMinimum,
  },
  {
    keyword: 'maximum',
    exclusive: 'exclusiveMaximum',
    what: 'Maximum boundary',
    check: checkMaximum,
  },
]

const boundText = (bound: number, integer: boolean): string =>
  integer ? String(bound) : goFloat(bound)

function checkMultiple(
  found: Findings,
  value: number,
  factor: number,
  integer: boolean,
  _exclusive: boolean,
  path: string,
): void {
  const text = boundText(factor, integer)
  if (factor <= 0) {
    const sentence = `factor MultipleOf declared for ${path} must be positive: ${text}`
    return found.add(multipleError(path, factor, sentence))
  }
  const fits = integer
    ? value % factor === 0
    : nearlyInteger(factor < 1 ? (1 / factor) * value : value / factor)
  if (!fits) found.add(otherError(path, value, `should be a multiple of ${text}`))
}

function checkMinimum(
  found: Findings,
  value: number,
  bound: number,
  integer: boolean,
  exclusive: boolean,
  path: string,
): void {
  if (exclusive ? value > bound : value >= bound) return
  const than = exclusive ? 'greater than' : 'greater than or equal to'
  found.add(otherError(path, value, `should be ${than} ${boundText(bound, integer)}`))
}

function checkMaximum(
  found: Findings,
  value: number,
  bound: number,
  integer: boolean,
  exclusive: boolean,
  path: string,
): void {
  if (exclusive ? value < bound : value <= bound) return
  const than = exclusive ? 'less than' : 'less than or equal to'
  found.add(otherError(path, value, `should be ${than} ${boundText(bound, integer)}`))
}

const MAX_FLOAT32 = 3.4028235677973366e38

/** Whether a number or bound lies within its type: int32, int64, or float. */
function checkRange(
  found: Findings,
  node: SchemaNode,
  value: number,
  what: string,
  path: string,
): boolean {
  const type = node.types.length === 1 ? node.types[0] : undefined
  const format = node.format
  if (type === 'integer') {
    const limit = format === 'int32' ? 2 ** 31 : 2 ** 63
    if (Number.isInteger(value) && value >= -limit && value < limit) return true
  } else if (type !== 'number' || format !== 'float' || Math.abs(value) < MAX_FLOAT32) return true
  const where = format === '' ? '(default format)' : `with format ${format}`
  found.add(unplacedError(`${what} value must be of type ${type} ${where} in ${path}`))
  return false
}
