import { type KeyObject, sign, verify } from 'node:crypto'
import type { Clock } from 'kubewright/base'
import type { Storage } from '../storage/storage.ts'
import { type Authenticated, AuthenticationError, type Remarks } from './authenticator.ts'
import { LEGACY_ISSUER, type LegacyClaims, type LabelSecret, legacyUser } from './legacy-tokens.ts'
import { type BoundClaims, boundUser, type FindObject } from './service-account-claims.ts'
import { keptKeys, type SigningKeys } from './signing-keys.ts'

/** Who issues the tokens of service accounts, and whom they are for where nobody says. */
export const ISSUER = 'https://kubernetes.default.svc'

/** How service accounts' tokens are made and checked (`--service-account-*`, `--api-audiences`). */
export interface ServiceAccountOptions {
  /** The first issues; tokens of any are taken. Default: {@link ISSUER}. */
  readonly issuers?: readonly string[]
  /** Whom tokens must be for. Default: the issuers. */
  readonly audiences?: readonly string[]
  /** Where others find the public keys. Default: at this server. */
  readonly jwksUri?: string
  /** Default: a key that the store keeps, made with the first token. */
  readonly keys?: SigningKeys
  /** The longest life of a token, in seconds. Default 0: as long as asked. */
  readonly maxSeconds?: number
  /** Whether a pod's token lives a year where it asks for 3607 seconds, as clients once forgot to read it again. Default true. */
  readonly extendExpiration?: boolean
}

/** The parts of the server that tokens need. */
export interface ServiceAccountParts {
  readonly storage: Storage
  readonly clock: Clock
  readonly labelSecret: LabelSecret
}

type Claims = BoundClaims &
  LegacyClaims & { readonly iss?: string; readonly aud?: string | readonly string[] }

/** How many tokens are remembered whose signature was found good. */
const MOST_REMEMBERED = 4096

/**
 * Signs and checks the tokens of service accounts. A token is good while its account, and the pod, node or secret that it is bound to,
 * are there under the same uid; they are looked up for every request, the signature is checked once.
 */
export class ServiceAccountTokens {
  readonly issuer: string
  readonly audiences: readonly string[]
  readonly options: ServiceAccountOptions
  readonly #issuers: ReadonlySet<string>
  readonly #parts: ServiceAccountParts
  readonly #verified = new Map<string, Claims>()
  #keys: Promise<SigningKeys> | undefined

  constructor(parts: ServiceAccountParts, options: ServiceAccountOptions = {}) {
    const issuers = options.issuers ?? [ISSUER]
    this.options = options
    this.issuer = issuers[0] ?? ISSUER
    this.audiences = options.audiences ?? issuers
    this.#issuers = new Set([...issuers, LEGACY_ISSUER])
    this.#parts = parts
    if (options.keys) this.#keys = Promise.resolve(options.keys)
  }

  /** Signs claims; the issuer is put in. */
  readonly sign = async (claims: Readonly<Record<string, unknown>>): Promise<string> => {
    const { key, id, algorithm } = (await this.#load()).signing
    const all = Object.entries({ iss: this.issuer, ...claims }).sort(([a], [b]) => (a < b ? -1 : 1))
    const body = `${encoded({ alg: algorithm, kid: id })}.${encoded(Object.fromEntries(all))}`
    return `${body}.${sign(digestOf(algorithm), Buffer.from(body), keyFor(key)).toString('base64url')}`
  }

  /** The public keys, as `/openid/v1/jwks` shows them, and the algorithms that they are for. */
  async publicKeys(): Promise<{
    readonly keys: readonly object[]
    readonly algorithms: readonly string[]
  }> {
    const { verifying } = await this.#load()
    const algorithms = [...new Set(verifying.map((it) => it.algorithm))]
    return { keys: verifying.map((it) => it.jwk), algorithms }
  }

  /** Whose token this is (a `TokenAuthenticator`). */
  readonly authenticate = async (
    token: string,
    audiences: readonly string[],
    remarks: Remarks,
  ): Promise<Authenticated | undefined> => {
    const claims = this.#verified.get(token) ?? (await this.#verify(token))
    if (!claims) return undefined
    const good = this.#audiencesOf(claims, audiences, remarks)
    const now = this.#parts.clock.now()
    const user =
      claims.iss === LEGACY_ISSUER
        ? await legacyUser(
            token,
            claims,
            { find: this.#find, label: this.#parts.labelSecret, now },
            remarks,
          )
        : await boundUser(claims, this.#find, now / 1000, remarks)
    return { user, audiences: good }
  }

  readonly #find: FindObject = async (storageKey, namespace, name) =>
    (await this.#parts.storage.get(`${storageKey}/${namespace}/${name}`))?.object

  #audiencesOf(claims: Claims, asked: readonly string[], remarks: Remarks): readonly string[] {
    const own = [claims.aud ?? []].flat()
    if (own.length === 0) remarks.annotate('authentication.k8s.io/legacy-token', claims.sub ?? '')
    const token = own.length === 0 ? this.audiences : own
    const wanted = asked.length === 0 ? this.audiences : asked
    const good = token.filter((it) => wanted.includes(it))
    if (good.length > 0) return good
    throw new AuthenticationError(
      `token audiences ${quoted(token)} is invalid for the target audiences ${quoted(wanted)}`,
    )
  }

  /** The claims of a token of our issuers whose signature is good. */
  async #verify(token: string): Promise<Claims | undefined> {
    const [head = '', body = '', signature, more] = token.split('.')
    if (signature === undefined || more !== undefined) return undefined
    const claims = decoded<Claims>(body)
    const header = decoded<{ readonly kid?: string; readonly alg?: string }>(head)
    if (!claims || !header || !this.#issuers.has(claims.iss ?? '')) return undefined
    const { verifying } = await this.#load()
    const keys = verifying.filter((it) => !header.kid || it.id === header.kid)
    if (keys.length === 0) throw new AuthenticationError('invalid signature, no keys found')
    const [text, bytes] = [Buffer.from(`${head}.${body}`), Buffer.from(signature, 'base64url')]
    const good = keys.some(
      ({ key, algorithm }) =>
        algorithm === header.alg && verify(digestOf(algorithm), text, keyFor(key), bytes),
    )
    if (!good) throw new AuthenticationError('go-jose/go-jose: error in cryptographic primitive')
    this.#remember(token, claims)
    return claims
  }

  #remember(token: string, claims: Claims): void {
    if (this.#verified.size >= MOST_REMEMBERED) {
      const [oldest] = this.#verified.keys()
      this.#verified.delete(oldest!)
    }
    this.#verified.set(token, claims)
  }

  #load(): Promise<SigningKeys> {
    return (this.#keys ??= keptKeys(this.#parts.storage))
  }
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

function decoded<T>(text: string): T | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return typeof value === 'object' && value !== null ? (value as T) : undefined
  } catch {
    return undefined
  }
}

/** `ES384` is SHA-384. */
const digestOf = (algorithm: string): string => `sha${algorithm.slice(2)}`

/** Signatures of elliptic curves are written as two numbers, not as DER (RFC 7518, section 3.4). */
const keyFor = (
  key: KeyObject,
): { readonly key: KeyObject; readonly dsaEncoding: 'ieee-p1363' } => ({
  key,
  dsaEncoding: 'ieee-p1363',
})

const quoted = (texts: readonly string[]): string =>
  `[${texts.map((it) => JSON.stringify(it)).join(' ')}]`
