import type { Clock, Random } from 'kubewright/base'
import type { AdmissionPlugin } from '../admission/admission.ts'
import type { UnknownObject } from 'kubewright/machinery'
import type { Answer, ApiRequest, User } from '../http/message.ts'
import type { Storage } from '../storage/storage.ts'
import type { Authorizer } from './authorizer.ts'
import type { Catalog } from './catalog.ts'

/** What the endpoints share: the one place where the rooms of the server meet. */
export interface ServerParts {
  readonly storage: Storage
  readonly clock: Clock
  readonly random: Random
  readonly catalog: Catalog
  readonly admission: readonly AdmissionPlugin[]
  readonly authorizer: Authorizer
  /** What a user may do in a namespace, as a SelfSubjectRulesReview tells it. */
  readonly rulesOf: (user: User, namespace: string) => Promise<Rules>
  /** Whose bearer token this is, for one of `audiences` (empty: the server's own); undefined for a token that nobody issued. */
  readonly authenticateToken: (
    token: string,
    audiences: readonly string[],
  ) => Promise<Authenticated | undefined>
  /** Who answers for subresources that reach into a node, by `pods/log`. */
  readonly connectors: Readonly<Record<string, Connector>>
  readonly signToken: (claims: Readonly<Record<string, unknown>>) => Promise<string>
}

/**
 * Answers a request for a subresource that no stored object can answer (`pods/log`, `pods/exec`): `object` is what the subresource is
 * of. An ApiError becomes its Status; a streamed body ends when the request's signal aborts.
 */
export type Connector = (object: UnknownObject, request: ApiRequest) => Promise<Answer>

/** A user that a token stands for, and the audiences that it was asked for and is good for. */
export interface Authenticated {
  readonly user: User
  readonly audiences: readonly string[]
}

/** The rules of a SelfSubjectRulesReview (authorization/v1). */
export interface Rules {
  readonly resourceRules: readonly object[]
  readonly nonResourceRules: readonly object[]
}
