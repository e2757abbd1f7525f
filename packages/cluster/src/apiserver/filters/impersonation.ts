import { forbidden, internalError } from 'kubewright/machinery'
import type { Attributes, Authorizer } from '../endpoints/authorizer.ts'
import type { Exchange, Filter } from '../endpoints/exchange.ts'
import type { User } from '../http/message.ts'
import { ANONYMOUS, authenticated } from './authentication.ts'

const EXTRA = 'impersonate-extra-'

/** Lets a user who may do so ask as somebody else (apiserver/pkg/endpoints/filters/impersonation.go). */
export const impersonation =
  (authorizer: Authorizer): Filter =>
  (next) =>
  async (exchange) => {
    const wanted = wantedUser(exchange)
    if (!wanted) return next(exchange)
    for (const attributes of demands(exchange.user, wanted)) {
      const { allowed, reason } = await authorizer(attributes)
      if (!allowed) throw refused(attributes, reason)
    }
    return next({ ...exchange, user: completed(wanted) })
  }

function wantedUser({ request }: Exchange): User | undefined {
  const name = request.header('impersonate-user')
  const groups = listOf(request.header('impersonate-group'))
  const uid = request.header('impersonate-uid')
  const extra = extraOf(request.headers())
  if (!name) {
    if (groups.length === 0 && !uid && Object.keys(extra).length === 0) return undefined
    throw internalError(`requested ${JSON.stringify(groups)} without impersonating a user`)
  }
  return {
    name,
    groups,
    ...(uid ? { uid } : {}),
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  }
}

/** Several headers of one name reach us joined. */
const listOf = (header: string | undefined): readonly string[] =>
  header === undefined ? [] : header.split(/, */)

function extraOf(
  headers: Iterable<readonly [string, string]>,
): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    [...headers]
      .filter(([name]) => name.startsWith(EXTRA))
      .map(([name, value]) => [unescaped(name.slice(EXTRA.length)), listOf(value)]),
  )
}

/** A key that is not well escaped stays as it is (unescapeExtraKey). */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/

function* demands(user: User, wanted: User): Generator<Attributes> {
  const base = {
    kind: 'resource',
    user,
    verb: 'impersonate',
    version: '',
    subresource: '',
    namespace: '',
    group: '',
  } as const
  const account = SERVICE_ACCOUNT.exec(wanted.name)
  yield account
    ? { ...base, resource: 'serviceaccounts', namespace: account[1]!, name: account[2]! }
    : { ...base, resource: 'users', name: wanted.name }
  for (const name of wanted.groups) yield { ...base, resource: 'groups', name }
  const authentication = { ...base, group: 'authentication.k8s.io' }
  if (wanted.uid) yield { ...authentication, resource: 'uids', name: wanted.uid }
  for (const [key, values] of Object.entries(wanted.extra ?? {})) {
    for (const name of values) {
      yield { ...authentication, resource: 'userextras', subresource: key, name }
    }
  }
}

/** What every user of his sort belongs to. */
function completed(user: User): User {
  const account = SERVICE_ACCOUNT.exec(user.name)
  if (account && user.groups.length === 0) {
    const groups = ['system:serviceaccounts', `system:serviceaccounts:${account[1]}`]
    return authenticated({ ...user, groups })
  }
  return user.name === ANONYMOUS.name
    ? { ...user, groups: [...user.groups, ...ANONYMOUS.groups] }
    : authenticated(user)
}

function refused(attributes: Attributes, reason: string): Error {
  if (attributes.kind !== 'resource') return internalError('an impersonation names no resource')
  const { user, group, resource, name } = attributes
  const why = `User ${JSON.stringify(user.name)} cannot impersonate resource ${JSON.stringify(resource)} in API group ${JSON.stringify(group)} at the cluster scope`
  return forbidden({ group, plural: resource }, name, reason ? `${why}: ${reason}` : why)
}
