import type { Clock, Random } from 'kubewright/base'
import { timeText, type ObjectMeta } from 'kubewright/machinery'
import type { Mutable } from '../registry/strategy.ts'

/** The alphabet and shape of generated names (apiserver/pkg/storage/names): no vowels, so no words. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'
const SUFFIX_LENGTH = 5
const MAX_LENGTH = 63

/** How often a create with a generated name is tried again when the name is taken. */
export const NAME_ATTEMPTS = 8

/** Mints what only the server gives: uid, creationTimestamp, and the name of an object that has a generateName alone. */
export function fillSystemFields(meta: Mutable<ObjectMeta>, clock: Clock, random: Random): void {
  meta.uid = random.uuid()
  meta.creationTimestamp = timeText(clock.now())
  if (!meta.name && meta.generateName) meta.name = generateName(meta.generateName, random)
}

function generateName(base: string, random: Random): string {
  let suffix = ''
  for (let i = 0; i < SUFFIX_LENGTH; i++) {
    suffix += ALPHABET[Math.floor(random.next() * ALPHABET.length)]
  }
  return base.slice(0, MAX_LENGTH - SUFFIX_LENGTH) + suffix
}
