import assert from 'node:assert/strict'
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { fakeClock, type FakeClock } from 'kubewright/base'
import { clientCertificate, makeTls } from '../http/certificates.ts'
import type { ApiRequest } from '../http/message.ts'
import type { ApiServerOptions } from '../server-options.ts'
import { type ApiServer, createApiServer } from '../server.ts'
import { NO_REMARKS } from './authenticator.ts'
import { clientCertificates } from './client-certificate.ts'
import { frontProxy } from './front-proxy.ts'
import { makeAuthentication } from './make-authentication.ts'
import { ServiceAccountTokens } from './service-account-tokens.ts'
import { privateKeyOf, publicKeysOf, signingKeys } from './signing-keys.ts'
import { parseTokenFile } from './token-file.ts'

interface World {
  readonly server: ApiServer
  readonly clock: FakeClock
  readonly ask: (method: string, path: string, body?: object, token?: string) => Promise<Reply>
}

interface Reply {
  readonly code: number
  readonly body: Readonly<Record<string, unknown>>
  readonly headers: Headers
}

interface ReviewStatus {
  readonly authenticated?: boolean
  readonly error?: string
  readonly audiences?: readonly string[]
  readonly user: {
    readonly username?: string
    readonly extra?: Readonly<Record<string, readonly string[]>>
  }
}

const START = Date.UTC(2026, 10, 30)

function world(t: TestContext, options: ApiServerOptions = {}): World {
  const clock = fakeClock(START)
  const server = createApiServer({ clock, ...options })
  t.after(() => server.close())
  return {
    server,
    clock,
    ask: async (method, path, body, token) => {
      const headers = {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body ? { 'content-type': 'application/json' } : {}),
      }
      const text = body ? { body: JSON.stringify(body) } : {}
      const answer = await server.fetch(
        new Request(`http://server${path}`, { method, headers, ...text }),
      )
      return { code: answer.status, body: (await answer.json()) as never, headers: answer.headers }
    },
  }
}

const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts'
const REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews'

async function tokenFor({ ask }: World, name: string, spec: object = {}): Promise<string> {
  await ask('POST', ACCOUNTS, { metadata: { name } })
  const { body } = await ask('POST', `${ACCOUNTS}/${name}/token`, { spec })
  return (body['status'] as { readonly token: string }).token
}

async function reviewed(
  { ask }: World,
  token: string,
  audiences?: readonly string[],
): Promise<ReviewStatus> {
  const { body } = await ask('POST', REVIEWS, {
    spec: { token, ...(audiences ? { audiences } : {}) },
  })
  return body['status'] as ReviewStatus
}

interface TokenClaims {
  readonly exp: number
  readonly iat: number
  readonly jti: string
  readonly 'kubernetes.io': {
    readonly serviceaccount: { readonly uid: string }
    readonly pod?: object
    readonly warnafter?: number
  }
}

const claimsOf = (token: string): TokenClaims =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as never

test('a review tells whose token it is, or why it is not good', async (t) => {
  const it = world(t, { tokens: { known: { name: 'admin', groups: ['system:masters'] } } })
  assert.deepEqual(await reviewed(it, 'known'), {
    authenticated: true,
    user: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
    audiences: ['https://kubernetes.default.svc'],
  })
  const nobody = { user: {}, error: 'invalid bearer token' }
  assert.deepEqual(await reviewed(it, 'bad'), nobody)
  assert.deepEqual(await reviewed(it, 'a.b.c'), nobody)
  assert.deepEqual(await reviewed(it, 'known', ['x']), nobody)
  const both = await reviewed(it, 'known', ['https://kubernetes.default.svc', 'q'])
  assert.deepEqual(both.audiences, ['https://kubernetes.default.svc'])
})

