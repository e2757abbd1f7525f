const RBAC = 'rbac.authorization.k8s.io'

const bound = (
  kind: 'Role' | 'ClusterRole',
  name: string,
  rules: readonly object[],
): readonly object[] => {
  const metadata = kind === 'Role' ? { name, namespace: 'shop' } : { name }
  return [
    { apiVersion: `${RBAC}/v1`, kind, metadata, rules },
    {
      apiVersion: `${RBAC}/v1`,
      kind: `${kind}Binding`,
      metadata,
      roleRef: { apiGroup: RBAC, kind, name },
      subjects: [{ apiGroup: RBAC, kind: 'User', name: 'clerk' }],
    },
  ]
}

/** The clerk may write the status of requests. */
export const MAY_WRITE_STATUS: readonly object[] = bound('Role', 'status', [
  {
    apiGroups: ['cert-manager.io'],
    resources: ['certificaterequests', 'certificaterequests/status'],
    verbs: ['get', 'patch', 'update'],
  },
])

/** The clerk may approve what {@link FOREIGN_SIGNERS} are asked for: cert-manager's webhook asks for this by a SubjectAccessReview. */
export const MAY_APPROVE: readonly object[] = bound('ClusterRole', 'approve', [
  {
    apiGroups: ['cert-manager.io'],
    resources: ['signers'],
    verbs: ['approve'],
    resourceNames: ['others.other.example/*'],
  },
])

/** A definition of signers that are not cert-manager's. */
export const FOREIGN_SIGNERS: object = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'others.other.example' },
  spec: {
    group: 'other.example',
    scope: 'Namespaced',
    names: { kind: 'Other', plural: 'others' },
    versions: [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
    ],
  },
}
