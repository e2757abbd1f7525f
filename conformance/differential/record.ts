import { firstDifference } from './compare.ts'
import { type Answer, normalise } from './normalise.ts'
import { play, type Place } from './play.ts'
import type { Pair } from './run.ts'
import type { Sequence } from './step.ts'

/** What the real server answered to a sequence: a test plays it against ours alone. */
export interface Recording {
  readonly sequence: Sequence
  readonly place: Place
  readonly answers: readonly Answer[]
}

/** How long the answers of one recording may be, in characters: what is longer says little more. */
const LONGEST = 12_000

/**
 * Plays a sequence on both servers, at a place by its number. Undefined where they differ, where the real server is not of one mind,
 * or where its answers are too long to keep.
 */
export async function record(
  { real, ours }: Pair,
  sequence: Sequence,
  number: number,
): Promise<Recording | undefined> {
  const place = { namespace: `d-r${number}`, word: `r${number}` }
  const [expected, actual] = await Promise.all([
    play(real, sequence, place),
    play(ours, sequence, place),
  ])
  const now = Date.now()
  const answers = normalise(expected, sequence, now)
  if (firstDifference(sequence, answers, normalise(actual, sequence, now))) return undefined
  const length = answers.reduce((sum, it) => sum + it.text.length, 0)
  return length > LONGEST ? undefined : { sequence, place, answers }
}
