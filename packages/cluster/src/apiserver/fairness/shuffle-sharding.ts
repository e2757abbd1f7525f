import { createHash } from 'node:crypto'

/** A number of 64 bits for a flow (apf_controller.go hashFlowID). */
export const flowHash = (schema: string, distinguisher: string): bigint =>
  createHash('sha256').update(`${schema}\0${distinguisher}`).digest().readBigUInt64LE(0)

/**
 * Deals a hand of different queues to a flow (apiserver/pkg/util/shufflesharding): two flows seldom have the same hand, so that one that
 * floods its own leaves the other a queue.
 */
export function dealHand(hash: bigint, deckSize: number, handSize: number): readonly number[] {
  const remainders: number[] = []
  let rest = hash
  for (let i = 0; i < handSize; i++) {
    const cards = BigInt(deckSize - i)
    remainders.push(Number(rest % cards))
    rest /= cards
  }
  return remainders.map((remainder, i) => {
    let card = remainder
    for (let j = i - 1; j >= 0; j--) if (card >= remainders[j]!) card++
    return card
  })
}
