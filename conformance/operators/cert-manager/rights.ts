const READ = ['get', 'list', 'watch'] as const
const WRITE = ['create', 'update', 'patch', 'delete'] as const
const SIGNERS = ['issuers', 'clusterissuers'] as const

const withStatus = (name: string): readonly string[] =>
  ['', '/status', '/finalizers'].map((part) => `${name}${part}`)

const rule = (
  group: string,
  resources: readonly string[],
  verbs: readonly string[],
  resourceNames?: readonly string[],
): object => ({
  apiGroups: [group],
  resources,
  verbs,
  ...(resourceNames ? { resourceNames } : {}),
})

/** What cert-manager may do: what the roles of its chart say together, without ACME. It approves only for signers of its own. */
export const RIGHTS: object = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'cert-manager' },
  rules: [
    rule(
      'cert-manager.io',
      ['certificates', 'certificaterequests', ...SIGNERS].flatMap(withStatus),
      [...READ, ...WRITE],
    ),
    rule(
      'cert-manager.io',
      ['signers'],
      ['approve'],
      SIGNERS.map((it) => `${it}.cert-manager.io/*`),
    ),
    rule('acme.cert-manager.io', ['orders', 'challenges'], READ),
    rule('', ['secrets'], [...READ, ...WRITE]),
    rule('', ['pods', 'services'], READ),
    rule('', ['events'], ['create', 'patch']),
    rule('networking.k8s.io', ['ingresses'], READ),
    rule('networking.k8s.io', ['ingresses/finalizers'], ['update']),
    rule(
      'admissionregistration.k8s.io',
      ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'],
      [...READ, 'update', 'patch'],
    ),
    rule('apiregistration.k8s.io', ['apiservices'], [...READ, 'update', 'patch']),
    rule('apiextensions.k8s.io', ['customresourcedefinitions'], [...READ, 'update', 'patch']),
    rule('authorization.k8s.io', ['subjectaccessreviews'], ['create']),
  ],
}
