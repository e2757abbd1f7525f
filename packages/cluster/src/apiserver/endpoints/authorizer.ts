import type { User } from '../http/message.ts'

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
    }
  | { readonly kind: 'path'; readonly verb: string; readonly path: string }
)

/** Whether it is allowed; `reason` may say why not. */
export interface Decision {
  readonly allowed: boolean
  readonly reason: string
}

/** Decides who may do what. Asked once per request, and by access reviews. */
export type Authorizer = (attributes: Attributes) => Promise<Decision> | Decision
