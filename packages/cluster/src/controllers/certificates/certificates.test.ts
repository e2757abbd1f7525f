import 'reflect-metadata'
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import test from 'node:test'
import { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } from '@peculiar/x509'
import { CertificateSigningRequest } from 'kubewright/kinds/certificates.k8s.io/v1'
import { startCluster } from '../../testing/index.ts'
import { untilCleaned, validity } from './lifetime.ts'
import { type RequestedSubject, SIGNERS } from './signers.ts'
import { certificateUsages } from './usages.ts'

const HOUR = 3_600_000
const KEYS = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

async function requestFor(name: string, dns: readonly string[] = []): Promise<string> {
  const keys = await crypto.subtle.generateKey(KEYS, true, ['sign', 'verify'])
  const names = dns.map((value) => ({ type: 'dns' as const, value }))
  const request = await Pkcs10CertificateRequestGenerator.create({
    name,
    keys,
    signingAlgorithm: KEYS,
    extensions: names.length > 0 ? [new SubjectAlternativeNameExtension(names)] : [],
  })
  return Buffer.from(request.toString('pem')).toString('base64')
}

const NODE: RequestedSubject = {
  commonName: 'system:node:n1',
  organizations: ['system:nodes'],
  dnsNames: [],
  ipAddresses: [],
  emailAddresses: [],
  uris: [],
}

test('what each signer asks of a request', () => {
  const client = SIGNERS['kubernetes.io/kube-apiserver-client']!
  assert.equal(client(NODE, ['client auth', 'digital signature']), undefined)
  assert.equal(
    client(NODE, ['client auth', 'server auth']),
    'invalid usage for client certificate: server auth',
  )
  assert.equal(
    client(NODE, ['digital signature']),
    'missing required usage for client certificate: client auth',
  )
  const kubelet = SIGNERS['kubernetes.io/kube-apiserver-client-kubelet']!
  const usages = ['client auth', 'digital signature', 'key encipherment']
  assert.equal(kubelet(NODE, usages), undefined)
  assert.equal(kubelet(NODE, usages.slice(0, 2)), undefined)
  assert.equal(
    kubelet(NODE, ['client auth']),
    'usages did not match [client auth digital signature key encipherment]',
  )
  assert.equal(
    kubelet({ ...NODE, organizations: ['a'] }, usages),
    'subject organization is not system:nodes',
  )
  assert.equal(
    kubelet({ ...NODE, commonName: 'n1' }, usages),
    'subject common name does not begin with system:node:',
  )
  assert.equal(
    kubelet({ ...NODE, dnsNames: ['n1'] }, usages),
    'DNS subjectAltNames are not allowed',
  )
  const serving = SIGNERS['kubernetes.io/kubelet-serving']!
  const server = ['server auth', 'digital signature']
  assert.equal(serving(NODE, server), 'DNS or IP subjectAltName is required')
  assert.equal(serving({ ...NODE, ipAddresses: ['10.0.0.1'] }, server), undefined)
})

test('usages become bits and object identifiers, each once, in the order of Go', () => {
  assert.deepEqual(certificateUsages(['client auth', 'server auth', 'signing', 'crl sign']), {
    bits: 0b1000001,
    extended: ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'],
  })
  assert.equal(certificateUsages(['s/mime', 'email protection']).extended.length, 1)
})

test('a long life is backdated at both ends, a short one at its beginning', () => {
  const end = 10_000 * 24 * HOUR
  assert.deepEqual(validity(1000 * HOUR, 3600, end), {
    from: 1000 * HOUR - 300_000,
    until: 1001 * HOUR,
  })
  assert.equal(validity(0, undefined, end).until, 365 * 24 * HOUR - 300_000)
  assert.equal(validity(0, 1, end).until, 600_000)
  assert.equal(validity(0, undefined, HOUR).until, HOUR)
})

test('requests are kept an hour after a decision, a day without one, and no longer than their certificate', () => {
  const at = (ms: number): string => new Date(ms).toISOString()
  const request = (status: object): CertificateSigningRequest =>
    ({ metadata: { creationTimestamp: at(0) }, spec: {}, status }) as never
  const decided = (type: string): object => ({
    conditions: [{ type, status: 'True', lastUpdateTime: at(HOUR) }],
  })
  assert.equal(untilCleaned(request({}), undefined, HOUR), 23 * HOUR)
  assert.equal(untilCleaned(request(decided('Denied')), undefined, HOUR), HOUR)
  assert.equal(untilCleaned(request(decided('Failed')), undefined, 3 * HOUR), -HOUR)
  assert.equal(untilCleaned(request(decided('Approved')), undefined, HOUR), 24 * HOUR)
  const issued = request({ ...decided('Approved'), certificate: 'YQ==' })
  assert.equal(untilCleaned(issued, 10 * HOUR, HOUR), HOUR)
  assert.equal(untilCleaned(issued, 1.5 * HOUR, HOUR), HOUR / 2)
})

test('an approved request gets its certificate, a wrong one a condition, and a kubelet needs nobody', async () => {
  await using cluster = await startCluster({ port: 0 })
  const { client } = cluster
  const make = (name: string, spec: object): Promise<CertificateSigningRequest> =>
    client.create(CertificateSigningRequest, { metadata: { name }, spec: spec as never })
  const approve = async (request: CertificateSigningRequest): Promise<void> => {
    const condition = { type: 'Approved', status: 'True', reason: 'Test' }
    const next = { ...request, status: { conditions: [condition] } }
    await client.update(CertificateSigningRequest, next, { subresource: 'approval' })
  }
  const alice = await requestFor('CN=alice, O=dev', ['alice.example.com'])
  const signerName = 'kubernetes.io/kube-apiserver-client'
  await approve(
    await make('alice', {
      request: alice,
      signerName,
      usages: ['client auth'],
      expirationSeconds: 3600,
    }),
  )
  const signed = await cluster.until(CertificateSigningRequest, 'alice', (it) =>
    Boolean(it.status?.certificate),
  )
  const pem = Buffer.from(signed.status!.certificate!, 'base64').toString()
  const certificate = new X509Certificate(pem)
  const authority = new X509Certificate(cluster.address!.tls.authority)
  assert.ok(certificate.verify(authority.publicKey))
  assert.deepEqual(certificate.subject.split('\n').toSorted(), ['CN=alice', 'O=dev'])
  assert.equal(certificate.subjectAltName, 'DNS:alice.example.com')
  assert.deepEqual(certificate.keyUsage, ['1.3.6.1.5.5.7.3.2'])
  assert.equal(certificate.ca, false)
  const lasts = Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)
  assert.equal(lasts, 65 * 60_000)

  await approve(await make('wrong', { request: alice, signerName, usages: ['server auth'] }))
  const failed = await cluster.until(CertificateSigningRequest, 'wrong', (it) =>
    (it.status?.conditions ?? []).some(({ type }) => type === 'Failed'),
  )
  assert.equal(
    failed.status!.conditions!.at(-1)!.message,
    'invalid usage for client certificate: server auth',
  )

  await make('kubelet', {
    request: await requestFor('CN=system:node:n1, O=system:nodes'),
    signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
    usages: ['client auth', 'digital signature'],
  })
  const own = await cluster.until(CertificateSigningRequest, 'kubelet', (it) =>
    Boolean(it.status?.certificate),
  )
  assert.equal(
    own.status!.conditions![0]!.message,
    'Auto approving kubelet client certificate after SubjectAccessReview.',
  )
})
