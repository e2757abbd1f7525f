import type { Clock, Random } from 'kubewright/base'
import { timeText, type UnknownObject } from 'kubewright/machinery'
import { fillSystemFields } from '../endpoints/system-fields.ts'
import type { Storage } from '../storage/storage.ts'
import { bootstrapObjects } from './objects.ts'

/**
 * Makes what every cluster begins with, where it is not there. Writes straight to the store, all at once: these objects are whole
 * already, and a store that commits in groups takes them in one.
 */
export async function bootstrap(storage: Storage, clock: Clock, random: Random): Promise<void> {
  const made = bootstrapObjects(timeText(clock.now())).map(async ({ key, object }) => {
    if (await storage.get(key)) return
    const metadata = { ...object.metadata }
    fillSystemFields(metadata as never, clock, random)
    const whole: UnknownObject = { ...object, metadata }
    await storage.compareAndSwap(key, 0, whole)
  })
  await Promise.all(made)
}
