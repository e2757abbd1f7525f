/** Chance as a seam: uids, generated names and jitter all come from one Random, so that a run can be told again from its seed. */
export interface Random {
  /** A number in [0, 1). */
  next(): number
  /** An RFC 4122 version 4 UUID in lower case. */
  uuid(): string
}

/** Chance from the machine's cryptographic generator. */
export const systemRandom: Random = Object.freeze({
  next: () => globalThis.crypto.getRandomValues(new Uint32Array(1))[0]! / 2 ** 32,
  uuid: () => globalThis.crypto.randomUUID(),
})

/** Chance that repeats: equal seeds give equal sequences (mulberry32). Not for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const word = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return (t ^ (t >>> 14)) >>> 0
  }
  const next = (): number => word() / 2 ** 32
  return { next, uuid: () => uuidFrom(word) }
}

function uuidFrom(word: () => number): string {
  const hex = [word(), word(), word(), word()]
    .map((it) => it.toString(16).padStart(8, '0'))
    .join('')
  const variant = ((Number.parseInt(hex[16]!, 16) & 3) | 8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`
}
