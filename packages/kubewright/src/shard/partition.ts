/** How an id is told to a partition: the highest bits of its FNV-1a hash, the ranges that KEP-5866 selects by. */
const OFFSET = { high: 0xcbf29ce4, low: 0x84222325 } as const
/** The 64-bit FNV prime is 2^40 and this. */
const PRIME = 0x1b3
const WORD = 2 ** 32

/** The high 32 bits of the 64-bit FNV-1a hash of a text's UTF-8 (apimachinery/pkg/sharding HashField). */
export function hashHigh(text: string): number {
  let { high, low }: { high: number; low: number } = OFFSET
  for (const byte of Buffer.from(text)) {
    low = (low ^ byte) >>> 0
    const product = low * PRIME
    high = (high * PRIME + Math.floor(product / WORD) + low * 256) % WORD
    low = product % WORD
  }
  return high
}

/** The partition of an id, from 0; `partitions` is a power of two, at most 2^32. */
export function partitionOf(id: string, partitions: number): number {
  return Math.floor((hashHigh(id) / WORD) * partitions)
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
