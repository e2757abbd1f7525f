import type { User } from '../http/message.ts'

/** Who asks without saying who. */
export const ANONYMOUS: User = Object.freeze({
  name: 'system:anonymous',
  groups: Object.freeze(['system:unauthenticated']),
})

const AUTHENTICATED = 'system:authenticated'
const UNAUTHENTICATED = 'system:unauthenticated'

/** A user as whom somebody who has proved who he is goes on (authentication/group AuthenticatedGroupAdder). */
export const authenticated = (user: User): User =>
  user.groups.includes(AUTHENTICATED) || user.groups.includes(UNAUTHENTICATED)
    ? user
    : { ...user, groups: [...user.groups, AUTHENTICATED] }
