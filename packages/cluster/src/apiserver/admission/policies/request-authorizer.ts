import type { AccessDecision, AccessRequest, Authorizer as CelAuthorizer } from 'kubewright/cel'
import type { Attributes, Authorizer } from '../../endpoints/authorizer.ts'
import type { User } from '../../http/message.ts'

/** Thrown inside an expression that asks what nobody has decided yet. */
class Undecided extends Error {
  readonly attributes: Attributes
  readonly key: string

  constructor(attributes: Attributes, key: string) {
    super('An expression asks for a decision that is still to be made.')
    this.attributes = attributes
    this.key = key
  }
}

/**
 * What expressions may ask of the authorizer for the length of one request (admission/plugin/authorizer). Expressions cannot wait,
 * so one that asks something new is stopped, and evaluated again once that is decided; what was asked before is known.
 */
export class RequestAuthorizer implements CelAuthorizer {
  readonly #authorizer: Authorizer
  readonly #user: User
  readonly #decisions = new Map<string, AccessDecision>()

  constructor(authorizer: Authorizer, user: User) {
    this.#authorizer = authorizer
    this.#user = user
  }

  authorize(request: AccessRequest): AccessDecision {
    const key = JSON.stringify(request)
    const known = this.#decisions.get(key)
    if (known) return known
    throw new Undecided(this.#attributes(request), key)
  }

  /** Runs what evaluates expressions, as often as it takes to decide all that they ask. */
  async settle<Result>(evaluate: () => Result): Promise<Result> {
    for (;;) {
      try {
        return evaluate()
      } catch (error) {
        if (!(error instanceof Undecided)) throw error
        this.#decisions.set(error.key, await this.#decide(error.attributes))
      }
    }
  }

  async #decide(attributes: Attributes): Promise<AccessDecision> {
    try {
      return await this.#authorizer(attributes)
    } catch (error) {
      return { allowed: false, reason: '', error: (error as Error).message }
    }
  }

  #attributes({ verb, path, resource, serviceAccount }: AccessRequest): Attributes {
    const user = serviceAccount ? accountUser(serviceAccount) : this.#user
    if (!resource) return { kind: 'path', user, verb, path: path ?? '' }
    const { group, resource: plural, subresource, namespace, name } = resource
    const at = { group, version: '*', resource: plural, subresource, namespace, name }
    return { kind: 'resource', user, verb, ...at }
  }
}

const accountUser = (account: NonNullable<AccessRequest['serviceAccount']>): User => ({
  name: `system:serviceaccount:${account.namespace}:${account.name}`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`],
})
