import type { UnknownObject } from 'kubewright/machinery'
import { aggregate, MASTERS } from './chain.ts'
import type { Attributes, Authorizer } from '../endpoints/authorizer.ts'
import type { Rules } from '../endpoints/server-parts.ts'
import type { User } from '../http/message.ts'
import { follow } from '../storage/follow.ts'
import type { Storage } from '../storage/storage.ts'

/** One rule of a role (rbac/v1 PolicyRule). */
export interface PolicyRule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}

/** Which role a binding gives (rbac/v1 RoleRef). */
export interface RoleRef {
  readonly kind: string
  readonly name: string
}

interface Binding extends UnknownObject {
  readonly subjects?: readonly Subject[]
  readonly roleRef: RoleRef
}

interface Subject {
  readonly kind: string
  readonly name: string
  readonly namespace?: string
}

/** The API group of roles and bindings. */
export const RBAC = 'rbac.authorization.k8s.io'

/**
 * Role-based access control (kubernetes/plugin/pkg/auth/authorizer/rbac): what no role that is bound to the user allows is refused.
 * Roles and bindings are read from the store, again only when one has changed where `follow` was called.
 */
export class RbacAuthorizer {
  readonly #storage: Storage
  readonly #known = new Map<string, readonly Binding[]>()
  #following = false

  constructor(storage: Storage) {
    this.#storage = storage
  }

