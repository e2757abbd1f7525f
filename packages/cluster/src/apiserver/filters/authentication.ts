import { unauthorized } from 'kubewright/machinery'
import type { Authentication } from '../authentication/make-authentication.ts'
import type { AccessMeter } from '../metrics/access-meter.ts'
import { ANONYMOUS, authenticated } from '../authentication/users.ts'
import { type Exchange, type Filter, remarksOf } from '../endpoints/exchange.ts'
import type { User } from '../http/message.ts'

/** Finds out who asks: by what he shows, by being in this process; else he is anonymous, where that may be. Anything wrong is a 401, and `refused` is told. */
export const authentication =
  (how: Authentication, meter: AccessMeter, refused?: (exchange: Exchange) => void): Filter =>
  (next) =>
  async (exchange) => {
    const since = meter.start()
    const found = await userOf(exchange, how)
    meter.authenticated(found ? 'success' : 'error', since, found?.name)
    if (found) return next({ ...exchange, user: found })
    refused?.(exchange)
    throw unauthorized()
  }

async function userOf(exchange: Exchange, how: Authentication): Promise<User | undefined> {
  const { request } = exchange
  const { peer } = request
  if (peer.kind === 'local' && request.header('authorization') === undefined)
    return authenticated(peer.user)
  try {
    const found = await how.request(request, remarksOf(exchange))
    if (found) return authenticated(found.user)
  } catch {
    // Whoever shows something that is not good is not told why.
    return undefined
  }
  return how.allowsAnonymous(request.path) ? ANONYMOUS : undefined
}
