import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeClock } from '../../base/clock.ts'
import { oidcTokens } from './oidc.ts'

const clock = fakeClock()
const tokenUntil = (ms: number, who = 'me'): string =>
  `h.${Buffer.from(JSON.stringify({ exp: ms / 1000, sub: who })).toString('base64url')}.s`
const HOUR = 3_600_000

/** An identity provider that hands out one token after the other and replaces the refresh token each time. */
function provider(): {
  ask: (url: string, form?: URLSearchParams) => Promise<unknown>
  asked: string[]
} {
  const asked: string[] = []
  let n = 1
  return {
    asked,
    ask: async (url, form) => {
      asked.push(form ? `${url} ${form}` : url)
      if (!form) return { token_endpoint: 'https://idp/token' }
      return { id_token: tokenUntil(clock.now() + HOUR, `${++n}`), refresh_token: `r${n}` }
    },
  }
}

const config = {
  'idp-issuer-url': 'https://idp/',
  'client-id': 'c',
  'client-secret': 's',
  'refresh-token': 'r1',
}

test('an id-token is used until just before it ends, then renewed with the newest refresh token', async () => {
  const { ask, asked } = provider()
  const first = tokenUntil(clock.now() + HOUR)
  const tokens = oidcTokens({ name: 'oidc', config: { ...config, 'id-token': first } }, clock, ask)
  assert.deepEqual(await tokens(false), { token: first, expires: clock.now() + HOUR - 10_000 })
  assert.deepEqual(asked, [])
  await clock.advance(HOUR - 5_000)
  assert.notEqual((await tokens(false)).token, first)
  assert.deepEqual(asked, [
    'https://idp/.well-known/openid-configuration',
    'https://idp/token grant_type=refresh_token&refresh_token=r1&client_id=c&client_secret=s',
  ])
  // Refused by the server though it should be good.
  await tokens(true)
  assert.match(asked.at(-1)!, /refresh_token=r2/)
})

test('what cannot be renewed says what to do', async () => {
  const broken = (answer: object) => oidcTokens({ name: 'oidc', config }, clock, async () => answer)
  await assert.rejects(
    broken({})(false),
    /could not be renewed at https:\/\/idp: .*names no token_endpoint; log in anew/,
  )
  await assert.rejects(broken({ token_endpoint: 'x' })(false), /it sent no id_token/)
  const none = oidcTokens({ name: 'oidc', config: {} }, clock, async () => ({}))
  await assert.rejects(none(false), /has expired and there is no refresh-token; log in anew/)
})
