import type { Source, SourceContext } from '../definition.ts'
import type { Requests } from '../handler.ts'
import { inbound, type InboundOptions } from './inbound-http.ts'

/** A CloudEvent, specification 1.0: its context attributes and its data, parsed where it is JSON. */
export interface CloudEvent {
  readonly specversion: string
  readonly id: string
  readonly source: string
  readonly type: string
  readonly subject?: string
  readonly time?: string
  readonly datacontenttype?: string
  readonly dataschema?: string
  readonly data?: unknown
  /** Extension attributes, by name. */
  readonly [extension: string]: unknown
}

/** Who may send which events. */
export interface CloudEventOptions extends InboundOptions {
  /** Takes only events of these types; others are answered with 202 and set nothing off. Default: all. */
  readonly types?: readonly string[]
}

/**
 * A source that takes CloudEvents over HTTP (protocol binding 1.0): in binary mode (`ce-` headers), structured
 * (`application/cloudevents+json`) and in batches. `map` says whom to look at because of one.
 */
export function cloudEvents(
  options: CloudEventOptions,
  map: (event: CloudEvent, context: SourceContext) => Requests,
): Source {
  const wanted = (event: CloudEvent): boolean => options.types?.includes(event.type) ?? true
  return inbound(options, ({ request, body }, context) =>
    readEvents(request, body)
      .filter(wanted)
      .flatMap((it) => [...map(it, context)]),
  )
}

function readEvents(request: Request, body: string): readonly CloudEvent[] {
  const type = request.headers.get('content-type') ?? ''
  if (type.startsWith('application/cloudevents-batch+json')) {
    const events = json(body)
    if (!Array.isArray(events)) throw new Error('a batch is a JSON array of CloudEvents')
    return events.map(structured)
  }
  if (type.startsWith('application/cloudevents+json')) return [structured(json(body))]
  if (type.startsWith('application/cloudevents'))
    throw new Error(`the event format ${type} is not known here; send JSON`)
  return [binary(request, body, type)]
}

function structured(value: unknown): CloudEvent {
  if (typeof value !== 'object' || value === null) throw new Error('a CloudEvent is a JSON object')
  const { data_base64: encoded, ...rest } = value as Record<string, unknown>
  const data = typeof encoded === 'string' ? { data: Buffer.from(encoded, 'base64') } : {}
  return checked({ ...rest, ...data })
}

function binary(request: Request, body: string, type: string): CloudEvent {
  const attributes: Record<string, unknown> = {}
  for (const [name, value] of request.headers)
    if (name.startsWith('ce-')) attributes[name.slice(3)] = percentDecoded(value)
  if (type !== '') attributes['datacontenttype'] = type
  if (body !== '') attributes['data'] = /[/+]json\b/.test(type) ? json(body) : body
  return checked(attributes)
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function checked(attributes: Record<string, unknown>): CloudEvent {
  for (const name of ['specversion', 'id', 'source', 'type'])
    if (typeof attributes[name] !== 'string' || attributes[name] === '')
      throw new Error(`a CloudEvent needs ${name} (specification 1.0), and it is not there`)
  return attributes as unknown as CloudEvent
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error('the body is not JSON', { cause })
  }
}
