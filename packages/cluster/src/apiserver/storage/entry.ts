import type { UnknownObject } from 'kubewright/machinery'
import type { Stored } from './storage.ts'

/** A {@link Stored} that makes its text from its object, or its object from its text, when first asked, and keeps both. */
export class Entry implements Stored {
  readonly key: string
  readonly revision: number
  #object: UnknownObject | undefined
  #json: string | undefined

  private constructor(
    key: string,
    revision: number,
    object: UnknownObject | undefined,
    json: string | undefined,
  ) {
    this.key = key
    this.revision = revision
    this.#object = object
    this.#json = json
  }

  static ofObject(key: string, revision: number, object: UnknownObject): Entry {
    return new Entry(key, revision, object, undefined)
  }

  static ofJson(key: string, revision: number, json: string): Entry {
    return new Entry(key, revision, undefined, json)
  }

  get object(): UnknownObject {
    return (this.#object ??= JSON.parse(this.#json!) as UnknownObject)
  }

  get json(): string {
    return (this.#json ??= JSON.stringify(this.#object))
  }
}
