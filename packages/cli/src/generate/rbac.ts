import type { ControllerDefinition } from 'kubewright'
import { rightsOf, type Right } from 'kubewright/manager'
import type { PolicyRule } from './load-app.ts'

/**
 * The permissions that controllers need: everything on the kinds they are for and on what they own, reading on what they watch and
 * read, events, and what was asked for besides. Resources with equal verbs share a rule; rules are sorted.
 */
export function rulesFor(
  controllers: readonly ControllerDefinition[],
  extra: readonly PolicyRule[] = [],
): readonly PolicyRule[] {
  return [...grouped(rightsOf(controllers)), ...extra]
}

/** One rule for the resources of a group that have the same verbs. */
function grouped(rights: readonly Right[]): readonly PolicyRule[] {
  const rules = new Map<string, { group: string; resources: string[]; verbs: readonly string[] }>()
  for (const { group, resource, granted } of rights) {
    const of = `${group} ${granted.join()}`
    const rule = rules.get(of) ?? { group, resources: [], verbs: granted }
    rule.resources.push(resource)
    rules.set(of, rule)
  }
  return [...rules.values()].map((it) => ({
    apiGroups: [it.group],
    resources: it.resources,
    verbs: it.verbs,
  }))
}

const LEASES = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'] as const

/** The manifests that let an operator's service account do what its controllers need, by file name. */
export function rbacObjects(
  project: string,
  rules: readonly PolicyRule[],
): Readonly<Record<string, object>> {
  const labels = { 'app.kubernetes.io/name': project, 'app.kubernetes.io/managed-by': 'kubewright' }
  const namespace = `${project}-system`
  const subjects = [{ kind: 'ServiceAccount', name: `${project}-controller-manager`, namespace }]
  const rbac = (
    kind: string,
    name: string,
    rest: object,
    inNamespace: boolean = false,
  ): object => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind,
    metadata: { name: `${project}-${name}`, ...(inNamespace ? { namespace } : {}), labels },
    ...rest,
  })
  const roleRef = (kind: string, name: string): object => ({
    apiGroup: 'rbac.authorization.k8s.io',
    kind,
    name: `${project}-${name}`,
  })
  return {
    'service_account.yaml': {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: `${project}-controller-manager`, namespace, labels },
    },
    'role.yaml': rbac('ClusterRole', 'manager-role', { rules }),
    'role_binding.yaml': rbac('ClusterRoleBinding', 'manager-rolebinding', {
      roleRef: roleRef('ClusterRole', 'manager-role'),
      subjects,
    }),
    'leader_election_role.yaml': rbac(
      'Role',
      'leader-election-role',
      { rules: LEADER_ELECTION },
      true,
    ),
    'leader_election_role_binding.yaml': rbac(
      'RoleBinding',
      'leader-election-rolebinding',
      { roleRef: roleRef('Role', 'leader-election-role'), subjects },
      true,
    ),
    'metrics_auth_role.yaml': rbac('ClusterRole', 'metrics-auth-role', { rules: METRICS_AUTH }),
    'metrics_auth_role_binding.yaml': rbac('ClusterRoleBinding', 'metrics-auth-rolebinding', {
      roleRef: roleRef('ClusterRole', 'metrics-auth-role'),
      subjects,
    }),
    'metrics_reader_role.yaml': rbac('ClusterRole', 'metrics-reader', {
      rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
    }),
  }
}

const LEADER_ELECTION: readonly PolicyRule[] = [
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: [...LEASES] },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
]

const METRICS_AUTH: readonly PolicyRule[] = [
  { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
]
