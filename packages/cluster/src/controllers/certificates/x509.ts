import 'reflect-metadata'
import { createPrivateKey, X509Certificate as NodeCertificate } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import type { RequestedSubject } from './signers.ts'
import type { CertificateUsages } from './usages.ts'

/** Who signs: certificate and key, PEM. */
export interface SigningAuthority {
  readonly certificate: string
  readonly key: string
}

const requestOf = (base64: string): x509.Pkcs10CertificateRequest =>
  new x509.Pkcs10CertificateRequest(Buffer.from(base64, 'base64').toString('latin1'))

/** What a request (PEM in base64, as the API has it) says of its owner. Throws when it cannot be read. */
export function subjectOf(request: string): RequestedSubject {
  const parsed = requestOf(request)
  const names = alternativeNames(parsed)
  const ofType = (type: string): readonly string[] =>
    names.filter((it) => it.type === type).map((it) => it.value)
  return {
    commonName: parsed.subjectName.getField('CN').at(-1) ?? '',
    organizations: parsed.subjectName.getField('O'),
    dnsNames: ofType('dns'),
    ipAddresses: ofType('ip'),
    emailAddresses: ofType('email'),
    uris: ofType('url'),
  }
}

/** The names besides the subject's that a request asks for. */
function alternativeNames(request: x509.Pkcs10CertificateRequest): x509.JsonGeneralNames {
  const found = request.extensions.find((it) => it instanceof x509.SubjectAlternativeNameExtension)
  return found?.names.toJSON() ?? []
}

/** When a certificate (PEM) ends, in milliseconds since the epoch. */
export const endOf = (certificate: string): number =>
  Date.parse(new NodeCertificate(certificate).validTo)

/** Signs a request: its subject, names and key, for these usages and that time. PEM. */
export async function sign(
  request: string,
  { bits, extended }: CertificateUsages,
  { from, until }: { readonly from: number; readonly until: number },
  authority: SigningAuthority,
): Promise<string> {
  const parsed = requestOf(request)
  const issuer = new x509.X509Certificate(authority.certificate)
  const { key, algorithm } = await signingKey(authority.key)
  const names = alternativeNames(parsed)
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: `01${crypto.randomUUID().replaceAll('-', '')}`,
    subject: parsed.subject,
    issuer: issuer.subject,
    notBefore: new Date(from),
    notAfter: new Date(until),
    signingAlgorithm: algorithm,
    publicKey: parsed.publicKey,
    signingKey: key,
    extensions: [
      ...(bits === 0 ? [] : [new x509.KeyUsagesExtension(bits, true)]),
      ...(extended.length === 0 ? [] : [new x509.ExtendedKeyUsageExtension([...extended])]),
      new x509.BasicConstraintsExtension(false, undefined, true),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension([...names])] : []),
    ],
  })
  return `${certificate.toString('pem')}\n`
}

const ELLIPTIC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const RSA = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const

async function signingKey(
  pem: string,
): Promise<{ readonly key: CryptoKey; readonly algorithm: typeof ELLIPTIC | typeof RSA }> {
  const key = createPrivateKey(pem)
  const algorithm = key.asymmetricKeyType === 'rsa' ? RSA : ELLIPTIC
  const bytes = new Uint8Array(key.export({ type: 'pkcs8', format: 'der' }))
  const imported = await crypto.subtle.importKey('pkcs8', bytes, algorithm, false, ['sign'])
  return { key: imported, algorithm }
}
