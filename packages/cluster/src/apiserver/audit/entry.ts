import { microTimeText, type Status, type UnknownObject } from 'kubewright/machinery'
import type { AuditEntry, Exchange } from '../endpoints/exchange.ts'
import type { User } from '../http/message.ts'
import { type AuditConfig, type AuditLevel, type AuditStage, LEVELS } from './policy.ts'

/** An event as it is written down (audit.k8s.io/v1 Event), its fields in Go's order. */
export type AuditEvent = Readonly<Record<string, unknown>>

const LONGEST_AGENT = 1024

/** What is written down of one request: gathered on its way in and out, told stage by stage. */
export class RequestEntry implements AuditEntry {
  readonly #config: AuditConfig
  readonly #asked: AuditEvent
  readonly #annotations = new Map<string, string>()
  readonly #received: number
  #reference: Record<string, string> | undefined
  #arrived: UnknownObject['metadata'] | undefined
  #impersonated: object | undefined
  #constraint = ''
  #request: unknown
  #status: object | undefined
  #response: unknown

  constructor(config: AuditConfig, exchange: Exchange, received: number) {
    this.#config = config
    this.#received = received
    this.#asked = askedBy(exchange)
    this.#reference = exchange.info.isResource ? referenceOf(exchange) : undefined
  }

  get level(): AuditLevel {
    return this.#config.level
  }

  annotate(key: string, value: string): void {
    if (!this.#annotations.has(key)) this.#annotations.set(key, value)
  }

  impersonated(user: User, constraint: string): void {
    this.#impersonated = userOf(user)
    this.#constraint = constraint
  }

  arrived({ metadata }: { readonly metadata: UnknownObject['metadata'] }): void {
    this.#arrived ??= { ...metadata }
  }

  requested(object: object): void {
    if (this.#request !== undefined) return
    const metadata = this.#arrived ?? (object as Partial<UnknownObject>).metadata
    if (this.#reference && metadata) refer(this.#reference, metadata)
    if (!this.#has('Request')) return
    this.#request = { ...object, ...(metadata ? { metadata: this.#shown(metadata) } : {}) }
    // What was asked is changed on its way on.
    this.#request = JSON.parse(JSON.stringify(this.#request))
  }

  patched(patch: string): void {
    if (this.#has('Request')) this.#request = parsed(patch)
  }

  /** Notes the answer: its code, the Status that it may be, and what it holds where that is written down. */
  answered(code: number, status: Status | undefined, body: unknown): void {
    const {
      kind: _,
      apiVersion: __,
      metadata = {},
      ...told
    } = (status ?? {}) as Partial<Status> & {
      readonly kind?: string
      readonly apiVersion?: string
    }
    this.#status = { metadata, ...told, code }
    if (this.#has('RequestResponse') && body !== undefined)
      this.#response = this.#withoutOwners(body)
  }

  /** Whether something is written down at a stage. */
  tells(stage: AuditStage): boolean {
    return this.level !== 'None' && !this.#config.omitStages.has(stage)
  }

  /** The event of a stage; `now` in milliseconds. */
  event(stage: AuditStage, now: number): AuditEvent {
    const { auditID, requestURI, verb, user, sourceIPs, userAgent } = this.#asked
    const annotations = Object.fromEntries(
      [...this.#annotations].sort(([a], [b]) => (a < b ? -1 : 1)),
    )
    return {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: this.level,
      auditID,
      stage,
      requestURI,
      verb,
      user,
      ...(this.#impersonated ? { impersonatedUser: this.#impersonated } : {}),
      ...(this.#constraint
        ? { authenticationMetadata: { impersonationConstraint: this.#constraint } }
        : {}),
      ...(sourceIPs ? { sourceIPs } : {}),
      ...(userAgent ? { userAgent } : {}),
      ...(this.#reference ? { objectRef: { ...this.#reference } } : {}),
      ...(this.#status ? { responseStatus: this.#status } : {}),
      ...(this.#request === undefined ? {} : { requestObject: this.#request }),
      ...(this.#response === undefined ? {} : { responseObject: this.#response }),
      requestReceivedTimestamp: microTimeText(this.#received),
      stageTimestamp: microTimeText(now),
      ...(this.#annotations.size > 0 ? { annotations } : {}),
    }
  }

  #has(level: AuditLevel): boolean {
    return LEVELS.indexOf(this.level) >= LEVELS.indexOf(level)
  }

  #shown(metadata: object): object {
    if (!this.#config.omitManagedFields) return metadata
    const { managedFields: _, ...shown } = metadata as { readonly managedFields?: unknown }
    return shown
  }

  #withoutOwners(body: unknown): unknown {
    if (!this.#config.omitManagedFields || typeof body !== 'object' || body === null) return body
    const { metadata, items, ...rest } = body as { metadata?: object; items?: readonly unknown[] }
    return {
      ...rest,
      ...(metadata ? { metadata: this.#shown(metadata) } : {}),
      ...(items ? { items: items.map((it) => this.#withoutOwners(it)) } : {}),
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    // A patch in YAML is written down as it came.
    return text
  }
}

function askedBy(exchange: Exchange): AuditEvent {
  const { request, info, auditId, user } = exchange
  const query = request.query.toString()
  const made = query === '' ? request.path : `${request.path}?${query}`
  const agent = request.header('user-agent') ?? ''
  return {
    auditID: auditId,
    requestURI: request.target ?? made,
    verb: info.verb,
    user: user.name === '' ? {} : userOf(user),
    sourceIPs: addressesOf(exchange),
    userAgent:
      agent.length > LONGEST_AGENT ? `${agent.slice(0, LONGEST_AGENT)}...TRUNCATED` : agent,
  }
}

const userOf = ({ name, uid, groups, extra }: User): object => ({
  username: name,
  ...(uid ? { uid } : {}),
  ...(groups.length > 0 ? { groups } : {}),
  ...(extra && Object.keys(extra).length > 0 ? { extra } : {}),
})

/** Where a request comes from, as proxies on the way told (apimachinery/pkg/util/net SourceIPs). */
function addressesOf({ request }: Exchange): readonly string[] | undefined {
  const { peer } = request
  const told = (request.header('x-forwarded-for') ?? '').split(',').map((it) => it.trim())
  const real = request.header('x-real-ip') ?? ''
  const own = peer.kind === 'socket' ? (peer.address ?? '') : ''
  const all = [...told, ...(told.includes(real) ? [] : [real])].filter((it) => it !== '')
  const addresses = own === '' || all.at(-1) === own ? all : [...all, own]
  return addresses.length > 0 ? addresses : undefined
}

function referenceOf({ info }: Exchange): Record<string, string> {
  const { resource, namespace, name, group, version, subresource } = info
  return present({ resource, namespace, name, apiGroup: group, apiVersion: version, subresource })
}

const ORDER = [
  'resource',
  'namespace',
  'name',
  'uid',
  'apiGroup',
  'apiVersion',
  'resourceVersion',
  'subresource',
]

function present(fields: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([, it]) => it !== ''))
}

/** Tells in a reference what the object says of itself. */
function refer(reference: Record<string, string>, metadata: UnknownObject['metadata']): void {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata
  const known = present({ namespace, name, uid, resourceVersion, ...reference })
  for (const field of ORDER) {
    delete reference[field]
    if (known[field] !== undefined) reference[field] = known[field]
  }
}
