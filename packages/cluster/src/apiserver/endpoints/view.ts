import { stringifyExact } from 'kubewright/base'
import { apiVersionOf, type UnknownObject } from 'kubewright/machinery'
import { goJson } from '../codec/json-text.ts'
import { protobufEnvelope, protobufEvent, protobufMessage } from '../codec/protobuf-encode.ts'
import { ordered } from '../resources/ordered-storage.ts'
import type { Stored } from '../storage/storage.ts'
import type { Shown } from './answers.ts'
import { Recent } from '../watch/recent.ts'
import type { Served } from './served.ts'

/** An object as one version shows it, with its text, ready to send. */
export interface View {
  readonly object: UnknownObject
  readonly json: string
}

type EventType = 'ADDED' | 'MODIFIED' | 'DELETED'

/** Of how many changes the encoded events are kept for the watchers that are yet to be told. */
const RECENT = 256

/** Shows stored objects in the version of one resource; each revision is converted and encoded at most once. */
export class Views {
  readonly #served: Served
  readonly #seen = new WeakMap<Stored, View>()
  readonly #events = new Recent<Stored, Partial<Record<string, Buffer>>>(RECENT)
  readonly #frames = new Recent<Stored, Partial<Record<string, Buffer>>>(RECENT)
  /** By object: what the store lets go takes its protobuf with it. */
  readonly #messages = new WeakMap<UnknownObject, Buffer>()
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
      const object = ordered(shown[i]!)
      this.#seen.set(stored, { object, json: stringifyExact(object) })
    }
  }

  /** Shows a stored object; what a webhook converts must have been prepared. */
  of(stored: Stored): View {
    const { fromStorage } = this.#served
    if (!fromStorage) return stored
    let view = this.#seen.get(stored)
    if (!view) {
      const object = ordered(fromStorage(stored.object))
      view = object === stored.object ? stored : { object, json: stringifyExact(object) }
      this.#seen.set(stored, view)
    }
    return view
  }

  /** The same as it stands in an answer's list of items, as Go writes it, and without its opening brace. */
  itemTail(stored: Stored): string {
    const json = goJson(this.of(stored).json)
    if (this.#served.info.custom || !json.startsWith(this.#head)) return json.slice(1)
    return json.slice(this.#head.length + (json[this.#head.length] === ',' ? 1 : 0))
  }

  /** The text of an item of a list: those of built-in kinds do not repeat kind and apiVersion. */
  itemText(stored: Stored): string {
    const { json } = this.of(stored)
    if (this.#served.info.custom || !json.startsWith(this.#head)) return json
    return json[this.#head.length] === ',' ? `{${json.slice(this.#head.length + 1)}` : '{}'
  }

  /** The line of a watch event, made once for all watches. */
  eventBytes(type: EventType, stored: Stored): Buffer {
    const lines = this.#events.of(stored, () => ({}))
    return (lines[type] ??= Buffer.from(
      goJson(`{"type":"${type}","object":${this.of(stored).json}}\n`),
    ))
  }

  /** The bare protobuf message of an object: what an item of a list is. */
  message(stored: Stored): Buffer {
    const { object } = this.of(stored)
    let message = this.#messages.get(object)
    if (!message) this.#messages.set(object, (message = protobufMessage(object)))
    return message
  }

  /** An object in protobuf, as an answer carries it. */
  protobuf(stored: Stored): Buffer {
    const { info } = this.#served
    return protobufEnvelope(
      { apiVersion: apiVersionOf(info), kind: info.kind },
      this.message(stored),
    )
  }

  /** The frame of a watch event in protobuf, made once for all watches. */
  eventFrame(type: EventType, stored: Stored): Buffer {
    const frames = this.#frames.of(stored, () => ({}))
    return (frames[type] ??= protobufEvent(type, this.protobuf(stored)))
  }

  /** A stored object as an answer shows it, in whatever it is asked for. */
  shown(stored: Stored): Shown {
    return new StoredView(this, stored)
  }
}

/** Nothing of it is made before it is asked for. */
class StoredView implements Shown {
  readonly #views: Views
  readonly #stored: Stored

  constructor(views: Views, stored: Stored) {
    this.#views = views
    this.#stored = stored
  }

  get object(): UnknownObject {
    return this.#views.of(this.#stored).object
  }

  get json(): string {
    return this.#views.of(this.#stored).json
  }

  readonly protobuf = (): Buffer => this.#views.protobuf(this.#stored)
}
