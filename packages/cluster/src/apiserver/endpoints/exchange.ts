import type { Remarks } from '../authentication/authenticator.ts'
import type { UnknownObject } from 'kubewright/machinery'
import type { ApiRequest, Answer, User } from '../http/message.ts'
import type { RequestInfo } from './request-info.ts'

/** One request on its way in: what the filters learned about it, and what is to be said beside the answer. */
export interface Exchange {
  readonly request: ApiRequest
  readonly info: RequestInfo
  readonly auditId: string
  /** Set by the authentication filter, replaced by impersonation. */
  readonly user: User
  /** Set by the router where the resource is a custom one: it has no routes, and no protobuf. */
  readonly custom?: true
  /** When the answer must be there, in milliseconds since 1970; absent for what lasts as long as it lasts. */
  readonly deadline?: number
  /** Texts for Warning headers; duplicates are said once. */
  readonly warnings: string[]
  /** Headers of the answer, whatever it will be: filters add to them. */
  readonly marks?: Record<string, string>
  /** The entry of the request in the audit log; absent where nothing is written down. */
  readonly audit?: AuditEntry
}

/** What is written down of a request beside what it asks (apiserver/pkg/audit). */
export interface AuditEntry {
  /** Adds an annotation; the first of a key stays. */
  annotate(key: string, value: string): void
  /** The request goes on as somebody else, by a right of that name (empty: by the one that there was of old). */
  impersonated(user: User, constraint: string): void
  /** An object came in, as it was sent: before anything is put into it. */
  arrived(object: { readonly metadata: UnknownObject['metadata'] }): void
  /** What the object asks for, defaults filled in; or the options of a delete. The first counts. */
  requested(object: object): void
  /** A patch came in. */
  patched(patch: string): void
}

/** Where authenticators and admission may leave a remark on an exchange. */
export const remarksOf = ({ warnings, audit }: Exchange): Remarks => ({
  warn: (text) => void warnings.push(text),
  annotate: (key, value) => audit?.annotate(key, value),
})

/** What answers an exchange. Rejects with an ApiError to answer with its Status. */
export type Handler = (exchange: Exchange) => Promise<Answer>

/** Wraps a handler: one verb per layer. */
export type Filter = (next: Handler) => Handler

/** Composes filters, outermost first, around the handler at the heart. */
export function compose(filters: readonly Filter[], heart: Handler): Handler {
  return filters.reduceRight((next, filter) => filter(next), heart)
}
