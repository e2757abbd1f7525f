import type { User } from '../http/message.ts'

/** One demand of a selector, as authorizers see it (KEP-4601): fields know `=` and `!=`, labels the operators of selectors. */
export interface SelectorDemand {
  readonly key: string
  readonly operator: string
  readonly values: readonly string[]
}

/** What somebody wants to do (apiserver/pkg/authorization/authorizer Attributes). */
export type Attributes = { readonly user: User } & (
  | {
      readonly kind: 'resource'
      readonly verb: string
      readonly group: string
      readonly version: string
      readonly resource: string
      readonly subresource: string
      readonly namespace: string
      readonly name: string
      /** What a list, watch or deletecollection asks for alone; what cannot be read is left out. */
      readonly fieldSelector?: readonly SelectorDemand[]
      readonly labelSelector?: readonly SelectorDemand[]
    }
  | { readonly kind: 'path'; readonly verb: string; readonly path: string }
)

/**
 * Whether it is allowed; `reason` may say why, or why not. `denied` ends the matter where several are asked; `error` is what went wrong
 * on the way.
 */
export interface Decision {
  readonly allowed: boolean
  readonly denied?: boolean
  readonly reason: string
  readonly error?: string
}

/** Decides who may do what. Asked once per request, and by access reviews. */
export type Authorizer = (attributes: Attributes) => Promise<Decision> | Decision