test('a token of a service account says what kube-apiserver says', async (t) => {
  const it = world(t)
  const token = await tokenFor(it, 'sa1')
  const { jti, 'kubernetes.io': own, ...claims } = claimsOf(token)
  const start = START / 1000
  assert.deepEqual(claims, {
    aud: ['https://kubernetes.default.svc'],
    exp: start + 3600,
    iat: start,
    iss: 'https://kubernetes.default.svc',
    nbf: start,
    sub: 'system:serviceaccount:default:sa1',
  })
  assert.deepEqual(await reviewed(it, token), {
    authenticated: true,
    user: {
      username: 'system:serviceaccount:default:sa1',
      uid: own.serviceaccount.uid,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${jti}`] },
    },
    audiences: ['https://kubernetes.default.svc'],
  })
  assert.deepEqual(await reviewed(it, token, ['x']), {
    user: {},
    error:
      '[invalid bearer token, token audiences ["https://kubernetes.default.svc"] is invalid for the target audiences ["x"]]',
  })
  await it.clock.advance(3_661_000)
  assert.equal(
    (await reviewed(it, token)).error,
    '[invalid bearer token, service account token has expired]',
  )
})

test('a token that is bound to an object goes with it', async (t) => {
  const it = world(t)
  await it.ask('POST', ACCOUNTS, { metadata: { name: 'bound' } })
  const pod = { name: 'p', image: 'i' }
  const made = await it.ask('POST', '/api/v1/namespaces/default/pods', {
    metadata: { name: 'p' },
    spec: { serviceAccountName: 'bound', containers: [pod] },
  })
  const { uid } = made.body['metadata'] as { readonly uid: string }
  const ref = { kind: 'Pod', apiVersion: 'v1', name: 'p', uid }
  const token = await tokenFor(it, 'bound', { boundObjectRef: ref, expirationSeconds: 3607 })
  const claims = claimsOf(token)
  assert.deepEqual(claims['kubernetes.io'].pod, { name: 'p', uid })
  // What kubelets ask for lives a year, and tells when it should have been read again.
  assert.equal(claims.exp - claims.iat, 365 * 24 * 3600)
  assert.equal(claims['kubernetes.io'].warnafter! - claims.iat, 3607)
  const { extra } = (await reviewed(it, token)).user
  assert.deepEqual(extra?.['authentication.kubernetes.io/pod-name'], ['p'])
  assert.deepEqual(extra?.['authentication.kubernetes.io/pod-uid'], [uid])
  await it.ask('DELETE', '/api/v1/namespaces/default/pods/p?gracePeriodSeconds=0')
  assert.deepEqual(await reviewed(it, token), {
    user: {},
    error: '[invalid bearer token, service account token has been invalidated]',
  })
})

test('keys of files sign and check, certificates too; others learn them where the server tells', async (t) => {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  const { certificate } = await makeTls('localhost', START)
  const verifying = [...publicKeysOf(certificate), ...publicKeysOf(pem)]
  const keys = signingKeys(privateKeyOf(pem), verifying)
  const it = world(t, {
    authentication: { serviceAccounts: { keys, issuers: ['https://a', 'https://b'] } },
  })
  const token = await tokenFor(it, 'sa')
  const header = JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString())
  assert.deepEqual(header, { alg: 'RS256', kid: keys.signing.id })
  assert.equal((await reviewed(it, token)).authenticated, true)
  const jwks = await it.ask('GET', '/openid/v1/jwks')
  assert.equal(jwks.headers.get('content-type'), 'application/jwk-set+json')
  assert.equal(jwks.headers.get('cache-control'), 'public, max-age=3600')
  const told = jwks.body['keys'] as readonly Record<string, string>[]
  assert.deepEqual(
    told.map((key) => [key['kty'], key['alg'], key['use'], key['kid'] === header.kid]),
    [
      ['EC', 'ES256', 'sig', false],
      ['RSA', 'RS256', 'sig', true],
    ],
  )
  const { body } = await it.ask('GET', '/.well-known/openid-configuration')
  assert.equal(body['issuer'], 'https://a')
  assert.deepEqual(body['id_token_signing_alg_values_supported'], ['ES256', 'RS256'])
  const forged = `${token.slice(0, -8)}AAAAAAAA`
  assert.equal((await it.ask('GET', '/api', undefined, forged)).code, 401)
})

test('a token from a secret is noted there, and goes with it', async (t) => {
  const it = world(t)
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const keys = signingKeys(pair.privateKey, [pair.publicKey])
  const own = world(t, { authentication: { serviceAccounts: { keys } } })
  const { body } = await own.ask('POST', ACCOUNTS, { metadata: { name: 'old' } })
  const signer = new ServiceAccountTokens({ storage: it.server.storage } as never, { keys })
  const at = 'kubernetes.io/serviceaccount'
  const token = await signer.sign({
    iss: 'kubernetes/serviceaccount',
    [`${at}/namespace`]: 'default',
    [`${at}/secret.name`]: 'old-token',
    [`${at}/service-account.name`]: 'old',
    [`${at}/service-account.uid`]: (body['metadata'] as { readonly uid: string }).uid,
    sub: 'system:serviceaccount:default:old',
  })
  assert.equal(
    (await reviewed(own, token)).error,
    '[invalid bearer token, Token has been invalidated]',
  )
  await own.ask('POST', '/api/v1/namespaces/default/secrets', {
    metadata: {
      name: 'old-token',
      annotations: { [`${at}.name`]: 'old', 'kubernetes.io/service-account.name': 'old' },
    },
    type: 'kubernetes.io/service-account-token',
    stringData: { token },
  })
  const status = await reviewed(own, token)
  assert.equal(status.user.username, 'system:serviceaccount:default:old')
  const secret = await own.ask('GET', '/api/v1/namespaces/default/secrets/old-token')
  const { labels } = secret.body['metadata'] as { readonly labels: Record<string, string> }
  assert.equal(labels['kubernetes.io/legacy-token-last-used'], '2026-11-30')
})

test('a token file is read as the real server reads it', () => {
  const users = parseTokenFile(
    '# who is who\nt1,admin,u1,"system:masters,ops"\nt2,jane,,\n,nobody,x\nt3,"a ""b""",3\n',
  )
  assert.deepEqual(
    [...users],
    [
      ['t1', { name: 'admin', groups: ['system:masters', 'ops'], uid: 'u1' }],
      ['t2', { name: 'jane', groups: [] }],
      ['t3', { name: 'a "b"', groups: [], uid: '3' }],
    ],
  )
  assert.throws(() => parseTokenFile('t1,admin'), /must have at least 3 columns/)
})

test('a token with which a node joins is good while its secret says so', async (t) => {
  const it = world(t, { authentication: { bootstrapTokens: true } })
  const data = {
    'token-id': 'abcdef',
    'token-secret': '0123456789abcdef',
    'usage-bootstrap-authentication': 'true',
    'auth-extra-groups': 'system:bootstrappers:worker',
    expiration: '2026-11-30T01:00:00Z',
  }
  await it.ask('POST', '/api/v1/namespaces/kube-system/secrets', {
    metadata: { name: 'bootstrap-token-abcdef' },
    type: 'bootstrap.kubernetes.io/token',
    stringData: data,
  })
  const status = await reviewed(it, 'abcdef.0123456789abcdef')
  assert.deepEqual(status.user, {
    username: 'system:bootstrap:abcdef',
    groups: ['system:bootstrappers', 'system:bootstrappers:worker', 'system:authenticated'],
  })
  assert.equal((await reviewed(it, 'abcdef.0000000000000000')).authenticated, undefined)
  await it.clock.advance(3_600_001)
  assert.equal((await reviewed(it, 'abcdef.0123456789abcdef')).authenticated, undefined)
})

test('who says nothing may ask where that may be', async () => {
  for (const [allowed, path, code] of [
    [true, '/version', 200],
    [false, '/version', 401],
    [['/livez'], '/livez', 200],
    [['/livez'], '/version', 401],
  ] as const) {
    const how = makeAuthentication({ anonymous: allowed } as never, {
      clock: fakeClock(),
      find: async () => undefined,
      accounts: { audiences: [], authenticate: async () => undefined } as never,
      users: new Map(),
      listenerAuthorities: () => [],
    })
    assert.equal(how.allowsAnonymous(path), code === 200, `${String(allowed)} ${path}`)
  }
})

/** A request over a socket, with a certificate. */
function over(leaf: X509Certificate | undefined, headers: Record<string, string> = {}): ApiRequest {
  return {
    header: (name: string) => headers[name],
    headers: () => Object.entries(headers),
    peer: { kind: 'socket', ...(leaf ? { certificate: { leaf, intermediates: [] } } : {}) },
  } as never
}

test('a client is known by a certificate that is in its time and of a known authority', async () => {
  const tls = await makeTls('localhost', START)
  const authority = { certificate: tls.authority, key: tls.authorityKey }
  const subject = { name: 'jane', groups: ['a, b', 'c"d'] }
  const { certificate } = await clientCertificate(authority, subject, START)
  const leaf = new X509Certificate(certificate)
  let now = START
  const roots = [new X509Certificate(tls.authority)]
  const known = clientCertificates(
    () => roots,
    () => now,
  )
  const found = await known(over(leaf), NO_REMARKS)
  const digest = leaf.fingerprint256.replaceAll(':', '').toLowerCase()
  assert.deepEqual(found?.user, {
    ...subject,
    extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${digest}`] },
  })
  assert.equal(await known(over(undefined), NO_REMARKS), undefined)
  const strangers = clientCertificates(
    () => [],
    () => now,
  )
  await assert.rejects(
    strangers(over(leaf), NO_REMARKS),
    /failed: x509: certificate signed by unknown authority$/,
  )
  now = START + 400 * 86_400_000
  await assert.rejects(
    known(over(leaf), NO_REMARKS),
    /x509: certificate has expired or is not yet valid: current time 2028-01-04T00:00:00Z is after/,
  )
  now = START
  const serving = new X509Certificate(tls.certificate)
  await assert.rejects(
    known(over(serving), NO_REMARKS),
    /x509: certificate specifies an incompatible key usage$/,
  )
})

