/** cert-manager's webhooks as its chart declares them, served at an address. */
export const webhookConfigurations = (url: string): readonly object[] => [
  configuration('Mutating', `${url}/mutate`, {
    apiGroups: ['cert-manager.io'],
    apiVersions: ['v1'],
    operations: ['CREATE'],
    resources: ['certificaterequests'],
  }),
  configuration('Validating', `${url}/validate`, {
    apiGroups: ['cert-manager.io', 'acme.cert-manager.io'],
    apiVersions: ['v1'],
    operations: ['CREATE', 'UPDATE'],
    resources: ['*/*'],
  }),
]

const configuration = (kind: 'Mutating' | 'Validating', url: string, rule: object): object => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: `${kind}WebhookConfiguration`,
  metadata: {
    name: 'cert-manager-webhook',
    annotations: {
      'cert-manager.io/inject-ca-from-secret': 'cert-manager/cert-manager-webhook-ca',
    },
  },
  webhooks: [
    {
      name: 'webhook.cert-manager.io',
      rules: [rule],
      admissionReviewVersions: ['v1'],
      matchPolicy: 'Equivalent',
      timeoutSeconds: 30,
      failurePolicy: 'Fail',
      sideEffects: 'None',
      clientConfig: { url },
    },
  ],
})
