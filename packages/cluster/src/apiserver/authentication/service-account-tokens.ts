import type * as JoseLibrary from 'jose'
import type { JWK } from 'jose'
import type { Clock } from 'kubewright/base'
import type { UnknownObject } from 'kubewright/machinery'
import type { Authenticated } from '../endpoints/server-parts.ts'
import type { Storage } from '../storage/storage.ts'

/** Who issues the tokens of service accounts, and whom they are for where nobody says. */
export const ISSUER = 'https://kubernetes.default.svc'

type Jose = typeof JoseLibrary

interface Keys {
  readonly jose: Jose
  readonly privateKey: CryptoKey
  readonly publicKey: CryptoKey
  readonly publicJwk: JWK
}

/** Where the key lies: beside the objects, where no resource can reach it. */
const KEY = '~server/keys//service-account'

/** The claims of a bound token (pkg/serviceaccount/claims.go). */
interface Claims {
  readonly aud?: string | readonly string[]
  readonly sub?: string
  readonly 'kubernetes.io'?: {
    readonly namespace: string
    readonly serviceaccount: Named
    readonly pod?: Named
    readonly secret?: Named
    readonly node?: Named
  }
}

interface Named {
  readonly name: string
  readonly uid: string
}

/**
 * Signs and checks the tokens of service accounts (ES256). The key is made when the first token is, and kept in the store.
 * A token is good while its account, and the pod or secret that it is bound to, are there under the same uid.
 */
export class ServiceAccountTokens {
  readonly #storage: Storage
  readonly #clock: Clock
  #keys: Promise<Keys> | undefined

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
  }

  /** Signs claims; the issuer is put in. */
  readonly sign = async (claims: Readonly<Record<string, unknown>>): Promise<string> => {
    const { jose, privateKey } = await this.#load()
    return new jose.SignJWT({ iss: ISSUER, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'service-account' })
      .sign(privateKey)
  }

  /** The public keys, as `/openid/v1/jwks` shows them. */
  async publicKeys(): Promise<object> {
    const { publicJwk } = await this.#load()
    return { keys: [{ use: 'sig', kid: 'service-account', alg: 'ES256', ...publicJwk }] }
  }

  /** Whose token this is; undefined where it is not one of ours, has ended, or its account has gone. */
  async authenticate(
    token: string,
    audiences: readonly string[],
  ): Promise<Authenticated | undefined> {
    if (token.split('.').length !== 3) return undefined
    const { jose, publicKey } = await this.#load()
    const wanted = audiences.length > 0 ? [...audiences] : [ISSUER]
    try {
      const { payload } = await jose.jwtVerify(token, publicKey, {
        issuer: ISSUER,
        audience: wanted,
        currentDate: new Date(this.#clock.now()),
      })
      return await this.#userOf(payload as Claims, wanted)
    } catch {
      return undefined
    }
  }

  async #userOf(claims: Claims, wanted: readonly string[]): Promise<Authenticated | undefined> {
    const own = claims['kubernetes.io']
    if (!own || !(await this.#stands(own))) return undefined
    const { namespace, serviceaccount, pod } = own
    const extra = pod && {
      'authentication.kubernetes.io/pod-name': [pod.name],
      'authentication.kubernetes.io/pod-uid': [pod.uid],
    }
    return {
      user: {
        name: `system:serviceaccount:${namespace}:${serviceaccount.name}`,
        uid: serviceaccount.uid,
        groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
        ...(extra ? { extra } : {}),
      },
      audiences: [claims.aud ?? []].flat().filter((it) => wanted.includes(it)),
    }
  }

  async #stands(own: NonNullable<Claims['kubernetes.io']>): Promise<boolean> {
    const { namespace, serviceaccount, pod, secret } = own
    const bound = [
      ['/serviceaccounts', serviceaccount],
      ['/pods', pod],
      ['/secrets', secret],
    ] as const
    for (const [storageKey, it] of bound) {
      if (!it) continue
      const stored = await this.#storage.get(`${storageKey}/${namespace}/${it.name}`)
      if (stored?.object.metadata.uid !== it.uid) return false
    }
    return true
  }

  #load(): Promise<Keys> {
    return (this.#keys ??= this.#find())
  }

  /** The key that the store keeps, made where there is none: tokens outlive a restart as their accounts do. */
  async #find(): Promise<Keys> {
    const jose = await import('jose')
    const kept = await this.#storage.get(KEY)
    if (kept) return keysOf(jose, kept.object)
    const pair = await jose.generateKeyPair('ES256', { extractable: true })
    const privateKey = await jose.exportJWK(pair.privateKey)
    const object: UnknownObject = { metadata: { name: 'service-account' }, privateKey }
    const swap = await this.#storage.compareAndSwap(KEY, 0, object)
    return keysOf(jose, swap.ok ? object : swap.current!.object)
  }
}

async function keysOf(jose: Jose, object: UnknownObject): Promise<Keys> {
  const privateJwk = object['privateKey'] as JWK
  const { d: _, ...publicJwk } = privateJwk
  return {
    jose,
    privateKey: (await jose.importJWK(privateJwk, 'ES256')) as CryptoKey,
    publicKey: (await jose.importJWK(publicJwk, 'ES256')) as CryptoKey,
    publicJwk,
  }
}
