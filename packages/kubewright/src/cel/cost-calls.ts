/** Estimates of calls: cel-go's own (checker/cost.go) and those of the Kubernetes libraries (pkg/cel/library/cost.go). */
import { FIXED } from './cost-actual.ts'
import type { CallCost, CallEstimate, CallNodes, Range, SizedNode } from './cost-model.ts'
import {
  LIST_COST,
  REGEX_FACTOR,
  STRUCT_COST,
  TRAVERSAL_FACTOR,
  UNBOUNDED,
  ZERO,
  add,
  exactly,
  multiply,
  scale,
  union,
} from './cost-model.ts'
import { parametersOf, sameType } from './cel-type.ts'

/** The overloads whose cost cel-go takes from operand sizes; the operands' own costs not included. */
export function generalCost(call: CallNodes): CallEstimate | undefined {
  const { target, args } = call
  const [first, second] = args
  switch (call.overload) {
    case 'string_format':
      return target && { cost: traversal(size(target)) }
    case 'string_to_bytes':
      return first && sized(first, (range) => ({ min: range.min, max: range.max * 4n }))
    case 'bytes_to_string':
      return first && sized(first, (range) => ({ min: range.min / 4n, max: range.max }))
    case 'strings_quote':
      return first && sized(first, (range) => ({ min: range.min + 2n, max: range.max * 2n + 2n }))
    case 'starts_with_string':
    case 'ends_with_string':
      return first && { cost: traversal(size(first)) }
    case 'in_list':
      return second && { cost: scale(size(second), 1) }
    case 'matches_string':
      return target && first && { cost: searchCost(size(target), size(first)) }
    case 'contains_string':
      return target && first && { cost: multiply(traversal(size(target)), traversal(size(first))) }
    case 'add_list':
    case 'add_string':
    case 'add_bytes':
      return first && second && sumCost(call.overload, add(size(first), size(second)))
    default:
      return COMPARISONS.has(call.overload) && first && second
        ? { cost: comparisonCost(size(first), size(second)) }
        : undefined
  }
}

const COMPARISONS: ReadonlySet<string> = new Set([
  'equals',
  'not_equals',
  ...['string', 'bytes'].flatMap((type) =>
    ['less', 'greater', 'less_equals', 'greater_equals'].map((order) => `${order}_${type}`),
  ),
])

/** cel-go does not ask for declared sizes again here: what it computed before is all it uses. */
function size(node: SizedNode): Range {
  return node.size ?? { min: 0n, max: UNBOUNDED }
}

function traversal(range: Range): Range {
  return scale(range, TRAVERSAL_FACTOR)
}

function sized(node: SizedNode, result: (range: Range) => Range): CallEstimate {
  const range = result(size(node))
  // The result's bounds wrap around as uint64 does when the operand has no bound.
  const wrapped = { min: BigInt.asUintN(64, range.min), max: BigInt.asUintN(64, range.max) }
  return { cost: traversal(size(node)), size: wrapped }
}

function searchCost(text: Range, pattern: Range): Range {
  return multiply(traversal(add(text, exactly(1))), scale(pattern, REGEX_FACTOR))
}

function sumCost(overload: string, total: Range): CallEstimate {
  return { cost: overload === 'add_list' ? exactly(1) : traversal(total), size: total }
}

function comparisonCost(a: Range, b: Range): Range {
  const max = a.max < b.max ? a.max : b.max
  return traversal({ min: max > 0n ? 1n : 0n, max })
}

/** The functions of the Kubernetes libraries, by name. */
export function kubernetesCost(name: string, call: CallNodes): CallEstimate | undefined {
  const fixed = FIXED[name]
  return fixed === undefined ? BY_NAME[name]?.(call) : { cost: exactly(fixed) }
}

const ofArgument: CallCost = ({ args: [first], sizeOf }) =>
  first && { cost: traversal(sizeOf(first)) }

const keepingSize: CallCost = ({ args, sizeOf }) => {
  const [first] = args
  return first && args.length === 1
    ? { cost: traversal(sizeOf(first)), size: sizeOf(first) }
    : undefined
}

const ofTarget: CallCost = ({ target, sizeOf }) =>
  target && { cost: traversal(sizeOf(target)), size: sizeOf(target) }

const walk: CallCost = ({ target, sizeOf }) => {
  if (target === undefined) return undefined
  const element = elementOf(target)
  if (element === undefined) return { cost: traversal(sizeOf(target)) }
  const isText = element.type.kind === 'string' || element.type.kind === 'bytes'
  const each = isText ? add(exactly(1), traversal(sizeOf(element))) : exactly(1)
  return { cost: multiply(sizeOf(target), each) }
}

/** The elements of a list, as a node whose size can be asked for. */
function elementOf(list: SizedNode): SizedNode | undefined {
  const [type] = parametersOf(list.type)
  if (type === undefined) return undefined
  const path = list.path.length === 0 ? [] : [...list.path, '@items']
  return { expr: undefined, type, path, size: undefined }
}

const replace: CallCost = ({ target, args, sizeOf }) => {
  const [old, replacement] = args
  if (target === undefined || old === undefined || replacement === undefined) return undefined
  const text = sizeOf(target)
  const size = replacedSize(text, sizeOf(old), sizeOf(replacement))
  return { cost: scale(text, 2 * TRAVERSAL_FACTOR), size }
}

