import type { UnknownObject } from 'kubewright/machinery'
import policy from './data/policy.json' with { type: 'json' }
import type { PolicyRule } from '../authorization/rbac.ts'
import type { BootstrapObject } from './objects.ts'

interface RoleData {
  readonly namespace?: string
  readonly name: string
  readonly labels?: Readonly<Record<string, string>>
  readonly aggregationRule?: object
  readonly rules: readonly object[]
}

interface BindingData {
  readonly namespace?: string
  readonly name: string
  readonly role: string
  readonly roleKind?: string
  readonly subjects: readonly { readonly kind: string }[]
}

interface PolicyData {
  readonly clusterRoles: readonly RoleData[]
  readonly clusterRoleBindings: readonly BindingData[]
  readonly roles: readonly RoleData[]
  readonly roleBindings: readonly BindingData[]
}

const POLICY = policy as unknown as PolicyData
const GROUP = 'rbac.authorization.k8s.io'

/** The rules of one of the cluster roles that kube-apiserver makes. */
export const bootstrapRules = (name: string): readonly PolicyRule[] =>
  (POLICY.clusterRoles.find((it) => it.name === name)?.rules ?? []) as readonly PolicyRule[]

/** The roles and bindings that kube-apiserver makes (kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy). */
export function policyObjects(): readonly BootstrapObject[] {
  return [
    ...POLICY.clusterRoles.map((it) => role('ClusterRole', 'clusterroles', it)),
    ...POLICY.roles.map((it) => role('Role', 'roles', it)),
    ...POLICY.clusterRoleBindings.map((it) =>
      binding('ClusterRoleBinding', 'clusterrolebindings', it),
    ),
    ...POLICY.roleBindings.map((it) => binding('RoleBinding', 'rolebindings', it)),
  ]
}

function role(kind: string, plural: string, it: RoleData): BootstrapObject {
  const { aggregationRule } = it
  return at(plural, it, {
    ...head(kind, it),
    rules: it.rules,
    ...(aggregationRule ? { aggregationRule } : {}),
  })
}

function binding(kind: string, plural: string, it: BindingData): BootstrapObject {
  const roleKind = it.roleKind ?? 'ClusterRole'
  const subjects = it.subjects.map((subject) =>
    subject.kind === 'ServiceAccount' ? subject : { ...subject, apiGroup: GROUP },
  )
  return at(plural, it, {
    ...head(kind, it),
    ...(subjects.length > 0 ? { subjects } : {}),
    roleRef: { apiGroup: GROUP, kind: roleKind, name: it.role },
  })
}

const head = (kind: string, { name, namespace, ...it }: RoleData | BindingData): UnknownObject => ({
  kind,
  apiVersion: `${GROUP}/v1`,
  metadata: {
    name,
    ...(namespace ? { namespace } : {}),
    labels: {
      'kubernetes.io/bootstrapping': 'rbac-defaults',
      ...('labels' in it ? it.labels : {}),
    },
    annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
  },
})

const at = (
  plural: string,
  { name, namespace = '' }: RoleData | BindingData,
  object: UnknownObject,
): BootstrapObject => ({ key: `${GROUP}/${plural}/${namespace}/${name}`, object })
