import type { Case } from '../case.ts'
import { FOREIGN_SIGNERS, MAY_APPROVE, MAY_WRITE_STATUS } from './clerk.ts'
import { ASKED, certificate, CONVERTED, object, SELF_SIGNED, UNSERVED } from './objects.ts'

const json = ['-o', 'json', '--show-managed-fields'] as const
const READY = /- "?Ready True/

const BEGINNING: readonly Case[] = [
  {
    name: 'definitions are established',
    ask: [
      'get',
      'crd',
      '-o',
      'custom-columns=NAME:.metadata.name,VERSIONS:.spec.versions[*].name,CONDITIONS:.status.conditions[*].type,IS:.status.conditions[*].status',
    ],
  },
  {
    name: 'the webhook makes an authority for itself',
    ask: ['get', 'secret', 'cert-manager-webhook-ca', '--namespace=cert-manager', ...json],
    until: [/an authority/],
  },
  {
    name: 'cainjector puts it into the configuration of validating webhooks',
    ask: ['get', 'validatingwebhookconfiguration', 'cert-manager-webhook', ...json],
    until: [/caBundle/],
  },
  {
    name: 'and of mutating ones',
    ask: ['get', 'mutatingwebhookconfiguration', 'cert-manager-webhook', ...json],
    until: [/caBundle/],
  },
]

const REFUSED: readonly Case[] = [
  {
    name: 'the webhook refuses an Issuer of no kind',
    ask: ['create', '-f', '-'],
    input: object('Issuer', 'wrong', {}),
    unless: [/failed calling webhook/],
  },
  {
    name: 'and one of two kinds',
    ask: ['create', '-f', '-'],
    input: object('Issuer', 'wrong', { selfSigned: {}, ca: { secretName: 'x' } }),
  },
  {
    name: 'and a Certificate that is renewed after it has ended',
    ask: ['create', '-f', '-'],
    input: certificate('wrong', 'self', { duration: '1h', renewBefore: '2h', dnsNames: ['a'] }),
  },
  {
    name: 'and one with nobody’s name',
    ask: ['create', '-f', '-'],
    input: certificate('wrong', 'self', {}),
  },
  {
    name: 'the definition refuses an unknown usage',
    ask: ['create', '-f', '-'],
    input: certificate('wrong', 'self', { dnsNames: ['a'], usages: ['cooking'] }),
  },
  {
    name: 'a trial run asks the webhook too',
    ask: ['create', '--dry-run=server', '-f', '-'],
    input: object('Issuer', 'wrong', {}),
  },
]

const AUTHORITY: readonly Case[] = [
  {
    name: 'an Issuer of who signs for themselves',
    given: [SELF_SIGNED],
    ask: ['get', 'issuer', 'self', ...json],
    until: [READY],
  },
  {
    name: 'an Issuer without its Secret',
    given: [object('Issuer', 'ca', { ca: { secretName: 'root' } })],
    ask: ['get', 'issuer', 'ca', ...json],
    until: [/Ready False/],
  },
  {
    name: 'an authority signs itself',
    given: [
      certificate('root', 'self', {
        isCA: true,
        commonName: 'shop root',
        privateKey: { algorithm: 'ECDSA', size: 256 },
      }),
    ],
    ask: ['get', 'certificate', 'root', ...json],
    until: [READY, /revision: 1/],
    unless: [/nextPrivateKeySecretName/, /Issuing True/],
  },
  { name: 'its Secret', ask: ['get', 'secret', 'root', ...json] },
  { name: 'its request', ask: ['get', 'certificaterequest', 'root-1', ...json], until: [READY] },
  {
    name: 'the Issuer with its Secret',
    ask: ['get', 'issuer', 'ca', ...json],
    until: [READY],
  },
]

