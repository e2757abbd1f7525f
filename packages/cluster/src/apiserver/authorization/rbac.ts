import type { UnknownObject } from 'kubewright/machinery'
import type { Attributes, Authorizer } from '../endpoints/authorizer.ts'
import type { Rules } from '../endpoints/server-parts.ts'
import type { User } from '../http/message.ts'
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

/** Whoever is in it may do everything, whatever roles there are. */
export const MASTERS = 'system:masters'

/** The API group of roles and bindings. */
export const RBAC = 'rbac.authorization.k8s.io'

/**
 * Role-based access control (kubernetes/plugin/pkg/auth/authorizer/rbac): what no role that is bound to the user allows is refused.
 * Roles and bindings are read from the store at each decision.
 */
export class RbacAuthorizer {
  readonly #storage: Storage

  constructor(storage: Storage) {
    this.#storage = storage
  }

  /** The {@link Authorizer} of these roles. */
  readonly authorize: Authorizer = async (attributes) => {
    if (attributes.user.groups.includes(MASTERS)) return { allowed: true, reason: '' }
    const namespace = attributes.kind === 'resource' ? attributes.namespace : ''
    for await (const { rules, from } of this.#grants(attributes.user, namespace)) {
      if (rules.some((rule) => allows(rule, attributes))) {
        return { allowed: true, reason: `RBAC: allowed by ${from}` }
      }
    }
    return { allowed: false, reason: '' }
  }

  /** What a user may do in a namespace, rule by rule. */
  async rulesOf(user: User, namespace: string): Promise<Rules> {
    const all: PolicyRule[] = []
    if (user.groups.includes(MASTERS)) {
      all.push({ verbs: ['*'], apiGroups: ['*'], resources: ['*'] })
      all.push({ verbs: ['*'], nonResourceURLs: ['*'] })
    }
    for await (const { rules } of this.#grants(user, namespace)) all.push(...rules)
    return {
      resourceRules: all.filter((it) => it.resources?.length),
      nonResourceRules: all.filter((it) => it.nonResourceURLs?.length),
    }
  }

  /** Every rule that bindings give a user, in a namespace (empty: everywhere alone). */
  async rulesHeldBy(user: User, namespace: string): Promise<readonly PolicyRule[]> {
    const all: PolicyRule[] = []
    for await (const { rules } of this.#grants(user, namespace)) all.push(...rules)
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

  async *#grants(
    user: User,
    namespace: string,
  ): AsyncGenerator<{ readonly rules: readonly PolicyRule[]; readonly from: string }> {
    for (const binding of await this.#bindings(`${RBAC}/clusterrolebindings`, '')) {
      if (!binds(binding, user, '')) continue
      const from = `ClusterRoleBinding "${binding.metadata.name}" of ${binding.roleRef.kind} "${binding.roleRef.name}"`
      yield { rules: await this.#rules('', binding), from }
    }
    if (namespace === '') return
    for (const binding of await this.#bindings(`${RBAC}/rolebindings`, namespace)) {
      if (!binds(binding, user, namespace)) continue
      const from = `RoleBinding "${binding.metadata.name}/${namespace}" of ${binding.roleRef.kind} "${binding.roleRef.name}"`
      yield { rules: await this.#rules(namespace, binding), from }
    }
  }

  async #bindings(storageKey: string, namespace: string): Promise<readonly Binding[]> {
    const { items } = await this.#storage.list({ prefix: `${storageKey}/${namespace}/` })
    return items.map((it) => it.object as Binding)
  }

  async #rules(namespace: string, { roleRef }: Binding): Promise<readonly PolicyRule[]> {
    return (await this.rulesOfRole(namespace, roleRef)) ?? []
  }
}

function binds({ subjects }: Binding, user: User, namespace: string): boolean {
  return (subjects ?? []).some((it) => {
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
