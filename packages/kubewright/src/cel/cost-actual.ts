/**
 * What a call that happened costs (cel-go's interpreter/runtimecost.go and Kubernetes' pkg/cel/library/cost.go).
 */
import type { ActualCost } from './cost-model.ts'
import { LIST_COST, REGEX_FACTOR, STRUCT_COST, TRAVERSAL_FACTOR } from './cost-model.ts'
import { utf8Length } from './utf8.ts'
import type { Value } from './value.ts'
import { OptionalValue, codePointCount, isList, isMap, isOpaque, listItems } from './value.ts'

/** A fixed cost, or one that depends on the arguments and the result. */
export type CallCounter = number | ((args: readonly Value[], result: Value) => number)

/** How a call of a function is costed; `overload` is empty if it is chosen only when called. */
export function callCost(
  special: ReadonlyMap<string, ActualCost>,
  name: string,
  overload: string,
): CallCounter {
  const own = special.get(overload)
  if (own !== undefined) return (args, result) => own(args, result, overload) ?? 1
  const fixed = FIXED[name]
  if (fixed !== undefined) return fixed
  const byName = BY_NAME[name]
  if (byName !== undefined) return (args, result) => byName(args, result, overload) ?? 1
  return BY_OVERLOAD[overload] ?? 1
}

/** The cost of `a == b` and `a != b`: one character after the other up to the shorter end; values of library types cost 1. */
export function equalityCost(a: Value, b: Value, isEquals: boolean): number {
  if (isEquals && isOpaque(a)) return 1
  return traverse(Math.min(sizeOf(a), sizeOf(b)))
}

/** Elements, code points or bytes; 1 for everything that has no size. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return codePointCount(value)
  if (typeof value !== 'object' || value === null) return 1
  if (isList(value) || isMap(value)) return value.size
  if (value instanceof Uint8Array) return value.length
  if (value instanceof OptionalValue) return value.value === undefined ? 1 : sizeOf(value.value)
  return isOpaque(value) ? opaqueSize(value) : 1
}

function opaqueSize(value: object): number {
  return 'size' in value && typeof value.size === 'number' ? value.size : 1
}

/** The size the Kubernetes costs see: unlike {@link sizeOf} they do not look into optionals. */
function plainSize(value: Value | undefined): number {
  return value === undefined || value instanceof OptionalValue ? 1 : sizeOf(value)
}

function traverse(size: number): number {
  return Math.ceil(size * TRAVERSAL_FACTOR)
}

const ofFirst: ActualCost = ([first]) => traverse(plainSize(first))
const twiceFirst: ActualCost = ([first]) => Math.ceil(plainSize(first) * 2 * TRAVERSAL_FACTOR)
const searched: ActualCost = ([text, pattern]) =>
  Math.ceil((1 + plainSize(text)) * TRAVERSAL_FACTOR) * Math.ceil(plainSize(pattern) * REGEX_FACTOR)
const walked: ActualCost = ([first]) => (first === undefined ? 0 : traversalCost(first))
const selected: ActualCost = ([, selector]) => {
  const size = plainSize(selector)
  return LIST_COST + traverse(size) + Math.ceil(size * 0.5) * (LIST_COST + STRUCT_COST)
}

const contained =
  (withSecondPass: boolean): ActualCost =>
  ([cidr, other], _result, overload) => {
    const size = plainSize(cidr)
    let cost = Math.ceil((size + size) * TRAVERSAL_FACTOR)
    if (withSecondPass) cost += traverse(size) + 1
    return overload.endsWith('_string') ? cost + traverse(plainSize(other)) : cost
  }

