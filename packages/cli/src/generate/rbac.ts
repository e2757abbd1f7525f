import type { ControllerDefinition } from 'kubewright'
import type { Kind } from 'kubewright/machinery'
import type { PolicyRule } from './load-app.ts'

const READ = ['get', 'list', 'watch'] as const
const WRITE = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'] as const

/**
 * The permissions that controllers need: everything on the kinds they are for and on what they own, reading on what they watch and
 * read, events, and what was asked for besides. Resources with equal verbs share a rule; rules are sorted.
 */
export function rulesFor(
  controllers: readonly ControllerDefinition[],
  extra: readonly PolicyRule[] = [],
): readonly PolicyRule[] {
  const verbs = new Map<string, Set<string>>()
  const allow = (group: string, resource: string, more: readonly string[]): void => {
    const key = `${group}/${resource}`
    verbs.set(key, new Set([...(verbs.get(key) ?? []), ...more]))
  }
  for (const { kind, owns, watches, reads } of controllers) {
    if (kind) allowOwnKind(kind, allow)
    for (const owned of owns) allow(owned.group, owned.plural, WRITE)
    for (const { kind: watched } of watches) allow(watched.group, watched.plural, READ)
    for (const read of reads) allow(read.group, read.plural, READ)
  }
  allow('events.k8s.io', 'events', ['create', 'patch'])
  return [...grouped(verbs), ...extra]
}

function allowOwnKind(
  kind: Kind,
  allow: (group: string, resource: string, verbs: readonly string[]) => void,
): void {
  allow(kind.group, kind.plural, WRITE)
  allow(kind.group, `${kind.plural}/finalizers`, ['update'])
  allow(kind.group, `${kind.plural}/status`, ['get', 'patch', 'update'])
}

/** One rule for the resources of a group that have the same verbs. */
function grouped(verbs: ReadonlyMap<string, ReadonlySet<string>>): readonly PolicyRule[] {
  const rules = new Map<string, { group: string; resources: string[]; verbs: readonly string[] }>()
  for (const [key, set] of [...verbs].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const slash = key.indexOf('/')
    const [group, resource] = [key.slice(0, slash), key.slice(slash + 1)]
    const sorted = [...set].sort()
    const of = `${group} ${sorted.join()}`
    const rule = rules.get(of) ?? { group, resources: [], verbs: sorted }
    rule.resources.push(resource)
    rules.set(of, rule)
  }
  return [...rules.values()].map((it) => ({
    apiGroups: [it.group],
    resources: it.resources,
    verbs: it.verbs,
  }))
}

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
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: [...WRITE] },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
]

const METRICS_AUTH: readonly PolicyRule[] = [
  { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
]
