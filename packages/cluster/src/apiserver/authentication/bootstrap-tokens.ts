import { timingSafeEqual } from 'node:crypto'
import type { TokenAuthenticator } from './authenticator.ts'
import type { FindObject } from './service-account-claims.ts'

const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/
const TYPE = 'bootstrap.kubernetes.io/token'
const GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/

/** Recognises the tokens with which nodes join (kubernetes/plugin/pkg/auth/authenticator/token/bootstrap). `now` in milliseconds. */
export const bootstrapTokens =
  (find: FindObject, now: () => number): TokenAuthenticator =>
  async (token) => {
    const [, id = '', secret = ''] = TOKEN.exec(token) ?? []
    if (id === '') return undefined
    const found = await find('/secrets', 'kube-system', `bootstrap-token-${id}`)
    if (!found || found.metadata.deletionTimestamp || found['type'] !== TYPE) return undefined
    const data = (found['data'] ?? {}) as Readonly<Record<string, string>>
    const text = (key: string): string => Buffer.from(data[key] ?? '', 'base64').toString()
    if (text('token-id') !== id || !sameText(text('token-secret'), secret)) return undefined
    const ends = text('expiration')
    if (ends !== '' && !(Date.parse(ends) > now())) return undefined
    if (text('usage-bootstrap-authentication') !== 'true') return undefined
    const more = text('auth-extra-groups')
    const groups = more === '' ? [] : more.split(',')
    if (!groups.every((it) => GROUP.test(it))) return undefined
    return {
      user: {
        name: `system:bootstrap:${id}`,
        groups: ['system:bootstrappers', ...[...new Set(groups)].sort()],
      },
      audiences: [],
    }
  }

function sameText(some: string, other: string): boolean {
  const [a, b] = [Buffer.from(some), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
