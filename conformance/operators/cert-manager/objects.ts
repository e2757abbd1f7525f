type Fields = Readonly<Record<string, unknown>>

/** An object of cert-manager.io/v1 in the namespace of the cases. */
export const object = (
  kind: string,
  name: string,
  spec: Fields,
  metadata: Fields = {},
): object => ({
  apiVersion: 'cert-manager.io/v1',
  kind,
  metadata: { name, namespace: 'shop', ...metadata },
  spec,
})

/** An Issuer that lets everybody sign for themselves. */
export const SELF_SIGNED: object = object('Issuer', 'self', { selfSigned: {} })

/** A Certificate with a Secret of its own name. */
export const certificate = (name: string, issuer: string, spec: Fields): object =>
  object('Certificate', name, { secretName: name, issuerRef: { name: issuer }, ...spec })

/** A request for a certificate (PKCS #10) of `CN=asked`, made once with a key that nobody has any more. */
export const ASKED: string =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlJQ2dEQ0NBV2dDQVFBd0VERU9NQXdHQTFVRUF3d0ZZWE5yWldRd2dnRWlNQTBHQ1NxR1NJYjNEUUVCQVFVQQpBNElCRHdBd2dnRUtBb0lCQVFDV0NsOHduQy9DeXdvaFhncmFoWlRJYmdPRXp2VWJjMWRPVzk0UkUxRmtXU3FjCmhneGN6SFlBU2VXZVJHQ01Eb0JhUVY1eW90M3hvem1Ldnp1L1lvKzRDcDBwTFp2UUkvZUdrR0d4U3RQL214K3YKZXVRQzZZZmpsRVROYURKT3ByRHE1ZGg4Yk9uUllvQ0pFOVBERE9sTXlxMXc5ZTNUK1hmcTZ5aHk2OXhQcW1ueQp5WnZkL3lwaURLWmhGTHBhMWxGUlBGTVFJWmFTN2NPanlSUXR5RC9STHFzVWhqL2NIa01WdDAzd0swbHZCRk9mCllvblROUm1YdjJxb1hUWFk4V0VOOEg4UTl4ZEwzV25Mb2UwVFFkM0JXVitqdWdOYVg3U0hNS0xJSERwRlFDczcKRTIycFVoYkQ4Ym04SjFnY0VSNHNRRXpEaEN0NjNPTnhxc2RvbU1LWkFnTUJBQUdnS3pBcEJna3Foa2lHOXcwQgpDUTR4SERBYU1CZ0dBMVVkRVFRUk1BK0NEV0Z6YTJWa0xtVjRZVzF3YkdVd0RRWUpLb1pJaHZjTkFRRUxCUUFECmdnRUJBRGlwVlNDNC9Dbmp6dCszMm5HUnp2KytBRUZyanlVc0lJWlNjQ1hlbjdlalhRQ05SMmhtUCtmOUF4dlEKWkRET1ZyaXQrTXJ6QkkxNVMxd2FyUS83bHpJVnZlczZJMytZWWNvL1k4L0JPRE5UNXBZZVJPOEhzeFJpSFgwOQpVcnQ3Z2Q3aHVuMGd1bEZqOTBxOFRPOUx2SzRjNW1lTi9ybmdsS1czeEd0NG5hNHYzVnN4ZFU3Y01GdmNmcjRlCjRET1NIUmUzaUNRTHlseUtNZ1FreVlCZ2xsQytCeUFFTGkrc09FUmlyTVNnOFJ5ZlRhRmxtUUlCek1Fc2QyTU4KY3ZpWk1iWE1YbmpFMkVJcUZIbGlYYzRUN0ZrWkpsdFVwTXhKcFY3S1R3L0lSTjlKVzBZMFhCNTNNQTlZZStpTwpJb1FNUzBqZjZqTjN3eUQ3Vm1vNk5JSzg0Njg9Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo='

/** What an APIService that nobody serves is declared with. */
export const UNSERVED: object = {
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: {
    name: 'v1.extra.example',
    annotations: { 'cert-manager.io/inject-ca-from': 'shop/root' },
  },
  spec: {
    group: 'extra.example',
    version: 'v1',
    groupPriorityMinimum: 1000,
    versionPriority: 10,
    service: { name: 'extra', namespace: 'shop' },
  },
}

/** A definition whose objects are converted by a webhook that nobody serves. */
export const CONVERTED: object = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'things.example.com',
    annotations: { 'cert-manager.io/inject-ca-from': 'shop/root' },
  },
  spec: {
    group: 'example.com',
    names: { kind: 'Thing', plural: 'things' },
    scope: 'Namespaced',
    versions: [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
    ],
    conversion: {
      strategy: 'Webhook',
      webhook: {
        conversionReviewVersions: ['v1'],
        clientConfig: { service: { name: 'things', namespace: 'shop' } },
      },
    },
  },
}
