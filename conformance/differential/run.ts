import { type Difference, firstDifference } from './compare.ts'
import { normalise } from './normalise.ts'
import { play, type Place } from './play.ts'
import { shrink } from './shrink.ts'
import type { Sequence } from './step.ts'
import type { Wire } from './wire.ts'

/** The two that must not be told apart. */
export interface Pair {
  readonly real: Wire
  readonly ours: Wire
}

/** Makes places that nothing was ever played at. */
export function places(run: string): () => Place {
  let count = 0
  return () => {
    const word = `${run}${(count++).toString(36)}`
    return { namespace: `d-${word}`, word }
  }
}

/** Plays a sequence on both and tells where they first differ. */
export async function compareOn(
  { real, ours }: Pair,
  sequence: Sequence,
  place: Place,
): Promise<Difference | undefined> {
  const [expected, actual] = await Promise.all([
    play(real, sequence, place),
    play(ours, sequence, place),
  ])
  const now = Date.now()
  return firstDifference(
    sequence,
    normalise(expected, sequence, now),
    normalise(actual, sequence, now),
  )
}

/** A difference that shows again when its sequence is played again, as small as it could be made. */
export interface Finding {
  readonly sequence: Sequence
  readonly difference: Difference
}

/** What became of a sequence; `unsteady` where a difference did not show again. */
export type Verdict =
  | { readonly kind: 'same' }
  | { readonly kind: 'unsteady'; readonly finding: Finding }
  | { readonly kind: 'different'; readonly finding: Finding }

/** Compares a sequence, and once more when it differs, for the real server is not always of one mind. */
export async function judge(
  pair: Pair,
  sequence: Sequence,
  nextPlace: () => Place,
): Promise<Verdict> {
  const first = await compareOn(pair, sequence, nextPlace())
  // Some requests make the real server panic, which hangs up then: there is nothing to be like.
  if (!first || first.expected.status === 0) return { kind: 'same' }
  if (sequence.once) return { kind: 'different', finding: { sequence, difference: first } }
  const second = await compareOn(pair, sequence, nextPlace())
  const finding = { sequence, difference: second ?? first }
  return { kind: second ? 'different' : 'unsteady', finding }
}

/** Makes a finding as small as it can be while it stays the same fault. */
export async function smallest(
  pair: Pair,
  { sequence, difference }: Finding,
  nextPlace: () => Place,
): Promise<Finding> {
  if (sequence.once) return { sequence, difference }
  const { signature, step } = difference
  const cut = { ...sequence, steps: sequence.steps.slice(0, step + 1) }
  let best: Finding = { sequence, difference }
  const fails = async (candidate: Sequence): Promise<boolean> => {
    const found = await compareOn(pair, candidate, nextPlace())
    if (found?.signature !== signature) return false
    best = { sequence: candidate, difference: found }
    return true
  }
  const start = (await fails(cut)) ? cut : sequence
  await shrink(start, fails)
  return best
}
