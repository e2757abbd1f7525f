import type { Clock, Random } from 'kubewright/base'
import { timeText, type UnknownObject } from 'kubewright/machinery'
import { fillSystemFields } from '../endpoints/system-fields.ts'
import type { Storage } from '../storage/storage.ts'
import { withOwners } from './managed-fields.ts'
import { bootstrapObjects, type BootstrapOptions } from './objects.ts'
import { reconciled } from './reconcile-policy.ts'

export type { BootstrapOptions } from './objects.ts'

/**
 * Makes what every cluster begins with, where it is not there, and gives roles and bindings back what they lost. Writes straight to
 * the store, all at once: these objects are whole already, and a store that commits in groups takes them in one.
 */
export async function bootstrap(
  storage: Storage,
  clock: Clock,
  random: Random,
  options: BootstrapOptions = {},
): Promise<void> {
  const now = timeText(clock.now())
  const made = bootstrapObjects(now, options).map(async ({ key, object: bare }) => {
    const stored = await storage.get(key)
    if (stored) {
      const next = reconciled(stored.object, bare)
      if (next) await storage.compareAndSwap(key, stored.revision, next)
      return
    }
    const object = withOwners(key, bare, now)
    const metadata = { ...object.metadata }
    fillSystemFields(metadata as never, clock, random)
    const whole: UnknownObject = { ...object, metadata }
    await storage.compareAndSwap(key, 0, whole)
  })
  await Promise.all(made)
}
