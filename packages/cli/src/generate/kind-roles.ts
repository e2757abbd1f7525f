import type { DeclaredKind } from 'kubewright'
import type { PolicyRule } from './load-app.ts'

/** What one role of a kind may do with its objects; all may read their status. */
const ROLES: Readonly<Record<'admin' | 'editor' | 'viewer', readonly string[]>> = {
  admin: ['*'],
  editor: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  viewer: ['get', 'list', 'watch'],
}

/**
 * ClusterRoles that a cluster's administrator may give to people who work with a kind: to own it, to edit it, to look at it. The
 * operator does not need them. By file name, as kubebuilder names them: `memcached_viewer_role.yaml`.
 */
export function kindRoles(
  project: string,
  kinds: readonly DeclaredKind[],
): Readonly<Record<string, object>> {
  return Object.fromEntries(
    kinds.flatMap((kind) =>
      Object.entries(ROLES).map(([role, verbs]): [string, object] => [
        `${kind.kind.toLowerCase()}_${role}_role.yaml`,
        roleOf(project, kind, role, verbs),
      ]),
    ),
  )
}

function roleOf(
  project: string,
  { kind, group, plural }: DeclaredKind,
  role: string,
  verbs: readonly string[],
): object {
  const rules: readonly PolicyRule[] = [
    { apiGroups: [group], resources: [plural], verbs },
    { apiGroups: [group], resources: [`${plural}/status`], verbs: ['get'] },
  ]
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: {
      name: `${project}-${kind.toLowerCase()}-${role}-role`,
      labels: { 'app.kubernetes.io/name': project, 'app.kubernetes.io/managed-by': 'kubewright' },
    },
    rules,
  }
}
