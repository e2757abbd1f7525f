import type { ApiError } from 'kubewright/machinery'
import { accountGroups } from '../authentication/service-account-claims.ts'
import { ANONYMOUS, authenticated } from '../authentication/users.ts'
import type { Attributes, Authorizer } from '../endpoints/authorizer.ts'
import type { User } from '../http/message.ts'

/** Makes the 403 of something that the authorizer does not allow. */
export type Refusal = (attributes: Attributes, reason: string) => ApiError

/** As whom a request goes on, and by which right: empty for the one right that there was of old. */
export interface Impersonated {
  readonly user: User
  readonly constraint: string
}

/** A way in which one may ask as another (KEP-5284): a verb of its own, and for whom it is meant. */
interface Mode {
  readonly name: string
  readonly fits: (wanted: User, requestor: User) => boolean
}

const NODE = /^system:node:([a-z0-9]([-a-z0-9.]*[a-z0-9])?)$/
const ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/

const onlyNamed = ({ groups, uid, extra }: User): boolean =>
  groups.length === 0 && uid === undefined && extra === undefined

const ownNode = ({ name, extra }: User): string => {
  const nodes = extra?.['authentication.kubernetes.io/node-name'] ?? []
  return ACCOUNT.test(name) && nodes.length === 1 ? nodes[0]! : ''
}

/** In the order in which they are tried; what was of old is tried last (filters/impersonation/mode.go). */
const MODES: readonly Mode[] = [
  {
    name: 'associated-node',
    fits: (wanted, requestor) =>
      onlyNamed(wanted) &&
      NODE.test(wanted.name) &&
      NODE.exec(wanted.name)?.[1] === ownNode(requestor),
  },
  { name: 'arbitrary-node', fits: (wanted) => onlyNamed(wanted) && NODE.test(wanted.name) },
  { name: 'serviceaccount', fits: (wanted) => onlyNamed(wanted) && ACCOUNT.test(wanted.name) },
  { name: 'user-info', fits: ({ name }) => !NODE.test(name) && !ACCOUNT.test(name) },
  { name: '', fits: () => true },
]

const MOST_REMEMBERED = 10_000

/** Finds the right by which one may ask as another; remembers for each user which it was, for it will be the same again. */
export class Impersonation {
  readonly #authorizer: Authorizer
  readonly #refusal: Refusal
  readonly #last = new Map<string, Mode>()

  constructor(authorizer: Authorizer, refusal: Refusal) {
    this.#authorizer = authorizer
    this.#refusal = refusal
  }

  /** As whom `asked` goes on where its user wants to be another. Throws the 403 of the first mode that could have been meant. */
  async impersonate(wanted: User, asked: Attributes): Promise<Impersonated> {
    const last = this.#last.get(asked.user.name)
    const modes = last ? [last, ...MODES.filter((it) => it !== last)] : MODES
    let first: unknown
    for (const mode of modes) {
      if (!mode.fits(wanted, asked.user)) continue
      try {
        const user = await this.#check(mode, wanted, asked)
        this.#remember(asked.user.name, mode)
        return { user, constraint: mode.name && `impersonate:${mode.name}` }
      } catch (error) {
        first ??= error
      }
    }
    throw first
  }

  #remember(name: string, mode: Mode): void {
    if (this.#last.size >= MOST_REMEMBERED) this.#last.clear()
    this.#last.set(name, mode)
  }

  async #check({ name: mode }: Mode, wanted: User, asked: Attributes): Promise<User> {
    const isOwnNode = mode === 'associated-node'
    const user = isOwnNode ? withoutNode(asked.user) : asked.user
    if (mode !== '')
      await this.#demand({ ...asked, user, verb: `impersonate-on:${mode}:${asked.verb}` })
    for (const demand of demands(mode, user, wanted, this.#refusal))
      await this.#demand(isOwnNode ? { ...demand, name: '*' } : demand)
    return completed(mode, wanted)
  }

  async #demand(attributes: Attributes): Promise<void> {
    const { allowed, reason, error } = await this.#authorizer(attributes)
    if (allowed) return
    const why = [error, reason].filter((it) => it !== undefined && it !== '').join(': ')
    throw this.#refusal(attributes, why)
  }
}

/** An account without what tells its pods apart: a right to its own node is the same on every node. */
const withoutNode = (user: User): User => ({
  ...user,
  extra: {
    'authentication.kubernetes.io/associated-node-keys': Object.keys(user.extra ?? {}).sort(),
  },
})

type Demand = Extract<Attributes, { readonly kind: 'resource' }>

const AUTHENTICATION = 'authentication.k8s.io'

/** What one must be allowed to be another, field by field. */
function* demands(mode: string, user: User, wanted: User, refusal: Refusal): Generator<Demand> {
  const limited = mode !== ''
  const own = {
    kind: 'resource',
    user,
    verb: limited ? `impersonate:${mode}` : 'impersonate',
    group: limited ? AUTHENTICATION : '',
    version: 'v1',
    subresource: '',
    namespace: '',
  } as const
  const named = { ...own, group: AUTHENTICATION }
  yield nameDemand(own, wanted.name, limited)
  if (wanted.uid) yield { ...named, resource: 'uids', name: wanted.uid }
  for (const name of wanted.groups) {
    const demand = { ...own, resource: 'groups', name }
    if (limited) checkGroup(demand, refusal)
    yield demand
  }
  for (const [key, values] of Object.entries(wanted.extra ?? {})) {
    const demand = { ...named, resource: 'userextras', name: '' }
    const problem = limited ? extraProblem(key, values) : undefined
    if (problem !== undefined) throw refusal(demand, problem)
    for (const name of values) yield { ...demand, subresource: key, name }
  }
}

function nameDemand(
  own: Omit<Demand, 'resource' | 'name'>,
  wanted: string,
  limited: boolean,
): Demand {
  const account = ACCOUNT.exec(wanted)
  const node = limited ? NODE.exec(wanted) : null
  if (account)
    return { ...own, resource: 'serviceaccounts', namespace: account[1]!, name: account[2]! }
  return node
    ? { ...own, resource: 'nodes', name: node[1]! }
    : { ...own, resource: 'users', name: wanted }
}

function checkGroup(demand: Demand, refusal: Refusal): void {
  if (demand.name === '')
    throw refusal(demand, 'impersonating the empty string group is not allowed')
  if (demand.name === 'system:masters')
    throw refusal(demand, 'impersonating the system:masters group is not allowed')
}

function extraProblem(key: string, values: readonly string[]): string | undefined {
  if (key === '') return 'impersonating the empty string key in extra is not allowed'
  if (key !== key.toLowerCase())
    return `impersonating a non-lowercase key in extra is not allowed: ${JSON.stringify(key)}`
  if (values.length === 0) return 'impersonating empty values in extra is not allowed'
  return values.includes('')
    ? 'impersonating the empty string value in extra is not allowed'
    : undefined
}

/** The wanted user with what every user of his sort belongs to. */
function completed(mode: string, wanted: User): User {
  const user = { ...wanted, groups: ownGroups(mode, wanted) }
  if (user.name !== ANONYMOUS.name) return authenticated(user)
  const missing = ANONYMOUS.groups.filter((it) => !user.groups.includes(it))
  return { ...user, groups: [...user.groups, ...missing] }
}

function ownGroups(mode: string, { name, groups }: User): readonly string[] {
  if (mode !== '' && NODE.test(name)) return ['system:nodes']
  const account = ACCOUNT.exec(name)
  return account && groups.length === 0 ? accountGroups(account[1]!) : groups
}
