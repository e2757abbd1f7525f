import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { ServingCertificate } from './serve.ts'

/** One DER element: tag, length, content (X.690). */
function der(tag: number, ...content: readonly Uint8Array[]): Uint8Array {
  const body = Buffer.concat(content)
  const size = body.length
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255]
  return Buffer.concat([Uint8Array.from([tag, ...length]), body])
}

const sequence = (...content: readonly Uint8Array[]): Uint8Array => der(0x30, ...content)
const oid = (...bytes: readonly number[]): Uint8Array => der(6, Uint8Array.from(bytes))
const ECDSA_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2))
const COMMON_NAME = oid(0x55, 4, 3)
const SUBJECT_ALT_NAME = oid(0x55, 0x1d, 0x11)
const EXTENDED_KEY_USAGE = oid(0x55, 0x1d, 0x25)
const SERVER_AUTH = oid(0x2b, 6, 1, 5, 5, 7, 3, 1)

const nameOf = (text: string): Uint8Array =>
  sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(text)))))

/** GeneralizedTime: good from 1 to 9999. */
const instant = (ms: number): Uint8Array =>
  der(0x18, Buffer.from(`${new Date(ms).toISOString().replace(/\D/g, '').slice(0, 14)}Z`))

/**
 * Makes a certificate for a host, or several (and localhost), that signs itself, good from an hour before `now` (ms) for `lifetime` (ms;
 * a year), with a new P-256 key (RFC 5280). For traffic that is encrypted but not checked, as metrics scrapes are by default, and for
 * callers who are handed this very certificate as the one to believe.
 */
export function selfSigned(
  hosts: string | readonly string[],
  now: number,
  lifetime: number = 365 * 86_400_000,
): ServingCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const serial = randomBytes(16)
  serial[0] = (serial[0]! & 0x7f) | 0x40
  const all = [hosts].flat()
  const who = nameOf((all[0] ?? '').slice(0, 64))
  const names = sequence(...[...all, 'localhost'].map((it) => der(0x82, Buffer.from(it))))
  const extensions = sequence(
    sequence(SUBJECT_ALT_NAME, der(4, names)),
    sequence(EXTENDED_KEY_USAGE, der(4, sequence(SERVER_AUTH))),
  )
  const body = sequence(
    der(0xa0, der(2, Uint8Array.of(2))),
    der(2, serial),
    ECDSA_SHA256,
    who,
    sequence(instant(now - 3_600_000), instant(now + lifetime)),
    who,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  )
  const signature = sign('sha256', body, privateKey)
  const certificate = sequence(body, ECDSA_SHA256, der(3, Uint8Array.of(0), signature))
  const base64 = (
    Buffer.from(certificate)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  ).join('\n')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  }
}
