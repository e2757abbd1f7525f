import type { Case } from './case.ts'
import { ACCESS } from './cases/access.ts'
import { BASICS } from './cases/basics.ts'
import { CHANGES } from './cases/changes.ts'
import { CLUSTER } from './cases/cluster.ts'
import { CONFIG } from './cases/config.ts'
import { CUSTOM } from './cases/custom.ts'
import { ENDINGS } from './cases/endings.ts'
import { REFUSALS } from './cases/refusals.ts'
import { WORKLOADS } from './cases/workloads.ts'

/** All cases, in the order in which they are run: later ones live on what earlier ones made. */
export const CASES: readonly Case[] = [
  ...BASICS,
  ...CONFIG,
  ...WORKLOADS,
  ...CHANGES,
  ...REFUSALS,
  ...ACCESS,
  ...CUSTOM,
  ...CLUSTER,
  ...ENDINGS,
]
