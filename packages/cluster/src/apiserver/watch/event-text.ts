import { stringifyExact } from 'kubewright/base'
import {
  apiVersionOf,
  INITIAL_EVENTS_END,
  type Status,
  type UnknownObject,
} from 'kubewright/machinery'
import bookmarks from '../data/bookmarks.json' with { type: 'json' }
import { goJson } from '../codec/json-text.ts'
import type { OutputType } from '../codec/negotiate.ts'
import { PROTOBUF } from '../codec/protobuf.ts'
import { protobufBytes, protobufEvent } from '../codec/protobuf-encode.ts'
import type { Call } from '../endpoints/call.ts'
import type { Chunk } from '../http/message.ts'
import { ordered } from '../resources/ordered-storage.ts'
import type { Stored } from '../storage/storage.ts'
import { type IncludeObject, partialMetadata, tableOf } from '../table/table.ts'
import { type Transition, under } from './transition.ts'

interface Empty {
  readonly annotations?: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

/** What an object of a built-in kind is that was never filled in: a bookmark is one, with a version. By
 * `group/version/plural`; `annotations` are those of its metadata. */
const EMPTY: Readonly<Record<string, Empty>> = bookmarks

/**
 * Writes the events of one watch: a JSON object a line, or framed messages of protobuf. A watch of tables names the columns in its
 * first event alone.
 */
export class EventWriter {
  readonly contentType: string
  readonly #call: Call
  readonly #as: OutputType['as']
  readonly #protobuf: boolean
  readonly #include: IncludeObject
  #headed = false

  constructor(call: Call, output: OutputType, include: IncludeObject) {
    this.#call = call
    this.#as = output.as
    this.#protobuf = output.mediaType === PROTOBUF
    this.#include = include
    this.contentType = this.#protobuf ? `${PROTOBUF};stream=watch` : 'application/json'
  }

  /** Whether nothing can be said: an event is no list, and its metadata was asked for as that of one. */
  get isMute(): boolean {
    return this.#as?.kind === 'PartialObjectMetadataList'
  }

  /** The bytes of an event; plain ones are shared with every other watch of the version. */
  event({ type, stored, revision }: Transition): Chunk {
    const { views } = this.#call
    if (!this.#as && revision === undefined) {
      return this.#protobuf ? views.eventFrame(type, stored) : views.eventBytes(type, stored)
    }
    const { object } = views.of(stored)
    return this.#chunk(type, revision === undefined ? object : under(object, revision))
  }

  added(stored: Stored): Chunk {
    return this.event({ type: 'ADDED', stored, revision: undefined })
  }

  bookmark(revision: number, initialEventsEnd: boolean): Chunk {
    const { info } = this.#call.served
    const { annotations: own, ...fields } =
      EMPTY[`${info.group}/${info.version}/${info.plural}`] ?? {}
    const annotations = { ...own, ...(initialEventsEnd ? { [INITIAL_EVENTS_END]: 'true' } : {}) }
    const bookmark = {
      kind: info.kind,
      apiVersion: apiVersionOf(info),
      metadata: {
        resourceVersion: String(revision),
        ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
      },
      ...fields,
    }
    return this.#chunk('BOOKMARK', info.custom ? ordered(bookmark) : bookmark)
  }

  /** The last event of a watch that cannot go on. */
  error(status: Status): Chunk {
    return this.#encoded('ERROR', status)
  }

  #chunk(type: string, object: UnknownObject): Chunk {
    return this.#encoded(type, this.#transformed(object))
  }

  #encoded(type: string, object: object): Chunk {
    return this.#protobuf
      ? protobufEvent(type, protobufBytes(object as Status))
      : goJson(`${stringifyExact({ type, object })}\n`)
  }

  #transformed(object: UnknownObject): object {
    if (!this.#as) return object
    const { kind, version } = this.#as
    if (kind !== 'Table') return partialMetadata(object, `meta.k8s.io/${version}`)
    const noHeaders = this.#headed
    this.#headed = true
    const { resourceVersion } = object.metadata
    return tableOf([object], this.#call.served.table, {
      version,
      metadata: resourceVersion ? { resourceVersion } : {},
      includeObject: this.#include,
      now: this.#call.parts.clock.now(),
      noHeaders,
    })
  }
}