/** By function name, as Kubernetes' CallCost does. */
const BY_NAME: Readonly<Record<string, ActualCost>> = {
  fieldSelector: selected,
  labelSelector: selected,
  isSorted: walked,
  sum: walked,
  max: walked,
  min: walked,
  indexOf: walked,
  lastIndexOf: walked,
  url: ofFirst,
  lowerAscii: ofFirst,
  upperAscii: ofFirst,
  substring: ofFirst,
  trim: ofFirst,
  'jsonpatch.escapeKey': ofFirst,
  replace: twiceFirst,
  split: twiceFirst,
  join: (_args, result) => Math.ceil(plainSize(result) * 2 * TRAVERSAL_FACTOR),
  find: searched,
  findAll: searched,
  cidr: ofFirst,
  isIP: ofFirst,
  isCIDR: ofFirst,
  ip: (args, result, overload) => (overload === 'cidr_ip' ? 1 : ofFirst(args, result, overload)),
  'ip.isCanonical': twiceFirst,
  containsIP: contained(false),
  containsCIDR: contained(true),
  quantity: ofFirst,
  isQuantity: ofFirst,
  semver: ofFirst,
  isSemver: ofFirst,
  validate: ([format, text]) => {
    if (format === undefined || format === null || typeof format !== 'object') return undefined
    if (!('patternSize' in format) || typeof format.patternSize !== 'number') return undefined
    return (
      Math.ceil((1 + plainSize(text)) * TRAVERSAL_FACTOR) *
      Math.ceil(format.patternSize * REGEX_FACTOR)
    )
  },
}

const CHECK_COST = 350_000
const FREE_OF_SIZE =
  'serviceAccount path group resource subresource namespace name allowed reason error errored masked prefixLength family ' +
  'isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast format.named sign asInteger isInteger ' +
  'asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch getScheme getHostname getHost getPort ' +
  'getEscapedPath getQuery'

/** Functions of one cost, whatever they are called on. */
export const FIXED: Readonly<Record<string, number>> = Object.freeze({
  ...Object.fromEntries(FREE_OF_SIZE.split(' ').map((name) => [name, 1])),
  check: CHECK_COST,
})

const firstSize: CallCounter = ([first]) => traverse(sizeOf(first ?? null))
const shorter: CallCounter = ([a, b]) => traverse(Math.min(sizeOf(a ?? null), sizeOf(b ?? null)))
const both: CallCounter = ([a, b]) => traverse(sizeOf(a ?? null) + sizeOf(b ?? null))
const matched: CallCounter = ([text, pattern]) =>
  Math.ceil((1 + sizeOf(text ?? null)) * TRAVERSAL_FACTOR) *
  Math.ceil(sizeOf(pattern ?? null) * REGEX_FACTOR)

/** By overload, as cel-go's tracker does. */
const BY_OVERLOAD: Readonly<Record<string, CallCounter>> = {
  starts_with_string: firstSize,
  ends_with_string: firstSize,
  string_to_bytes: firstSize,
  bytes_to_string: firstSize,
  strings_quote: firstSize,
  string_format: firstSize,
  in_list: ([, list]) => sizeOf(list ?? null),
  less_string: shorter,
  greater_string: shorter,
  less_equals_string: shorter,
  greater_equals_string: shorter,
  less_bytes: shorter,
  greater_bytes: shorter,
  less_equals_bytes: shorter,
  greater_equals_bytes: shorter,
  add_string: both,
  add_bytes: both,
  matches_string: matched,
  contains_string: ([text, part]) =>
    traverse(sizeOf(text ?? null)) * traverse(sizeOf(part ?? null)),
}

/** One for each scalar, a tenth for each byte of a string, summed over lists and maps. */
function traversalCost(value: Value): number {
  if (typeof value === 'string') return Math.floor(utf8Length(value) * TRAVERSAL_FACTOR)
  if (value instanceof Uint8Array) return Math.floor(value.length * TRAVERSAL_FACTOR)
  if (isList(value))
    return listItems(value).reduce<number>((sum, item) => sum + traversalCost(item), 0)
  if (isMap(value)) {
    const costs = value
      .keys()
      .map((key) => traversalCost(key) + traversalCost(value.find(key) ?? null))
    return costs.reduce((sum, cost) => sum + cost, 0)
  }
  return 1
}
