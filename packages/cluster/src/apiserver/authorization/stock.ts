import type { Attributes, Authorizer } from '../endpoints/authorizer.ts'

/** What everybody may see without saying who he is (bootstrappolicy system:public-info-viewer). */
const PUBLIC: ReadonlySet<string> = new Set([
  '/healthz',
  '/livez',
  '/readyz',
  '/version',
  '/version/',
])

/** Whether something is open to all, whatever the authorizer says. */
export function isPublic(attributes: Attributes): boolean {
  if (attributes.kind !== 'path' || attributes.verb !== 'get') return false
  const { path } = attributes
  return PUBLIC.has(path) || /^\/(healthz|livez|readyz)\//.test(path)
}

/** Lets everybody do everything who has said who he is. */
export const allowAuthenticated: Authorizer = ({ user }) => ({
  allowed: !user.groups.includes('system:unauthenticated'),
  reason: '',
})