/** How long a text is after replacing: every occurrence counts, and an empty text occurs between all characters. */
function replacedSize(text: Range, old: Range, replacement: Range): Range {
  let [minCount, maxCount, minKept, maxKept] = [0n, 0n, 0n, 0n]
  if (old.min === 0n) {
    maxCount = text.max < UNBOUNDED ? text.max + 1n : text.max
    maxKept = text.max
  } else if (replacement.max <= old.min) maxKept = text.max
  else maxCount = BigInt(Math.ceil(Number(text.max) / Number(old.min)))
  if (old.max === 0n) {
    minCount = text.min < UNBOUNDED ? text.min + 1n : text.min
    minKept = text.min
  } else if (old.max <= replacement.min) minKept = text.min
  else minCount = BigInt(Math.ceil(Number(text.min) / Number(old.max)))
  return add(multiply({ min: minCount, max: maxCount }, replacement), {
    min: minKept,
    max: maxKept,
  })
}

const split: CallCost = ({ target, args, sizeOf }) => {
  if (target === undefined) return undefined
  const text = sizeOf(target)
  const limit = args[1]?.expr
  const isFixed = limit?.kind === 'literal' && typeof limit.value === 'bigint'
  const max = isFixed ? BigInt.asUintN(64, limit.value as bigint) : text.max
  return { cost: scale(text, 2 * TRAVERSAL_FACTOR), size: { min: 0n, max } }
}

const join: CallCost = ({ target, args: [separator], sizeOf }) => {
  if (target === undefined) return undefined
  const count = sizeOf(target)
  const element = elementOf(target)
  let text = element === undefined ? ZERO : multiply(count, sizeOf(element))
  if (separator !== undefined) {
    const less = (bound: bigint): bigint => (bound > 0n ? bound - 1n : 0n)
    text = add(text, multiply(sizeOf(separator), { min: less(count.min), max: less(count.max) }))
  }
  return { cost: traversal(text), size: text }
}

const find: CallCost = ({ target, args: [pattern], sizeOf }) => {
  if (target === undefined || pattern === undefined) return undefined
  const text = sizeOf(target)
  return { cost: searchCost(text, sizeOf(pattern)), size: { min: 0n, max: text.max } }
}

const selector: CallCost = ({ args, sizeOf }) => {
  const [first] = args
  if (first === undefined || args.length !== 1) return undefined
  const text = sizeOf(first)
  const requirements = scale(scale(text, 0.5), LIST_COST + STRUCT_COST)
  return { cost: add(add(exactly(LIST_COST), traversal(text)), requirements) }
}

/** An IP address has 4 to 16 bytes. */
const ADDRESS: Range = { min: 4n, max: 16n }

const contained =
  (extra: Range): CallCost =>
  ({ overload, args: [other], sizeOf }) => {
    if (other === undefined) return undefined
    const cost = add(traversal(add(ADDRESS, ADDRESS)), extra)
    const isText = overload.endsWith('_string')
    return { cost: isText ? add(cost, traversal(sizeOf(other))) : cost }
  }

const validate: CallCost = ({ args: [text], sizeOf }) =>
  text && { cost: scale(traversal(sizeOf(text)), MAX_NAME_PATTERN * REGEX_FACTOR) }
const MAX_NAME_PATTERN = 128
const MAX_FORMAT_NAME = 64n

const UNIT_EQUALITY: ReadonlySet<string> = new Set([
  'net.IP',
  'net.CIDR',
  'kubernetes.Quantity',
  'kubernetes.Semver',
  'kubernetes.authorization.Authorizer',
  'kubernetes.authorization.PathCheck',
  'kubernetes.authorization.GroupCheck',
  'kubernetes.authorization.ResourceCheck',
  'kubernetes.authorization.Decision',
])

/** Equality of two values of one library type. */
const equality: CallCost = ({ args }) => {
  const [a, b] = args
  if (a === undefined || b === undefined || !sameType(a.type, b.type)) return undefined
  if (a.type.kind !== 'object' && a.type.kind !== 'opaque') return undefined
  if (UNIT_EQUALITY.has(a.type.name)) return { cost: exactly(1) }
  if (a.type.name === 'kubernetes.NamedFormat') {
    return { cost: traversal({ min: 1n, max: MAX_FORMAT_NAME }) }
  }
  if (a.type.name !== 'kubernetes.URL') return undefined
  const known = b.size === undefined ? exactly(1) : union(b.size, b.size)
  return { cost: traversal({ min: 1n, max: known.max }) }
}

const BY_NAME: Readonly<Record<string, CallCost>> = {
  fieldSelector: selector,
  labelSelector: selector,
  isSorted: walk,
  sum: walk,
  max: walk,
  min: walk,
  indexOf: walk,
  lastIndexOf: walk,
  url: keepingSize,
  'jsonpatch.escapeKey': keepingSize,
  lowerAscii: ofTarget,
  upperAscii: ofTarget,
  substring: ofTarget,
  trim: ofTarget,
  replace,
  split,
  join,
  find,
  findAll: find,
  cidr: ofArgument,
  isIP: ofArgument,
  isCIDR: ofArgument,
  ip: (call) => (call.overload === 'cidr_ip' ? { cost: exactly(1) } : ofArgument(call)),
  'ip.isCanonical': ({ args: [first], sizeOf }) =>
    first && { cost: scale(sizeOf(first), 2 * TRAVERSAL_FACTOR) },
  containsIP: contained(ZERO),
  containsCIDR: contained(add(traversal(ADDRESS), exactly(1))),
  quantity: ofArgument,
  isQuantity: ofArgument,
  semver: ofArgument,
  isSemver: ofArgument,
  validate,
  '_==_': equality,
}
