/** How an id is told to a partition: the highest bits of its FNV-1a hash, the ranges that KEP-5866 selects by. */
const OFFSET = { high: 0xcbf29ce4, low: 0x84222325 } as const
/** The 64-bit FNV prime is 2^40 and this. */
const PRIME = 0x1b3
const WORD = 2 ** 32

/** The high 32 bits of the 64-bit FNV-1a hash of a text's UTF-8 (apimachinery/pkg/sharding HashField). */
export function hashHigh(text: string): number {
  return fnv64a(text).high
}

const hashLow = (text: string): number => fnv64a(text).low

function fnv64a(text: string): { readonly high: number; readonly low: number } {
  let { high, low }: { high: number; low: number } = OFFSET
  for (const byte of Buffer.from(text)) {
    low = (low ^ byte) >>> 0
    const product = low * PRIME
    high = (high * PRIME + Math.floor(product / WORD) + low * 256) % WORD
    low = product % WORD
  }
  return { high, low }
}

/**
 * A hash of a text, 32 bits, for names that are much alike (`tenant-1`, `tenant-2`): the last letters of a short name hardly reach the
 * highest bits of FNV-1a, so that they are mixed once more (the finaliser of MurmurHash3).
 */
export function hashMixed(text: string): number {
  let hash = hashHigh(text) ^ hashLow(text)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** The partition of an id by a hash of 32 bits, from 0; `partitions` is a power of two, at most 2^32. */
export function partitionOf(
  id: string,
  partitions: number,
  hash: (text: string) => number = hashHigh,
): number {
  return Math.floor((hash(id) / WORD) * partitions)
}

/** Neighbouring partitions as ranges: each from the first to before the second. */
export function rangesOf(partitions: Iterable<number>): readonly (readonly [number, number])[] {
  const ranges: [number, number][] = []
  for (const it of [...partitions].sort((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last?.[1] === it) last[1] = it + 1
    else ranges.push([it, it + 1])
  }
  return ranges
}

/**
 * The selector that asks a server for some of the partitions alone (KEP-5866); undefined for all of them. None at all is the empty-handed
 * selector of a range that no hash is in.
 */
export function shardSelectorOf(
  held: Iterable<number>,
  partitions: number,
  by: 'uid' | 'namespace',
): string | undefined {
  const ranges = rangesOf(held)
  const [only] = ranges
  if (only && only[0] === 0 && only[1] === partitions) return undefined
  const size = 2n ** 64n / BigInt(partitions)
  const hex = (at: bigint): string => `0x${at.toString(16).padStart(16, '0')}`
  const range = (from: bigint, to: bigint): string =>
    `shardRange(object.metadata.${by}, '${hex(from)}', '${hex(to)}')`
  if (ranges.length === 0) return range(0n, 1n)
  return ranges.map(([from, to]) => range(BigInt(from) * size, BigInt(to) * size)).join(' || ')
}
