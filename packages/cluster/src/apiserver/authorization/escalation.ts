import { type ApiError, forbidden, notFound, type UnknownObject } from 'kubewright/machinery'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts'
import type { Authorizer } from '../endpoints/authorizer.ts'
import { same } from '../registry/fields.ts'
import { describeRules, quoted, uncovered } from './covers.ts'
import { MASTERS } from './chain.ts'
import { type PolicyRule, RBAC, type RbacAuthorizer, type RoleRef } from './rbac.ts'

/** What the check asks. */
export interface EscalationParts {
  readonly rbac: RbacAuthorizer
  readonly authorizer: Authorizer
}

const ROLES: ReadonlySet<string> = new Set(['roles', 'clusterroles'])
const BINDINGS: ReadonlySet<string> = new Set(['rolebindings', 'clusterrolebindings'])

/** What somebody must hold to let a role gather the rules of others. */
const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
]

/**
 * Lets nobody hand out rights that he does not have, by a role or by a binding, unless he may `escalate` the role or `bind` it
 * (kubernetes/pkg/registry/rbac policybased, escalation_check.go). The real server does this in the registry; here it is the last
 * plugin, which sees the object as it would be stored.
 */
export function noEscalation(parts: EscalationParts): AdmissionPlugin {
  return {
    name: 'RbacEscalation',
    handles: ({ context: { resource, user }, operation, subresource }) =>
      (operation === 'CREATE' || operation === 'UPDATE') &&
      subresource === '' &&
      resource.group === RBAC &&
      !user.groups.includes(MASTERS),
    admit: async (request) => {
      if (request.old && onlyCollected(request.object!, request.old)) return
      const { plural } = request.context.resource
      if (ROLES.has(plural)) await checkRole(parts, request)
      else if (BINDINGS.has(plural)) await checkBinding(parts, request)
    },
  }
}

/** Whether only what the garbage collector writes changes (registry/rbac/helpers.go IsOnlyMutatingGCFields). */
function onlyCollected(object: object, old: UnknownObject): boolean {
  const next = object as UnknownObject
  const { ownerReferences, finalizers, managedFields } = old.metadata
  const metadata = { ...next.metadata, ownerReferences, finalizers, managedFields }
  return same({ ...next, metadata }, old)
}

async function checkRole(parts: EscalationParts, request: AdmissionRequest): Promise<void> {
  const { resource } = request.context
  if (await may(parts, request, 'escalate', resource.plural, request.name)) return
  const role = request.object as unknown as UnknownObject
  await checkHeld(parts, request, (role['rules'] ?? []) as readonly PolicyRule[])
  if (!gathers(role) && !(request.old && gathers(request.old))) return
  const missing = uncovered(await heldBy(parts, request), EVERYTHING)
  if (missing.length > 0)
    throw refusal(request, 'must have cluster-admin privileges to use the aggregationRule')
}

const gathers = (role: UnknownObject): boolean => {
  const rule = role['aggregationRule'] as { clusterRoleSelectors?: readonly object[] } | undefined
  return (rule?.clusterRoleSelectors?.length ?? 0) > 0
}

async function checkBinding(parts: EscalationParts, request: AdmissionRequest): Promise<void> {
  const roleRef = request.object!['roleRef'] as unknown as RoleRef
  const plural = { ClusterRole: 'clusterroles', Role: 'roles' }[roleRef.kind]
  if (plural && (await may(parts, request, 'bind', plural, roleRef.name))) return
  const rules = await parts.rbac.rulesOfRole(request.context.namespace, roleRef)
  if (!rules) throw notFound(request.context.resource, roleRef.name)
  await checkHeld(parts, request, rules)
}

async function may(
  { authorizer }: EscalationParts,
  { context: { user, namespace } }: AdmissionRequest,
  verb: string,
  resource: string,
  name: string,
): Promise<boolean> {
  const asked = { verb, group: RBAC, version: '*', resource, subresource: '', namespace, name }
  return (await authorizer({ kind: 'resource', user, ...asked })).allowed
}

const heldBy = (
  { rbac }: EscalationParts,
  { context: { user, namespace } }: AdmissionRequest,
): Promise<readonly PolicyRule[]> => rbac.rulesHeldBy(user, namespace)

async function checkHeld(
  parts: EscalationParts,
  request: AdmissionRequest,
  wanted: readonly PolicyRule[],
): Promise<void> {
  const missing = uncovered(await heldBy(parts, request), wanted)
  if (missing.length === 0) return
  const { name, groups } = request.context.user
  throw refusal(
    request,
    `user ${JSON.stringify(name)} (groups=${quoted(groups)}) is attempting to grant RBAC permissions not currently held:\n${describeRules(missing)}`,
  )
}

const refusal = ({ context, object }: AdmissionRequest, why: string): ApiError =>
  forbidden(context.resource, object?.metadata.name ?? '', why)
