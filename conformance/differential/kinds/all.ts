import { ADMISSION } from './admission.ts'
import { CLUSTER } from './cluster.ts'
import { CORE } from './core.ts'
import { CUSTOM } from './custom.ts'
import { DEVICES } from './devices.ts'
import { GROUPED } from './grouped.ts'
import type { KindModel } from './kind.ts'

/** Every kind that the generator makes sequences for. */
export const KINDS: readonly KindModel[] = [
  ...CORE,
  ...GROUPED,
  ...CUSTOM,
  ...CLUSTER,
  ...ADMISSION,
  ...DEVICES,
]
