import type { webcrypto } from 'node:crypto'
import type * as X509 from '@peculiar/x509'
import type { X509Certificate } from '@peculiar/x509'
import type { TlsMaterial } from './listener.ts'

/** A certificate authority that lives as long as its server, or as long as its files. PEM. */
export interface Authority {
  readonly certificate: string
  readonly key: string
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const YEAR = 365 * 24 * 60 * 60 * 1000
const DAY = 24 * 60 * 60 * 1000

/** The name under which the server certificate's owner and the cluster's own clients know the API server. */
const SERVICE_NAMES = [
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
  'localhost',
] as const

/** Makes an authority, and a serving certificate by it for `host`, the usual names and `more` addresses (ECDSA P-256, a year). */
export async function makeTls(
  host: string,
  now: number,
  more: readonly string[] = [],
): Promise<TlsMaterial & { readonly authorityKey: string }> {
  const x509 = await library()
  const keys = await generate()
  const notBefore = new Date(now - DAY)
  const notAfter = new Date(now + YEAR)
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: 'CN=kubewright-ca',
    notBefore,
    notAfter,
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign |
          x509.KeyUsageFlags.cRLSign |
          x509.KeyUsageFlags.digitalSignature,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  const serving = await servingCertificate(
    x509,
    authority,
    keys.privateKey,
    alternativeNames(host, more),
    notBefore,
    notAfter,
  )
  const pem = authority.toString('pem')
  return {
    ...serving,
    authority: pem,
    clientAuthority: pem,
    authorityKey: await keyPem(keys.privateKey),
  }
}

type Library = typeof X509

/** Loaded when it is needed: a server in this process that never listens needs no certificates. */
async function library(): Promise<Library> {
  await import('reflect-metadata')
  return import('@peculiar/x509')
}

async function servingCertificate(
  x509: Library,
  authority: X509Certificate,
  signingKey: CryptoKey,
  names: AlternativeName[],
  notBefore: Date,
  notAfter: Date,
): Promise<{ readonly certificate: string; readonly key: string }> {
  const keys = await generate()
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: 'CN=kube-apiserver',
    issuer: authority.subject,
    notBefore,
    notAfter,
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey,
    extensions: [
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(names),
      await x509.AuthorityKeyIdentifierExtension.create(authority.publicKey),
    ],
  })
  return { certificate: certificate.toString('pem'), key: await keyPem(keys.privateKey) }
}

/** Who a client certificate is for: common name and organizations. */
export interface CertificateSubject {
  readonly name: string
  readonly groups: readonly string[]
}

/** Makes a client certificate by an authority (a year). PEM. */
export async function clientCertificate(
  authority: Authority,
  subject: CertificateSubject,
  now: number,
): Promise<{ readonly certificate: string; readonly key: string }> {
  const x509 = await library()
  const keys = await generate()
  const issuer = new x509.X509Certificate(authority.certificate)
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: [{ CN: [subject.name] }, ...subject.groups.map((it) => ({ O: [it] }))],
    issuer: issuer.subject,
    notBefore: new Date(now - DAY),
    notAfter: new Date(now + YEAR),
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: await signingKey(authority.key),
    extensions: [
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  })
  return { certificate: certificate.toString('pem'), key: await keyPem(keys.privateKey) }
}

function signingKey(pem: string): Promise<CryptoKey> {
  const bytes = Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64')
  return crypto.subtle.importKey('pkcs8', bytes, ALGORITHM, false, ['sign'])
}

type AlternativeName = { readonly type: 'dns' | 'ip'; readonly value: string }

function alternativeNames(host: string, more: readonly string[]): AlternativeName[] {
  const addresses = new Set(['127.0.0.1', '::1', ...more])
  const names = new Set<string>(SERVICE_NAMES)
  if (/^[\d.]+$|:/.test(host)) addresses.add(host)
  else names.add(host)
  return [
    ...[...names].map((value) => ({ type: 'dns' as const, value })),
    ...[...addresses]
      .filter((it) => it !== '0.0.0.0' && it !== '::')
      .map((value) => ({ type: 'ip' as const, value })),
  ]
}

type KeyPair = webcrypto.CryptoKeyPair

const generate = (): Promise<KeyPair> =>
  crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])

/** Positive, and unlike any other. */
const serial = (): string => `01${crypto.randomUUID().replaceAll('-', '')}`

async function keyPem(key: CryptoKey): Promise<string> {
  const bytes = Buffer.from(await crypto.subtle.exportKey('pkcs8', key))
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`
}
