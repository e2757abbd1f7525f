import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  X509Certificate,
} from 'node:crypto'
import type { UnknownObject } from 'kubewright/machinery'
import type { Storage } from '../storage/storage.ts'

/** A public key that tokens are checked with: its id, its algorithm, and its form for `/openid/v1/jwks`. */
export interface VerifyingKey {
  readonly id: string
  readonly algorithm: string
  readonly key: KeyObject
  readonly jwk: Readonly<Record<string, unknown>>
}

/** The keys of a server: with one it signs, each of the others may have signed. */
export interface SigningKeys {
  readonly signing: { readonly key: KeyObject; readonly id: string; readonly algorithm: string }
  readonly verifying: readonly VerifyingKey[]
}

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[^-]+-----END \1-----/g

/**
 * The public keys of a PEM file: of private keys, public keys or certificates, as `--service-account-key-file` takes them
 * (client-go/util/keyutil ParsePublicKeysPEM). Throws an Error where there is none.
 */
export function publicKeysOf(pem: string): readonly KeyObject[] {
  const keys = [...pem.matchAll(BLOCK)].flatMap(([block, label = '']) => keyOfBlock(block, label))
  if (keys.length === 0) throw new Error('data does not contain any valid RSA or ECDSA public keys')
  return keys
}

function keyOfBlock(block: string, label: string): readonly KeyObject[] {
  try {
    if (label === 'CERTIFICATE') return [new X509Certificate(block).publicKey]
    if (label.endsWith('PRIVATE KEY')) return [createPublicKey(createPrivateKey(block))]
    return label.endsWith('PUBLIC KEY') ? [createPublicKey(block)] : []
  } catch {
    return []
  }
}

/** The private key of a PEM file (`--service-account-signing-key-file`). Throws an Error where there is none. */
export function privateKeyOf(pem: string): KeyObject {
  const block = [...pem.matchAll(BLOCK)].find(([, label = '']) => label.endsWith('PRIVATE KEY'))
  if (!block) throw new Error('data does not contain a valid RSA or ECDSA private key')
  return createPrivateKey(block[0])
}

const CURVES: Readonly<Record<string, string>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
}

function algorithmOf(key: KeyObject): string {
  if (key.asymmetricKeyType === 'rsa') return 'RS256'
  const curve = key.asymmetricKeyDetails?.namedCurve ?? ''
  const found = CURVES[curve]
  if (!found) throw new Error('unknown private key curve, must be 256, 384, or 521')
  return found
}

/** What tells a public key apart without giving it away (pkg/serviceaccount keyIDFromPublicKey). */
const idOf = (key: KeyObject): string =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('base64url')

/** Keys in the form that the authenticator works with; `verifying` may hold the public half of `signing` again. */
export function signingKeys(signing: KeyObject, verifying: readonly KeyObject[]): SigningKeys {
  const keys = verifying.map((key) => {
    const id = idOf(key)
    const algorithm = algorithmOf(key)
    const { kty, ...parts } = key.export({ format: 'jwk' })
    return { id, algorithm, key, jwk: { use: 'sig', kty, kid: id, alg: algorithm, ...parts } }
  })
  const unique = keys.filter((it, at) => keys.findIndex((other) => other.id === it.id) === at)
  const id = idOf(createPublicKey(signing))
  return { signing: { key: signing, id, algorithm: algorithmOf(signing) }, verifying: unique }
}

/** Where the key lies that nobody gave: beside the objects, where no resource can reach it. */
const KEPT = '~server/keys//service-account'

/** The key that the store keeps, made where there is none: tokens outlive a restart as their accounts do. */
export async function keptKeys(storage: Storage): Promise<SigningKeys> {
  const kept = await storage.get(KEPT)
  if (kept) return ofJwk(kept.object)
  const { subtle } = globalThis.crypto
  const pair = await subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign'])
  const privateKey = await subtle.exportKey('jwk', pair.privateKey)
  const object = { metadata: { name: 'service-account' }, privateKey } as unknown as UnknownObject
  const swap = await storage.compareAndSwap(KEPT, 0, object)
  return ofJwk(swap.ok ? object : swap.current!.object)
}

function ofJwk(object: UnknownObject): SigningKeys {
  const key = createPrivateKey({ key: object['privateKey'] as never, format: 'jwk' })
  return signingKeys(key, [createPublicKey(key)])
}