const LEAF: readonly Case[] = [
  {
    name: 'a Certificate by the authority',
    given: [
      certificate('web', 'ca', {
        duration: '2160h',
        renewBefore: '360h',
        commonName: 'web.example',
        dnsNames: ['web.example', 'www.web.example'],
        ipAddresses: ['10.1.2.3'],
        usages: ['server auth', 'client auth'],
        secretTemplate: { labels: { part: 'web' }, annotations: { note: 'by template' } },
      }),
    ],
    ask: ['get', 'certificate', 'web', ...json],
    until: [READY, /revision: 1/],
    unless: [/nextPrivateKeySecretName/, /Issuing True/],
  },
  { name: 'its Secret', ask: ['get', 'secret', 'web', ...json] },
  {
    name: 'its request, approved and with who asked',
    ask: ['get', 'certificaterequest', 'web-1', ...json],
  },
  {
    name: 'its events',
    ask: [
      'get',
      'events',
      '--field-selector=involvedObject.name=web',
      '-o',
      'custom-columns=TYPE:.type,REASON:.reason,FROM:.source.component,SAYS:.message',
      '--sort-by=.message',
    ],
    until: [/successfully issued/],
  },
  {
    name: 'with a new name it is issued again',
    after: [
      [
        'patch',
        'certificate',
        'web',
        '--type=merge',
        '-p',
        '{"spec":{"dnsNames":["web.example"]}}',
      ],
    ],
    ask: ['get', 'certificate', 'web', ...json],
    until: [READY, /revision: 2/],
    unless: [/nextPrivateKeySecretName/, /Issuing True/],
  },
  {
    name: 'renewed by hand, as cmctl does it',
    after: [
      [
        'patch',
        'certificate',
        'web',
        '--subresource=status',
        '--type=json',
        '-p',
        '[{"op":"add","path":"/status/conditions/-","value":{"type":"Issuing","status":"True","reason":"ManuallyTriggered","message":"Certificate re-issuance manually triggered","lastTransitionTime":"2026-01-01T00:00:00Z"}}]',
      ],
    ],
    ask: ['get', 'certificate', 'web', ...json],
    until: [READY, /revision: 3/],
    unless: [/nextPrivateKeySecretName/, /Issuing True/],
  },
  {
    name: 'without its Secret it is issued again',
    after: [['delete', 'secret', 'web']],
    ask: ['get', 'certificate', 'web', ...json],
    until: [READY, /revision: 4/],
    unless: [/nextPrivateKeySecretName/, /Issuing True/],
  },
  {
    name: 'old requests go',
    ask: ['get', 'certificaterequests', '-o', 'name'],
    until: [/web-4/],
  },
  {
    name: 'renewed in time, again and again',
    given: [
      certificate('hasty', 'ca', {
        duration: '1h',
        renewBefore: '59m57s',
        dnsNames: ['hasty'],
        privateKey: { rotationPolicy: 'Never' },
      }),
    ],
    ask: [
      'get',
      'events',
      '--field-selector=involvedObject.name=hasty',
      '-o',
      'custom-columns=REASON:.reason,FROM:.source.component,SAYS:.message',
    ],
    lines: /Renew/,
    until: [/Renew/],
  },
  {
    name: 'until it has time',
    after: [
      ['patch', 'certificate', 'hasty', '--type=merge', '-p', '{"spec":{"renewBefore":"5m"}}'],
    ],
    ask: [
      'get',
      'certificate',
      'hasty',
      '-o',
      'custom-columns=READY:.status.conditions[?(@.type=="Ready")].status,REASON:.status.conditions[?(@.type=="Ready")].reason,ISSUING:.status.conditions[?(@.type=="Issuing")].status',
    ],
    until: [/True +Ready +(False|<none>)/],
    lines: /READY|True/,
  },
]

const FORMS: readonly Case[] = [
  {
    name: 'a Certificate in another form: Ed25519, PKCS #8 and a combined file',
    given: [
      certificate('forms', 'ca', {
        dnsNames: ['forms'],
        privateKey: { algorithm: 'Ed25519', encoding: 'PKCS8' },
        additionalOutputFormats: [{ type: 'CombinedPEM' }],
      }),
    ],
    ask: ['get', 'secret', 'forms', ...json],
    until: [/tls-combined/, /a certificate of/],
  },
  {
    name: 'a ClusterIssuer, whose Secret lies with cert-manager',
    given: [
      {
        ...object(
          'Certificate',
          'far',
          {
            secretName: 'far',
            isCA: true,
            commonName: 'far',
            issuerRef: { name: 'self', kind: 'ClusterIssuer' },
          },
          { namespace: 'cert-manager' },
        ),
      },
      {
        apiVersion: 'cert-manager.io/v1',
        kind: 'ClusterIssuer',
        metadata: { name: 'self' },
        spec: { selfSigned: {} },
      },
      {
        apiVersion: 'cert-manager.io/v1',
        kind: 'ClusterIssuer',
        metadata: { name: 'far' },
        spec: { ca: { secretName: 'far' } },
      },
    ],
    ask: ['get', 'clusterissuer', 'far', ...json],
    until: [READY],
  },
  {
    name: 'an Ingress gets a Certificate',
    given: [
      {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'Ingress',
        metadata: {
          name: 'front',
          namespace: 'shop',
          annotations: { 'cert-manager.io/cluster-issuer': 'far' },
        },
        spec: {
          tls: [{ hosts: ['front.example'], secretName: 'front-tls' }],
          rules: [
            {
              host: 'front.example',
              http: {
                paths: [
                  {
                    path: '/',
                    pathType: 'Prefix',
                    backend: { service: { name: 'front', port: { number: 80 } } },
                  },
                ],
              },
            },
          ],
        },
      },
    ],
    ask: ['get', 'certificate', 'front-tls', ...json],
    until: [READY],
    unless: [/nextPrivateKeySecretName/, /Issuing True/],
  },
]

