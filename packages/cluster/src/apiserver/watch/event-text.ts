import { apiVersionOf, INITIAL_EVENTS_END, type UnknownObject } from 'kubewright/machinery'
import type { OutputType } from '../codec/negotiate.ts'
import type { Call } from '../endpoints/call.ts'
import type { Chunk } from '../http/message.ts'
import type { Stored } from '../storage/storage.ts'
import { type IncludeObject, partialMetadata, tableOf } from '../table/table.ts'
import { type Transition, under } from './transition.ts'

/** Writes the lines of one watch. A watch of tables names the columns in its first event alone. */
export class EventWriter {
  readonly #call: Call
  readonly #as: OutputType['as']
  readonly #include: IncludeObject
  #headed = false

  constructor(call: Call, output: OutputType, include: IncludeObject) {
    this.#call = call
    this.#as = output.as
    this.#include = include
  }

  /** The line of an event; plain ones share their bytes with every other watch of the version. */
  event({ type, stored, revision }: Transition): Chunk {
    if (!this.#as && revision === undefined) return this.#call.views.eventBytes(type, stored)
    const { object } = this.#call.views.of(stored)
    return this.#line(type, revision === undefined ? object : under(object, revision))
  }

  added(stored: Stored): Chunk {
    return this.event({ type: 'ADDED', stored, revision: undefined })
  }

  bookmark(revision: number, initialEventsEnd: boolean): Chunk {
    const { info } = this.#call.served
    const annotations = { annotations: { [INITIAL_EVENTS_END]: 'true' } }
    return this.#line('BOOKMARK', {
      kind: info.kind,
      apiVersion: apiVersionOf(info),
      metadata: { resourceVersion: String(revision), ...(initialEventsEnd ? annotations : {}) },
    })
  }

  #line(type: string, object: UnknownObject): string {
    return `${JSON.stringify({ type, object: this.#transformed(object) })}\n`
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
