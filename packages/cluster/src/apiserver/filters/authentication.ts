import { unauthorized } from 'kubewright/machinery'
import type { Exchange, Filter } from '../endpoints/exchange.ts'
import type { Authenticated } from '../endpoints/server-parts.ts'
import type { User } from '../http/message.ts'

/** Who asks without saying who. */
export const ANONYMOUS: User = Object.freeze({
  name: 'system:anonymous',
  groups: Object.freeze(['system:unauthenticated']),
})

const AUTHENTICATED = 'system:authenticated'

/** A user as whom somebody who has proved who he is goes on. */
export const authenticated = (user: User): User =>
  user.groups.includes(AUTHENTICATED) || user.name === ANONYMOUS.name
    ? user
    : { ...user, groups: [...user.groups, AUTHENTICATED] }

/** Finds out who asks: by bearer token, by client certificate, by being in this process; else it is anonymous. A wrong token is a 401. */
export const authentication =
  (
    tokens: (token: string, audiences: readonly string[]) => Promise<Authenticated | undefined>,
  ): Filter =>
  (next) =>
  async (exchange) => {
    const user = await userOf(exchange, tokens)
    return next({ ...exchange, user })
  }

async function userOf(
  { request }: Exchange,
  tokens: Parameters<typeof authentication>[0],
): Promise<User> {
  const { peer } = request
  if (peer.kind === 'socket' && peer.certificate) return authenticated(peer.certificate.subject)
  const header = request.header('authorization')
  const token = header === undefined ? undefined : /^bearer +(\S+)/i.exec(header)?.[1]
  if (token !== undefined) {
    const found = await tokens(token, [])
    if (!found) throw unauthorized()
    return authenticated(found.user)
  }
  return peer.kind === 'local' ? authenticated(peer.user) : ANONYMOUS
}
