import type { Sequence } from '../step.ts'
import { APPLY } from './apply.ts'
import { EMPTIES } from './empties.ts'
import { MISFITS } from './misfits.ts'
import { READS } from './reads.ts'
import { REWRITES } from './rewrites.ts'
import { SERVICE_CASES } from './services.ts'
import { WRITES } from './writes.ts'

/** The table of cases. */
export const CASES: readonly Sequence[] = [
  ...APPLY,
  ...READS,
  ...WRITES,
  ...REWRITES,
  ...EMPTIES,
  ...MISFITS,
  ...SERVICE_CASES,
]
