import { parseExact, stringifyExact } from '../base/exact-json.ts'
import type { KubeObject } from '../machinery/object.ts'

/**
 * An object as a store keeps it: ready to use, or as its JSON text, which takes a fraction of the room (no map, no pointers, one string
 * that the garbage collector does not look into).
 */
export type Kept<T extends KubeObject> = T | string

/** Turns objects into text and back; `thaw` is applied to what was read (to freeze it, in tests). */
export interface Packing<T extends KubeObject> {
  pack(object: T): string
  open(kept: Kept<T>): T
}

/** Makes the {@link Packing} of a store. */
export function packing<T extends KubeObject>(thaw: (object: T) => T = (it) => it): Packing<T> {
  return {
    pack: (object) => stringifyExact(object),
    open: (kept) => (typeof kept === 'string' ? thaw(parseExact(kept) as T) : kept),
  }
}
