import type { ApiRequest, Answer, User } from '../http/message.ts'
import type { RequestInfo } from './request-info.ts'

/** One request on its way in: what the filters learned about it, and what is to be said beside the answer. */
export interface Exchange {
  readonly request: ApiRequest
  readonly info: RequestInfo
  readonly auditId: string
  /** Set by the authentication filter, replaced by impersonation. */
  readonly user: User
  /** Texts for Warning headers; duplicates are said once. */
  readonly warnings: string[]
}

/** What answers an exchange. Rejects with an ApiError to answer with its Status. */
export type Handler = (exchange: Exchange) => Promise<Answer>

/** Wraps a handler: one verb per layer. */
export type Filter = (next: Handler) => Handler

/** Composes filters, outermost first, around the handler at the heart. */
export function compose(filters: readonly Filter[], heart: Handler): Handler {
  return filters.reduceRight((next, filter) => filter(next), heart)
}