/** A signer of somebody else's, for which cert-manager may not approve. */
const FOREIGN = { name: 'none', kind: 'Other', group: 'other.example' } as const

const request = (name: string, issuerRef: object): object =>
  object('CertificateRequest', name, { request: ASKED, issuerRef, duration: '3h' })

const conditions = (type: string): string =>
  JSON.stringify({
    status: { conditions: [{ type, status: 'True', reason: 'Said', message: 'by hand' }] },
  })

const APPROVED = conditions('Approved')
const AS_CLERK = ['patch', 'certificaterequest', 'other', '--as=clerk'] as const

const REQUESTS: readonly Case[] = [
  {
    name: 'a CertificateRequest of a person is approved and signed, and says whose it is',
    given: [request('asked', { name: 'ca' })],
    ask: ['get', 'certificaterequest', 'asked', ...json],
    until: [READY],
  },
  {
    name: 'its owner may not be changed',
    ask: [
      'patch',
      'certificaterequest',
      'asked',
      '--type=merge',
      '-p',
      '{"spec":{"username":"somebody"}}',
    ],
  },
  {
    name: 'nor may it be denied any more',
    ask: [
      'patch',
      'certificaterequest',
      'asked',
      '--subresource=status',
      '--type=json',
      '-p',
      '[{"op":"add","path":"/status/conditions/-","value":{"type":"Denied","status":"True","reason":"x","message":"x"}}]',
    ],
  },
  {
    name: 'who may not approve does not',
    given: [FOREIGN_SIGNERS, ...MAY_WRITE_STATUS, request('other', FOREIGN)],
    after: [['wait', '--for=condition=Established', 'crd/others.other.example', '--timeout=30s']],
    ask: [...AS_CLERK, '--subresource=status', '--type=merge', '-p', APPROVED],
    unless: [/does not exist/],
  },
  {
    name: 'who has been given the right does',
    given: MAY_APPROVE,
    ask: [...AS_CLERK, '--subresource=status', '--type=merge', '-p', APPROVED],
    until: [/patched/],
  },
  {
    name: 'denied, and the Certificate says so',
    given: [certificate('unwanted', 'none', { dnsNames: ['x'], issuerRef: FOREIGN })],
    after: [
      ['wait', '--for=create', 'certificaterequest/unwanted-1', '--timeout=30s'],
      [
        'patch',
        'certificaterequest',
        'unwanted-1',
        '--subresource=status',
        '--type=merge',
        '-p',
        conditions('Denied'),
      ],
    ],
    ask: ['get', 'certificate', 'unwanted', ...json],
    until: [/Issuing False/],
  },
]

const INJECTED: readonly Case[] = [
  {
    name: 'cainjector puts a Certificate’s authority into an APIService',
    given: [UNSERVED],
    ask: ['get', 'apiservice', 'v1.extra.example', ...json],
    until: [/caBundle/, /Available False/],
  },
  {
    name: 'and into the conversion of a definition',
    given: [CONVERTED],
    ask: ['get', 'crd', 'things.example.com', ...json],
    until: [/caBundle/, /Established True/],
  },
]

const END: readonly Case[] = [
  {
    name: 'as kubectl lists them',
    ask: ['get', 'issuers,certificates', '-o', 'wide', '--no-headers'],
    lines: /^(issuer|certificate)\S*\/(self|ca|root|front|web|forms)/,
  },
  {
    name: 'a Certificate is deleted, and its Secret and requests with it',
    after: [['delete', 'certificate', 'web', '--timeout=60s']],
    ask: [
      'get',
      'secrets,certificaterequests',
      '-o',
      'custom-columns=KIND:.kind,NAME:.metadata.name',
    ],
    lines: /KIND|root|web|front/,
    unless: [/web/],
  },
]

/** What is asked of a cluster with cert-manager. */
export const CASES: readonly Case[] = [
  ...BEGINNING,
  ...REFUSED,
  ...part('root', AUTHORITY),
  ...part('web', LEAF),
  ...FORMS,
  ...REQUESTS,
  ...INJECTED,
  ...END,
]

/** Names that tell of whom they are. */
function part(of: string, cases: readonly Case[]): readonly Case[] {
  return cases.map((it) => (it.name.startsWith('its ') ? { ...it, name: `${of}: ${it.name}` } : it))
}
