import type { Authorizer } from '../endpoints/authorizer.ts'
import { bootstrapRules } from '../bootstrap/policy.ts'
import type { Storage } from '../storage/storage.ts'
import { allowMasters, alwaysAllow, alwaysDeny, chainOf } from './chain.ts'
import { nodeAuthorizer } from './node.ts'
import type { RbacAuthorizer } from './rbac.ts'

/** What everybody may see where roles are not asked (bootstrappolicy system:public-info-viewer). */
const PUBLIC: ReadonlySet<string> = new Set([
  '/healthz',
  '/livez',
  '/readyz',
  '/version',
  '/version/',
])

/** Lets everybody do everything who has said who he is, and the others see whether the server is well. */
export const allowAuthenticated: Authorizer = (attributes) => {
  const isPublic =
    attributes.kind === 'path' && attributes.verb === 'get' && PUBLIC.has(attributes.path)
  const isKnown = !attributes.user.groups.includes('system:unauthenticated')
  return { allowed: isPublic || isKnown, reason: '' }
}

/** One link of the chain: a mode of `--authorization-mode`, or an authorizer of its own such as a webhook. */
export type AuthorizationMode = 'Node' | 'RBAC' | 'AlwaysAllow' | 'AlwaysDeny' | Authorizer

/** Puts the links together; the masters are let through before any is asked (kubernetes/pkg/kubeapiserver/authorizer). */
export function authorizerOf(
  modes: readonly AuthorizationMode[],
  storage: Storage,
  rbac: RbacAuthorizer,
): Authorizer {
  const link = (mode: AuthorizationMode): Authorizer => {
    switch (mode) {
      case 'Node':
        return nodeAuthorizer(storage, bootstrapRules('system:node'))
      case 'RBAC':
        return rbac.authorize
      case 'AlwaysAllow':
        return alwaysAllow
      case 'AlwaysDeny':
        return alwaysDeny
      default:
        return mode
    }
  }
  return chainOf([allowMasters, ...modes.map(link)])
}
