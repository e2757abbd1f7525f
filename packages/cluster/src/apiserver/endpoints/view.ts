import { apiVersionOf, type UnknownObject } from 'kubewright/machinery'
import type { Stored } from '../storage/storage.ts'
import type { Served } from './served.ts'

/** An object as one version shows it, with its text, ready to send. */
export interface View {
  readonly object: UnknownObject
  readonly json: string
}

/** Shows stored objects in the version of one resource; each revision is converted and encoded at most once. */
export class Views {
  readonly #served: Served
  readonly #seen = new WeakMap<Stored, View>()
  readonly #events = new WeakMap<Stored, Partial<Record<string, Buffer>>>()
  readonly #head: string

  constructor(served: Served) {
    this.#served = served
    const { info } = served
    this.#head = `{"kind":${JSON.stringify(info.kind)},"apiVersion":${JSON.stringify(apiVersionOf(info))}`
  }

  /** Converts what a webhook must convert, all in one call, so that `of` can show it. */
  async prepare(items: readonly (Stored | undefined)[]): Promise<void> {
    const { webhook, info } = this.#served
    if (!webhook) return
    const own = apiVersionOf(info)
    const asked = items.filter(
      (it) => it !== undefined && it.object.apiVersion !== own && !this.#seen.has(it),
    ) as Stored[]
    if (asked.length === 0) return
    const shown = await webhook.fromStorage(asked.map((it) => it.object))
    for (const [i, stored] of asked.entries()) {
      this.#seen.set(stored, { object: shown[i]!, json: JSON.stringify(shown[i]) })
    }
  }

  /** Shows a stored object; what a webhook converts must have been prepared. */
  of(stored: Stored): View {
    const { fromStorage } = this.#served
    if (!fromStorage) return stored
    let view = this.#seen.get(stored)
    if (!view) {
      const object = fromStorage(stored.object)
      view = object === stored.object ? stored : { object, json: JSON.stringify(object) }
      this.#seen.set(stored, view)
    }
    return view
  }

  /** The text of an item of a list: those of built-in kinds do not repeat kind and apiVersion. */
  itemText(stored: Stored): string {
    const { json } = this.of(stored)
    if (this.#served.info.custom || !json.startsWith(this.#head)) return json
    return json[this.#head.length] === ',' ? `{${json.slice(this.#head.length + 1)}` : '{}'
  }

  /** The line of a watch event, made once for all watches. */
  eventBytes(type: 'ADDED' | 'MODIFIED' | 'DELETED', stored: Stored): Buffer {
    let lines = this.#events.get(stored)
    if (!lines) this.#events.set(stored, (lines = {}))
    return (lines[type] ??= Buffer.from(`{"type":"${type}","object":${this.of(stored).json}}\n`))
  }
}
