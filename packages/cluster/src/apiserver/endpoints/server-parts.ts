import type { Clock, Random } from 'kubewright/base'
import type { AdmissionChain } from '../admission/chain.ts'
import type { Authentication } from '../authentication/make-authentication.ts'
import type { User } from '../http/message.ts'
import type { Connecting } from '../proxy/connecting.ts'
import type { ServiceNetworks } from '../registry/core/service-addresses.ts'
import type { TokenIssuer } from '../registry/strategy.ts'
import type { Storage } from '../storage/storage.ts'
import type { Authorizer } from './authorizer.ts'
import type { Catalog } from './catalog.ts'

/** What the endpoints share: the one place where the rooms of the server meet. */
export interface ServerParts {
  readonly storage: Storage
  readonly clock: Clock
  readonly random: Random
  readonly catalog: Catalog
  readonly admission: AdmissionChain
  readonly authorizer: Authorizer
  /** What a user may do in a namespace, as a SelfSubjectRulesReview tells it. */
  readonly rulesOf: (user: User, namespace: string) => Promise<Rules>
  readonly authentication: Authentication
  /** How subresources that are a connection reach nodes. */
  readonly connecting: Connecting
  readonly tokens: TokenIssuer
  /** Which addresses and ports services may have. */
  readonly networks: ServiceNetworks
  /** Feature gates that are on, beyond those that v1.36 has on by default. */
  readonly features: ReadonlySet<string>
  /** How long a watch lasts at least that names no time, in milliseconds. */
  readonly minRequestTimeout: number
}

/** The rules of a SelfSubjectRulesReview (authorization/v1). */
export interface Rules {
  readonly resourceRules: readonly object[]
  readonly nonResourceRules: readonly object[]
  /** Whether there may be more: not every authorizer can list what it allows. */
  readonly incomplete: boolean
  readonly evaluationError?: string
}
