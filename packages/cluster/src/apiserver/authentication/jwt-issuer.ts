import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { Clock } from 'kubewright/base'
import { type Remote, remoteAt } from '../http/remote.ts'
import type { JwtConfiguration } from './authentication-configuration.ts'
import { AuthenticationError, type TokenAuthenticator } from './authenticator.ts'
import { claimMapper } from './jwt-mapping.ts'

/** How long an issuer may take to answer, in milliseconds. */
const PATIENCE = 10_000
/** How long must lie between two looks for keys that are not known, in milliseconds: tokens of strangers must not make a storm. */
const COOLDOWN = 10_000
/** How far clocks may differ for `nbf`, in milliseconds (go-oidc). */
const LEEWAY = 5 * 60_000

/** The algorithms that are taken where nobody names others (oidc.go AllValidSigningAlgorithms). */
export const JWT_ALGORITHMS: readonly string[] = [
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
]

interface Jwk {
  readonly kid?: string
  readonly key: KeyObject
}

type Claims = Readonly<Record<string, unknown>>

interface Token {
  readonly header: { readonly alg?: string; readonly kid?: string }
  readonly claims: Claims
  readonly text: Buffer
  readonly signature: Buffer
}

const refuse = (message: string): never => {
  throw new AuthenticationError(`oidc: verify token: ${message}`)
}

/** Recognises the tokens of an issuer (apiserver/plugin/pkg/authenticator/token/oidc). Throws for a configuration that cannot be used. */
export function jwtIssuer(
  configuration: JwtConfiguration,
  clock: Clock,
  algorithms: readonly string[] = JWT_ALGORITHMS,
): TokenAuthenticator {
  const { url = '', audiences = [] } = configuration.issuer
  const keys = new IssuerKeys(configuration, clock)
  const map = claimMapper(configuration)
  return async (token) => {
    const read = decode(token)
    if (!read || read.claims['iss'] !== url) return undefined
    const { alg = '', kid } = read.header
    if (!algorithms.includes(alg)) {
      const wanted = algorithms.map((it) => `"${it}"`).join(' ')
      refuse(
        `oidc: malformed jwt: go-jose/go-jose: unexpected signature algorithm "${alg}"; expected [${wanted}]`,
      )
    }
    checkClaims(read.claims, audiences, clock.now())
    const good = (await keys.find(kid)).some((it) => isSigned(read, alg, it.key))
    const later = good || (await keys.findAnew(kid)).some((it) => isSigned(read, alg, it.key))
    if (!later) refuse('failed to verify signature: failed to verify id token signature')
    return { user: map(read.claims), audiences: [] }
  }
}

function decode(token: string): Token | undefined {
  const [head = '', body = '', signature, more] = token.split('.')
  if (signature === undefined || more !== undefined) return undefined
  try {
    const part = (text: string): unknown =>
      JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown
    return {
      header: part(head) as Token['header'],
      claims: part(body) as Claims,
      text: Buffer.from(`${head}.${body}`),
      signature: Buffer.from(signature, 'base64url'),
    }
  } catch {
    return undefined
  }
}

function checkClaims(claims: Claims, audiences: readonly string[], now: number): void {
  const own = [(claims['aud'] ?? []) as string | readonly string[]].flat()
  const list = (texts: readonly string[]): string =>
    `[${texts.map((it) => JSON.stringify(it)).join(' ')}]`
  if (!own.some((it) => audiences.includes(it))) {
    throw new AuthenticationError(
      `oidc: verify token: oidc: expected audience in ${list([...audiences].sort())} got ${list(own)}`,
    )
  }
  const seconds = (name: string): number | undefined =>
    typeof claims[name] === 'number' ? claims[name] * 1000 : undefined
  const [exp, nbf] = [seconds('exp') ?? 0, seconds('nbf')]
  if (exp < now) refuse(`oidc: token is expired (Token Expiry: ${goTime(exp)})`)
  if (nbf !== undefined && now + LEEWAY < nbf) {
    refuse(`oidc: current time ${goTime(now)} before the nbf (not before) time: ${goTime(nbf)}`)
  }
}

/** A time as Go prints it. */
const goTime = (ms: number): string =>
  `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} +0000 UTC`

const SALTED = { padding: 6, saltLength: -1 } as const

function isSigned({ text, signature }: Token, algorithm: string, key: KeyObject): boolean {
  const type = algorithm.startsWith('ES') ? 'ec' : 'rsa'
  if (key.asymmetricKeyType !== type) return false
  const padding = algorithm.startsWith('PS') ? SALTED : {}
  const options = { key, dsaEncoding: 'ieee-p1363', ...padding } as const
  return verify(`sha${algorithm.slice(2)}`, text, options, signature)
}

/** The public keys of an issuer, as it tells them where its discovery document says. */
class IssuerKeys {
  readonly #issuer: JwtConfiguration['issuer']
  readonly #clock: Clock
  #keys: readonly Jwk[] = []
  #asked = Number.NEGATIVE_INFINITY
  #asking: Promise<void> | undefined

  constructor({ issuer }: JwtConfiguration, clock: Clock) {
    this.#issuer = issuer
    this.#clock = clock
  }

  /** The keys that may have signed: those of that id, all without one. */
  async find(kid: string | undefined): Promise<readonly Jwk[]> {
    if (this.#keys.length === 0) await this.#ask()
    return this.#named(kid)
  }

  /** As `find`, once more at the issuer's: it may have new keys. */
  async findAnew(kid: string | undefined): Promise<readonly Jwk[]> {
    await this.#ask()
    return this.#named(kid)
  }

  #named(kid: string | undefined): readonly Jwk[] {
    return kid === undefined ? this.#keys : this.#keys.filter((it) => it.kid === kid)
  }

  #ask(): Promise<void> {
    if (!this.#asking && this.#clock.now() - this.#asked < COOLDOWN) return Promise.resolve()
    return (this.#asking ??= this.#fetch().finally(() => {
      this.#asked = this.#clock.now()
      this.#asking = undefined
    }))
  }

  async #fetch(): Promise<void> {
    const { url = '', discoveryURL, certificateAuthority } = this.#issuer
    const place = discoveryURL || `${url.replace(/\/$/, '')}/.well-known/openid-configuration`
    const remote = remoteAt(place, certificateAuthority, this.#clock)
    try {
      const document = (await read(remote, place)) as { issuer?: string; jwks_uri?: string }
      if (document.issuer !== url) {
        throw new Error(
          `oidc: issuer did not match the issuer returned by provider, expected "${url}" got "${document.issuer ?? ''}"`,
        )
      }
      const { keys = [] } = (await read(remote, document.jwks_uri ?? '')) as { keys?: object[] }
      this.#keys = keys.flatMap(keyOf)
    } catch (error) {
      // What it meets is told where the token is judged; keys that are known stay good.
      if (this.#keys.length > 0) return
      throw new AuthenticationError('oidc: authenticator not initialized', { cause: error })
    } finally {
      await remote.close()
    }
  }
}

async function read(remote: Remote, url: string): Promise<unknown> {
  const { status, body, text } = await remote.get(url, PATIENCE)
  if (status !== 200 || body === undefined) throw new Error(`${status}: ${text.slice(0, 200)}`)
  return body
}

function keyOf(jwk: object): readonly Jwk[] {
  const { kid, use } = jwk as { readonly kid?: string; readonly use?: string }
  if (use !== undefined && use !== 'sig') return []
  try {
    const key = createPublicKey({ key: jwk as never, format: 'jwk' })
    return [kid === undefined ? { key } : { kid, key }]
  } catch {
    return []
  }
}
