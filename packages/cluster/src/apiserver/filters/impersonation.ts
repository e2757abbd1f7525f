import { badRequest } from 'kubewright/machinery'
import { unescaped } from '../authentication/front-proxy.ts'
import { Impersonation } from '../authorization/impersonation-modes.ts'
import type { Authorizer } from '../endpoints/authorizer.ts'
import type { Exchange, Filter } from '../endpoints/exchange.ts'
import type { ApiRequest, User } from '../http/message.ts'
import { attributesOf, refusal, unsniffed } from './authorization.ts'

const EXTRA = 'impersonate-extra-'

/** Lets a user who may do so ask as somebody else (apiserver/pkg/endpoints/filters/impersonation). */
export function impersonation(authorizer: Authorizer): Filter {
  const rights = new Impersonation(authorizer, refusal)
  return (next) => async (exchange) => {
    const wanted = wantedUser(exchange)
    if (!wanted) return next(exchange)
    const { user, constraint } = await rights
      .impersonate(wanted, attributesOf(exchange))
      .catch((error: unknown) => {
        unsniffed(exchange)
        throw error
      })
    exchange.audit?.impersonated(user, constraint)
    return next({ ...exchange, user })
  }
}

function wantedUser({ request }: Exchange): User | undefined {
  const name = request.header('impersonate-user') ?? ''
  const uid = request.header('impersonate-uid') ?? ''
  if (name === '' && !asksForAnother(request)) return undefined
  const groups = valuesOf(request, 'impersonate-group')
  const extra = extraOf(request)
  const hasExtra = Object.keys(extra).length > 0
  if (name !== '') {
    return { name, groups, ...(uid ? { uid } : {}), ...(hasExtra ? { extra } : {}) }
  }
  if (groups.length === 0 && uid === '' && !hasExtra) return undefined
  throw badRequest(`requested ${goText(uid, groups, extra)} without impersonating a user name`)
}

/** Whether any header is about somebody else; nearly always, there is none. */
function asksForAnother(request: ApiRequest): boolean {
  for (const [name] of request.headers()) if (name.startsWith('impersonate-')) return true
  return false
}

/** Where the values of a header are not told apart, they are joined. */
const valuesOf = (request: ApiRequest, name: string): readonly string[] =>
  request.values?.(name) ?? request.header(name)?.split(/, */) ?? []

type Extra = Readonly<Record<string, readonly string[]>>

const extraOf = (request: ApiRequest): Extra =>
  Object.fromEntries(
    [...request.headers()]
      .map(([name]) => name)
      .filter((name) => name.startsWith(EXTRA))
      .map((name) => [unescaped(name.slice(EXTRA.length)), valuesOf(request, name)]),
  )

const quoted = (text: string): string => JSON.stringify(text)

/** A user as Go prints one that was not named. */
function goText(uid: string, groups: readonly string[], extra: Extra): string {
  const list = (texts: readonly string[]): string => `{${texts.map(quoted).join(', ')}}`
  const pairs = Object.entries(extra).map(([key, it]) => `${quoted(key)}:[]string${list(it)}`)
  return `&user.DefaultInfo{Name:"", UID:${quoted(uid)}, Groups:[]string${
    groups.length > 0 ? list(groups) : '(nil)'
  }, Extra:map[string][]string${pairs.length > 0 ? `{${pairs.join(', ')}}` : '(nil)'}}`
}
