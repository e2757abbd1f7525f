import { deepFreeze, parseExact, stringifyExact } from 'kubewright/base'
import type { UnknownObject } from 'kubewright/machinery'
import type { Stored } from './storage.ts'

/**
 * A {@link Stored} that lies there as its text, a third of what its object takes. The object is made when it is asked for, and kept
 * as long as {@link WarmObjects} has room for it; its labels stay, because lists select by them.
 */
export class Entry implements Stored {
  readonly key: string
  readonly revision: number
  readonly #warm: WarmObjects
  readonly json: string
  readonly isFirst: boolean
  #object: UnknownObject | undefined
  #labels: Readonly<Record<string, string>> | undefined
  #used = false

  private constructor(
    key: string,
    revision: number,
    warm: WarmObjects,
    object: UnknownObject | undefined,
    json: string,
    isFirst: boolean,
  ) {
    this.key = key
    this.revision = revision
    this.#warm = warm
    this.#object = object
    this.json = json
    this.isFirst = isFirst
  }

  /** Throws what JSON.stringify throws (a RangeError where the object is nested too deep): now, and not at whoever lists it later. */
  static ofObject(
    key: string,
    revision: number,
    object: UnknownObject,
    warm: WarmObjects,
    isFirst: boolean = false,
  ): Entry {
    const entry = new Entry(key, revision, warm, object, stringifyExact(object), isFirst)
    warm.addWritten(entry)
    return entry
  }

  static ofJson(key: string, revision: number, json: string, warm: WarmObjects): Entry {
    return new Entry(key, revision, warm, undefined, json, false)
  }

  get object(): UnknownObject {
    if (!this.#object) return this.#parsed()
    // Once is not enough: who reads everything once must not drive out what is read all the time.
    this.#used = true
    return this.#object
  }

  get labels(): Readonly<Record<string, string>> | undefined {
    return this.#object?.metadata.labels ?? (this.#labels ??= this.object.metadata.labels ?? NONE)
  }

  /** Lets the object go, and keeps its text; unless it was asked for since the last time, which is forgotten then. Tells whether. */
  cool(): boolean {
    if (this.#used) {
      this.#used = false
      return false
    }
    this.#labels = this.#object?.metadata.labels ?? NONE
    this.#object = undefined
    return true
  }

  #parsed(): UnknownObject {
    const object = parseExact(this.json) as UnknownObject
    this.#object = this.#warm.freeze ? deepFreeze(object) : object
    this.#warm.add(this)
    return this.#object
  }
}

const NONE: Readonly<Record<string, string>> = Object.freeze({})

/** How many objects are kept as objects, at most. */
export const WARM = 8_192
/** Of how many writes the objects are kept before anybody has asked for them. */
export const WRITTEN = 256

/**
 * The entries of one store whose objects are there, in a ring: a new one takes the place of the next that nobody has used of late. What
 * was written waits in a small ring of its own until somebody asks for it: most objects nobody does, and one that goes soon costs the
 * collector nothing, where one that goes late was moved twice.
 */
export class WarmObjects {
  readonly freeze: boolean
  readonly #room: number
  readonly #writtenRoom: number
  readonly #ring: Entry[] = []
  readonly #written: Entry[] = []
  #hand = 0
  #writtenHand = 0

  /** `freeze`: what is parsed is frozen, for tests. */
  constructor(options: { readonly freeze: boolean; readonly room?: number }) {
    this.freeze = options.freeze
    this.#room = options.room ?? WARM
    this.#writtenRoom = Math.min(this.#room, WRITTEN)
  }

  /** Takes in the entry of an object that has just been written. */
  addWritten(entry: Entry): void {
    const oldest = this.#written[this.#writtenHand]
    this.#written[this.#writtenHand] = entry
    this.#writtenHand = (this.#writtenHand + 1) % this.#writtenRoom
    if (oldest && !oldest.cool()) this.add(oldest)
  }

  /** Takes in the entry of an object that somebody has asked for. */
  add(entry: Entry): void {
    if (this.#ring.length < this.#room) {
      this.#ring.push(entry)
      return
    }
    while (!this.#ring[this.#hand]!.cool()) this.#hand = (this.#hand + 1) % this.#room
    this.#ring[this.#hand] = entry
    this.#hand = (this.#hand + 1) % this.#room
  }
}
