import { type Expr, parse, Uint } from 'kubewright/cel'
import type { UnknownObject } from 'kubewright/machinery'

/** Which part of a collection a client has taken on (KEP-5866, alpha in v1.36 behind ShardedListAndWatch). */
export interface ShardSelector {
  /** As the answer repeats it. */
  readonly text: string
  readonly matches: (object: UnknownObject) => boolean
}

interface ShardRange {
  readonly field: string
  /** Inclusive and exclusive, `0x` and 16 hexadecimal digits; the end may be 2^64. */
  readonly start: string
  readonly end: string
}

const FIELDS: Readonly<Record<string, (object: UnknownObject) => string>> = {
  'object.metadata.uid': ({ metadata }) => metadata.uid ?? '',
  'object.metadata.namespace': ({ metadata }) => metadata.namespace ?? '',
}

/**
 * Reads `shardRange(object.metadata.uid, '0x…', '0x…') || …` (apiserver/pkg/sharding/parser.go): written in CEL, and never evaluated.
 * Throws an Error with the sentence of what is wrong.
 */
export function parseShardSelector(text: string): ShardSelector {
  const trimmed = text.trim()
  if (trimmed === '')
    throw new Error('empty shard selector is not allowed; omit the parameter for unfiltered lists')
  const { expr, issues } = parse(trimmed, NO_MACROS)
  if (issues.length > 0) throw new Error(`CEL parse error: ${issues[0]!.message}`)
  const ranges = rangesOf(expr)
  const first = ranges[0]!.field
  const other = ranges.find((it) => it.field !== first)
  if (other)
    throw new Error(`all shard ranges must use the same field, got "${first}" and "${other.field}"`)
  return shardsOf(ranges)
}

const NO_MACROS: Parameters<typeof parse>[1] = new Map()

function rangesOf(expr: Expr): readonly ShardRange[] {
  if (expr.kind !== 'call')
    throw new Error(
      `unexpected expression kind ${kindNumber(expr)}; expected shardRange() call or || operator`,
    )
  if (expr.fn === '_||_') return expr.args.flatMap(rangesOf)
  if (expr.fn === 'shardRange') return [rangeOf(expr.args)]
  throw new Error(
    `unsupported function ${JSON.stringify(expr.fn)}; only shardRange() and || are allowed`,
  )
}

function rangeOf(args: readonly Expr[]): ShardRange {
  const [path, from, to] = args
  if (args.length !== 3 || !path || !from || !to)
    throw new Error(`shardRange() requires exactly 3 arguments, got ${args.length}`)
  const field = pathOf(path)
  if (!Object.hasOwn(FIELDS, field))
    throw new Error(
      `unsupported field path ${JSON.stringify(field)}; supported: ${Object.keys(FIELDS).join(', ')}`,
    )
  const start = boundOf(from, 'hexStart')
  const end = boundOf(to, 'hexEnd')
  if (BigInt(start) >= BigInt(end))
    throw new Error(`shard range start ${start} must be less than end ${end}`)
  return { field, start, end }
}

function pathOf(expr: Expr): string {
  if (expr.kind === 'ident') return expr.name
  if (expr.kind === 'select') return `${pathOf(expr.operand)}.${expr.field}`
  throw new Error(
    `shardRange() first argument: expected field path (e.g. object.metadata.uid), got expression kind ${kindNumber(expr)}`,
  )
}

const TWO_TO_64 = '0x10000000000000000'

function boundOf(expr: Expr, name: string): string {
  if (expr.kind !== 'literal')
    throw new Error(
      `${name} must be a string literal (e.g. '0xff'), got expression kind ${kindNumber(expr)}`,
    )
  const { value } = expr
  if (typeof value !== 'string')
    throw new Error(`${name} must be a string literal, got ${goTypeOf(value)}`)
  const wrong = wrongBound(value)
  if (wrong !== undefined) throw new Error(`${name}${wrong}`)
  return value
}

function wrongBound(text: string): string | undefined {
  const quoted = JSON.stringify(text)
  if (!text.startsWith('0x')) return ` must have '0x' prefix, got ${quoted}`
  const digits = text.slice(2)
  if (digits === '') return ": hex value is required after '0x'"
  const bytes = Buffer.byteLength(digits)
  if (bytes > 17) return `: hex value too long (${bytes} chars, max 17): ${JSON.stringify(digits)}`
  const odd = /[^0-9a-f]/u.exec(digits)
  if (odd) return `: invalid hex character ${JSON.stringify(odd[0])} in ${quoted}`
  if (bytes === 17 && text !== TWO_TO_64)
    return `: 17-digit hex value must be '${TWO_TO_64}' (2^64), got ${quoted}`
  if (bytes >= 16) return undefined
  const padded = JSON.stringify(`0x${digits.padStart(16, '0')}`)
  return ` must be a 0x-prefixed 16-digit hex value, got ${quoted} (did you mean ${padded}?)`
}

/** cel-go's numbers of the kinds of a node (common/ast ExprKind). */
const KINDS: Readonly<Record<Expr['kind'], number>> = {
  call: 1,
  fold: 2,
  ident: 3,
  list: 4,
  literal: 5,
  map: 6,
  select: 7,
  struct: 8,
}

const kindNumber = (expr: Expr): number => KINDS[expr.kind]

function goTypeOf(value: unknown): string {
  if (value === null) return 'structpb.NullValue'
  if (value instanceof Uint8Array) return '[]uint8'
  if (value instanceof Uint) return 'uint64'
  return { bigint: 'int64', number: 'float64', boolean: 'bool' }[typeof value as string] ?? 'string'
}

/** The selector of ranges that have been checked: all of one field. */
function shardsOf(ranges: readonly ShardRange[]): ShardSelector {
  const valueOf = FIELDS[ranges[0]!.field]!
  const bounds = ranges.map((it) => ({ start: BigInt(it.start), end: BigInt(it.end) }))
  return {
    text: ranges.map((it) => `shardRange(${it.field}, '${it.start}', '${it.end}')`).join(' || '),
    matches: (object) => {
      const hash = fnv64a(valueOf(object))
      return bounds.some((it) => hash >= it.start && hash < it.end)
    },
  }
}

const OFFSET = 0xcbf29ce484222325n
const PRIME = 0x100000001b3n

/** FNV-1a of a text's UTF-8, 64 bits (hash/fnv New64a). */
export function fnv64a(text: string): bigint {
  let hash = OFFSET
  for (const byte of Buffer.from(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * PRIME)
  }
  return hash
}