test('a proxy is believed in what it says of its client, when it may', async () => {
  const tls = await makeTls('localhost', START)
  const authority = { certificate: tls.authority, key: tls.authorityKey }
  const { certificate } = await clientCertificate(authority, { name: 'proxy', groups: [] }, START)
  const leaf = new X509Certificate(certificate)
  const options = {
    authorities: [new X509Certificate(tls.authority)],
    allowedNames: ['proxy'],
    usernameHeaders: ['x-remote-user'],
    uidHeaders: ['x-remote-uid'],
    groupHeaders: ['x-remote-group'],
    extraPrefixes: ['x-remote-extra-'],
  }
  const headers = {
    'x-remote-user': 'jane',
    'x-remote-uid': '7',
    'x-remote-group': 'a, b',
    'x-remote-extra-acme.com%2fteam': 'x',
  }
  const found = await frontProxy(options, () => START)(over(leaf, headers), NO_REMARKS)
  assert.deepEqual(JSON.parse(JSON.stringify(found?.user)), {
    name: 'jane',
    groups: ['a', 'b'],
    uid: '7',
    extra: { 'acme.com/team': ['x'] },
  })
  const others = frontProxy({ ...options, allowedNames: ['other'] }, () => START)
  await assert.rejects(
    others(over(leaf, headers), NO_REMARKS),
    /x509: subject with cn=proxy is not in the allowed list/,
  )
  assert.equal(
    await frontProxy(options, () => START)(over(undefined, headers), NO_REMARKS),
    undefined,
  )
})
