import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { generateKeyPairSync, sign } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { systemClock } from 'kubewright/base'
import { fieldErrorText } from 'kubewright/machinery'
import type { JwtConfiguration } from './authentication-configuration.ts'
import { NO_REMARKS } from './authenticator.ts'
import { jwtIssuer } from './jwt-issuer.ts'
import { claimMapper } from './jwt-mapping.ts'
import { authenticationErrors } from './validate-jwt.ts'

const NOW = 1_800_000_000

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** An issuer that listens, and what it signs. */
async function issuer(
  t: TestContext,
): Promise<{ url: string; tokenOf: (claims: object, kid?: string) => string; rotate: () => void }> {
  let pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  let id = 'k1'
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo
    const url = `http://127.0.0.1:${port}`
    const body = request.url?.endsWith('/keys')
      ? { keys: [{ ...pair.publicKey.export({ format: 'jwk' }), kid: id, use: 'sig' }] }
      : { issuer: url, jwks_uri: `${url}/keys` }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    tokenOf: (claims) => {
      const text = `${encoded({ alg: 'ES256', kid: id })}.${encoded({ iss: url, ...claims })}`
      const key = { key: pair.privateKey, dsaEncoding: 'ieee-p1363' } as const
      return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`
    },
    rotate: () => {
      pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      id = 'k2'
    },
  }
}

const configurationOf = (url: string): JwtConfiguration => ({
  issuer: { url, audiences: ['me'] },
  claimMappings: {
    username: { claim: 'sub', prefix: 'oidc:' },
    groups: { expression: 'claims.roles' },
    uid: { claim: 'uid' },
    extra: [{ key: 'acme.com/team', valueExpression: 'claims.team' }],
  },
  claimValidationRules: [
    { claim: 'hd', requiredValue: 'acme' },
    { expression: 'claims.level > 2', message: 'level is too low' },
  ],
  userValidationRules: [
    { expression: "!user.username.startsWith('system:')", message: 'reserved' },
  ],
})

const CLAIMS = {
  sub: 'jane',
  aud: 'me',
  exp: NOW + 60,
  roles: ['a', 'b'],
  uid: '7',
  team: 'x',
  hd: 'acme',
  level: 3,
  jti: 'j',
}

test('the tokens of an issuer are judged by its keys, and by the keys that it has next', async (t) => {
  const { url, tokenOf, rotate } = await issuer(t)
  const clock = { ...systemClock, now: () => NOW * 1000 + skew }
  let skew = 0
  const authenticate = jwtIssuer(configurationOf(url), clock)
  const found = await authenticate(tokenOf(CLAIMS), [], NO_REMARKS)
  assert.deepEqual(found?.user, {
    name: 'oidc:jane',
    groups: ['a', 'b'],
    uid: '7',
    extra: { 'authentication.kubernetes.io/credential-id': ['JTI=j'], 'acme.com/team': ['x'] },
  })
  assert.equal(
    await authenticate(tokenOf({ ...CLAIMS, iss: 'https://other' }), [], NO_REMARKS),
    undefined,
  )
  const refused = async (claims: object, why: RegExp): Promise<void> =>
    assert.rejects(authenticate(tokenOf({ ...CLAIMS, ...claims }), [], NO_REMARKS), why)
  await refused(
    { aud: ['you'] },
    /^AuthenticationError: oidc: verify token: oidc: expected audience in \["me"\] got \["you"\]$/,
  )
  await refused(
    { exp: NOW - 1 },
    /oidc: verify token: oidc: token is expired \(Token Expiry: 2027-01-15 07:59:59 \+0000 UTC\)/,
  )
  await refused(
    { hd: 'other' },
    /oidc: required claim hd value does not match\. Got = other, want = acme/,
  )
  await refused(
    { level: 1 },
    /oidc: error evaluating claim validation expression: validation expression 'claims\.level > 2' failed: level is too low/,
  )
  await refused({ roles: 7 }, /oidc: error evaluating group claim expression/)
  const forged = `${tokenOf(CLAIMS).slice(0, -6)}AAAAAA`
  await assert.rejects(
    authenticate(forged, [], NO_REMARKS),
    /failed to verify signature: failed to verify id token signature/,
  )
  rotate()
  skew = 11_000
  assert.equal((await authenticate(tokenOf(CLAIMS), [], NO_REMARKS))?.user.name, 'oidc:jane')
})

test('a user whom the rules do not take is refused', () => {
  const map = claimMapper({
    ...configurationOf('https://x'),
    claimMappings: { username: { expression: "'system:' + claims.sub" } },
  })
  assert.throws(
    () => map(CLAIMS),
    /error evaluating user info validation rule: .* failed: reserved/,
  )
  const email = claimMapper({
    issuer: {},
    claimMappings: { username: { claim: 'email', prefix: '' } },
  })
  assert.throws(() => email({ email: 'a@b', email_verified: false }), /oidc: email not verified/)
  assert.equal(email({ email: 'a@b' }).name, 'a@b')
  assert.throws(() => email({}), /oidc: parse username claims "email": claim not present/)
})

test('a configuration is judged as the real server judges it', () => {
  const errorsOf = (jwt: readonly JwtConfiguration[], anonymous?: object): readonly string[] =>
    authenticationErrors({ jwt, ...(anonymous ? { anonymous } : {}) }, ['https://own']).map(
      fieldErrorText,
    )
  assert.deepEqual(errorsOf([configurationOf('https://issuer')]), [])
  assert.deepEqual(errorsOf([{ issuer: {} }]), [
    'jwt[0].issuer.url: Required value',
    'jwt[0].issuer.audiences: Required value: at least one jwt[0].issuer.audiences is required',
    'jwt[0].claimMappings.username: Required value: claim or expression is required',
  ])
  assert.deepEqual(
    errorsOf([
      {
        issuer: { url: 'http://a?b#c', audiences: ['x', 'x'], discoveryURL: 'http://a?b#c' },
        claimMappings: {
          username: { claim: 'sub' },
          extra: [{ key: 'k8s.io/x', valueExpression: 'a +' }],
        },
      },
    ]).map((it) => it.split('\n')[0]),
    [
      'jwt[0].issuer.url: Invalid value: "http://a?b#c": URL scheme must be https',
      'jwt[0].issuer.url: Invalid value: "http://a?b#c": URL must not contain a query',
      'jwt[0].issuer.url: Invalid value: "http://a?b#c": URL must not contain a fragment',
      'jwt[0].issuer.discoveryURL: Invalid value: "http://a?b#c": discoveryURL must be different from URL',
      'jwt[0].issuer.discoveryURL: Invalid value: "http://a?b#c": URL scheme must be https',
      'jwt[0].issuer.discoveryURL: Invalid value: "http://a?b#c": URL must not contain a query',
      'jwt[0].issuer.discoveryURL: Invalid value: "http://a?b#c": URL must not contain a fragment',
      'jwt[0].issuer.audiences[1]: Duplicate value: "x"',
      'jwt[0].issuer.audienceMatchPolicy: Invalid value: "": audienceMatchPolicy must be MatchAny for multiple audiences',
      'jwt[0].claimMappings.username.prefix: Required value: prefix is required when claim is set. It can be set to an empty string to disable prefixing',
      'jwt[0].claimMappings.extra[0].key: Invalid value: "k8s.io/x": k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use',
      "jwt[0].claimMappings.extra[0].valueExpression: Invalid value: \"a +\": compilation failed: ERROR: <input>:1:4: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
    ],
  )
  assert.deepEqual(errorsOf([], { enabled: false, conditions: [{ path: '/x' }] }), [
    'anonymous.conditions: Invalid value: [{"path":"/x"}]: enabled should be set to true when conditions are defined',
  ])
})
