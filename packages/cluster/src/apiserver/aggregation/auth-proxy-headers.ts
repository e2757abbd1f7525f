import type { User } from '../http/message.ts'

/** Tells another API server who asks (client-go/transport SetAuthProxyHeaders). */
export function authProxyHeaders(user: User): readonly (readonly [string, string])[] {
  const extra = Object.entries(user.extra ?? {}).flatMap(([key, values]) =>
    values.map((value) => [`x-remote-extra-${escapeKey(key)}`, value] as const),
  )
  return [
    ['x-remote-user', user.name],
    ...(user.uid ? [['x-remote-uid', user.uid] as const] : []),
    ...user.groups.map((it) => ['x-remote-group', it] as const),
    ...extra,
  ]
}

/** What may not stand in the name of a header is percent-encoded (RFC 7230 tchar, less the percent sign). */
const escapeKey = (key: string): string =>
  key.replace(/[^A-Za-z0-9!#$&'*+.^_`|~-]/gu, (it) =>
    [...Buffer.from(it)]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  )