  /** Begins to notice changes; until then every decision reads the store. Ends with the signal. */
  follow(signal: AbortSignal): void {
    this.#following = true
    const forget = (): void => this.#known.clear()
    follow(this.#storage, `${RBAC}/`, forget, signal)
      .catch(() => {})
      .finally(() => {
        this.#following = false
        forget()
      })
  }

  /** The {@link Authorizer} of these roles. */
  readonly authorize: Authorizer = async (attributes) => {
    const namespace = attributes.kind === 'resource' ? attributes.namespace : ''
    const missing: string[] = []
    for await (const { rules, from } of this.#grants(attributes.user, namespace, missing)) {
      if (rules.some((rule) => allows(rule, attributes))) {
        return { allowed: true, reason: `RBAC: allowed by ${from}` }
      }
    }
    return { allowed: false, reason: missing.length > 0 ? `RBAC: ${aggregate(missing)}` : '' }
  }

  /** What a user may do in a namespace, rule by rule. */
  async rulesOf(user: User, namespace: string): Promise<Rules> {
    const all: PolicyRule[] = []
    const missing: string[] = []
    if (user.groups.includes(MASTERS)) {
      all.push({ verbs: ['*'], apiGroups: ['*'], resources: ['*'] })
      all.push({ verbs: ['*'], nonResourceURLs: ['*'] })
    }
    for await (const { rules } of this.#grants(user, namespace, missing)) all.push(...rules)
    return {
      resourceRules: all.filter((it) => it.resources?.length),
      nonResourceRules: all.filter((it) => it.nonResourceURLs?.length),
      incomplete: false,
      ...(missing.length > 0 ? { evaluationError: aggregate(missing) } : {}),
    }
  }

  /** Every rule that bindings give a user, in a namespace (empty: everywhere alone). */
  async rulesHeldBy(user: User, namespace: string): Promise<readonly PolicyRule[]> {
    const all: PolicyRule[] = []
    for await (const { rules } of this.#grants(user, namespace, [])) all.push(...rules)
    return all
  }

  /** The rules of a role that a binding in `namespace` names; undefined where there is no such role. */
  async rulesOfRole(
    namespace: string,
    roleRef: RoleRef,
  ): Promise<readonly PolicyRule[] | undefined> {
    const key =
      roleRef.kind === 'ClusterRole'
        ? `${RBAC}/clusterroles//${roleRef.name}`
        : `${RBAC}/roles/${namespace}/${roleRef.name}`
    const role = (await this.#storage.get(key))?.object
    return role && ((role['rules'] as readonly PolicyRule[] | null | undefined) ?? [])
  }

  /** What bindings give a user; the roles that they name and that are not there are added to `missing`. */
  async *#grants(
    user: User,
    namespace: string,
    missing: string[],
  ): AsyncGenerator<{ readonly rules: readonly PolicyRule[]; readonly from: string }> {
    for (const binding of await this.#bindings(`${RBAC}/clusterrolebindings`, '')) {
      const subject = subjectOf(binding, user, '')
      if (!subject) continue
      const from = `ClusterRoleBinding "${binding.metadata.name}" of ${toldOf(binding, subject, '')}`
      yield { rules: await this.#rules('', binding, missing), from }
    }
    if (namespace === '') return
    for (const binding of await this.#bindings(`${RBAC}/rolebindings`, namespace)) {
      const subject = subjectOf(binding, user, namespace)
      if (!subject) continue
      const from = `RoleBinding "${binding.metadata.name}/${namespace}" of ${toldOf(binding, subject, namespace)}`
      yield { rules: await this.#rules(namespace, binding, missing), from }
    }
  }

  async #bindings(storageKey: string, namespace: string): Promise<readonly Binding[]> {
    const prefix = `${storageKey}/${namespace}/`
    const known = this.#known.get(prefix)
    if (known) return known
    const { items } = await this.#storage.list({ prefix })
    const found = items.map((it) => it.object as Binding)
    if (this.#following) this.#known.set(prefix, found)
    return found
  }

  async #rules(
    namespace: string,
    { roleRef }: Binding,
    missing: string[],
  ): Promise<readonly PolicyRule[]> {
    const rules = await this.rulesOfRole(namespace, roleRef)
    if (!rules) missing.push(`${roleRef.kind.toLowerCase()}.${RBAC} "${roleRef.name}" not found`)
    return rules ?? []
  }
}

/** `ClusterRole "x" to Group "y"`, as reasons tell it. */
function toldOf({ roleRef }: Binding, { kind, name, namespace }: Subject, own: string): string {
  const who = kind === 'ServiceAccount' ? `${name}/${namespace || own}` : name
  return `${roleRef.kind} "${roleRef.name}" to ${kind} "${who}"`
}

/** As which of its subjects a binding means a user. */
function subjectOf({ subjects }: Binding, user: User, namespace: string): Subject | undefined {
  return (subjects ?? []).find((it) => {
    switch (it.kind) {
      case 'User':
        return it.name === user.name
      case 'Group':
        return user.groups.includes(it.name)
      case 'ServiceAccount':
        return (
          user.name === `system:serviceaccount:${it.namespace || namespace}:${it.name}` &&
          (it.namespace || namespace) !== ''
        )
      default:
        return false
    }
  })
}

/** Whether a rule allows something (rbac/v1 evaluation_helpers.go). */
export function allows(rule: PolicyRule, attributes: Attributes): boolean {
  if (!has(rule.verbs, attributes.verb)) return false
  if (attributes.kind === 'path') {
    return (rule.nonResourceURLs ?? []).some((it) => matchesPath(it, attributes.path))
  }
  const { group, resource, subresource, name } = attributes
  const names = rule.resourceNames ?? []
  return (
    has(rule.apiGroups ?? [], group) &&
    hasResource(rule.resources ?? [], resource, subresource) &&
    (names.length === 0 || (name !== '' && names.includes(name)))
  )
}

const has = (all: readonly string[], one: string): boolean => all.includes('*') || all.includes(one)

function hasResource(all: readonly string[], resource: string, subresource: string): boolean {
  const full = subresource === '' ? resource : `${resource}/${subresource}`
  if (has(all, full)) return true
  return subresource !== '' && all.includes(`*/${subresource}`)
}

const matchesPath = (pattern: string, path: string): boolean =>
  pattern === '*' ||
  pattern === path ||
  (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)))
