import 'reflect-metadata'
import { Pkcs10CertificateRequest } from '@peculiar/x509'

/**
 * What is wrong with the DER bytes of a PKCS #10 request (RFC 2986), as Go's crypto/x509 says it: undefined when it can be read and
 * its own key signed it. Loaded when the first request comes.
 */
export async function requestProblemOf(
  bytes: Uint8Array<ArrayBuffer>,
): Promise<string | undefined> {
  const problem = envelopeProblem(bytes)
  if (problem !== undefined) return problem
  try {
    const request = new Pkcs10CertificateRequest(bytes)
    return (await request.verify()) ? undefined : signatureProblem(request)
  } catch {
    return TRUNCATED
  }
}

/** The public key in a PKCS #10 request, as SubjectPublicKeyInfo; undefined where there is no request to read. */
export function publicKeyIn(bytes: Uint8Array<ArrayBuffer>): Uint8Array | undefined {
  try {
    return new Uint8Array(new Pkcs10CertificateRequest(bytes).publicKey.rawData)
  } catch {
    return undefined
  }
}

/** What stands before the content of a DER value. */
interface Header {
  readonly class: number
  readonly compound: boolean
  readonly tag: number
  readonly length: number
  /** How many bytes it takes itself. */
  readonly size: number
}

function headerOf(bytes: Uint8Array): Header | undefined {
  const [first, second] = bytes
  if (first === undefined || second === undefined) return undefined
  const more = second < 0x80 ? 0 : second & 0x7f
  if (bytes.length < 2 + more) return undefined
  const length =
    more === 0 ? second : bytes.subarray(2, 2 + more).reduce((sum, it) => sum * 256 + it, 0)
  const compound = (first & 0x20) !== 0
  return { class: first >> 6, compound, tag: first & 0x1f, length, size: 2 + more }
}

/** The two outer sequences, which Go's encoding/asn1 looks at before all else. */
function envelopeProblem(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0) return TRUNCATED
  const outer = headerOf(bytes)
  if (!outer) return 'asn1: syntax error: truncated tag or length'
  if (!isSequence(outer)) return tagsDiffer(outer, 'certificateRequest')
  const rest = bytes.length - outer.size - outer.length
  if (rest < 0) return 'asn1: syntax error: data truncated'
  if (rest > 0) return 'asn1: syntax error: trailing data'
  const inner = headerOf(bytes.subarray(outer.size))
  if (!inner) return TRUNCATED
  return isSequence(inner) ? undefined : tagsDiffer(inner, 'tbsCertificateRequest')
}

const TRUNCATED = 'asn1: syntax error: sequence truncated'

const isSequence = (it: Header): boolean => it.class === 0 && it.compound && it.tag === 16

/** As Go prints what it found, and what it knows of what it wanted. */
const tagsDiffer = (it: Header, name: string): string =>
  `asn1: structure error: tags don't match (16 vs {class:${it.class} tag:${it.tag} length:${it.length} isCompound:${it.compound}}) ` +
  '{optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false} ' +
  `${name} @2`

function signatureProblem(request: Pkcs10CertificateRequest): string {
  const { name } = request.publicKey.algorithm
  if (name === 'ECDSA') return 'x509: ECDSA verification failure'
  return name === 'Ed25519'
    ? 'x509: Ed25519 verification failure'
    : 'crypto/rsa: verification error'
}
