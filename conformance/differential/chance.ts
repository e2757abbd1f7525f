import { seededRandom } from 'kubewright/base'

/** Chance that repeats, as generators want to ask for it. */
export interface Chance {
  /** An integer from 0 to one below `bound`. */
  readonly below: (bound: number) => number
  readonly pick: <T>(from: readonly T[]) => T
  /** True that often, of 1. */
  readonly maybe: (probability: number) => boolean
  /** One of the values of pairs, as often as their weights say. */
  readonly weighted: <T>(from: readonly (readonly [number, T])[]) => T
}

/** Equal seeds give equal chances. */
export function chance(seed: number): Chance {
  const random = seededRandom(seed)
  const below = (bound: number): number => Math.floor(random.next() * bound)
  return {
    below,
    pick: (from) => from[below(from.length)]!,
    maybe: (probability) => random.next() < probability,
    weighted: (from) => {
      let left = random.next() * from.reduce((sum, [weight]) => sum + weight, 0)
      for (const [weight, value] of from) if ((left -= weight) < 0) return value
      return from.at(-1)![1]
    },
  }
}
