import { createHash } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import type { Client } from '../client/client.ts'
import { kindOf } from '../machinery/kind.ts'
import type { KubeObject } from '../machinery/object.ts'

interface TokenReview extends KubeObject {
  readonly spec?: { readonly token?: string }
  readonly status?: {
    readonly authenticated?: boolean
    readonly user?: UserInfo
  }
}

interface UserInfo {
  readonly username?: string
  readonly uid?: string
  readonly groups?: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

interface SubjectAccessReview extends KubeObject {
  readonly spec?: object
  readonly status?: { readonly allowed?: boolean; readonly reason?: string }
}

const TOKEN_REVIEW = kindOf<TokenReview>(
  'authentication.k8s.io/v1',
  'TokenReview',
  'tokenreviews',
  'Cluster',
)
const ACCESS_REVIEW = kindOf<SubjectAccessReview>(
  'authorization.k8s.io/v1',
  'SubjectAccessReview',
  'subjectaccessreviews',
  'Cluster',
)

type Handler = (request: Request) => Promise<Response>

/** How long answers are believed, ms (controller-runtime filters): who a token is; that access is allowed; that it is denied. */
const TIMES = { token: 60_000, allowed: 300_000, denied: 30_000 } as const

/**
 * Lets in only those whom the API server knows by their bearer token (else 401) and lets `get` the path (else 403). Answers are
 * remembered for a short while; tokens are kept only as hashes.
 */
export function authorized(handler: Handler, client: Client, clock: Clock): Handler {
  const users = remembering<UserInfo | undefined>(clock, () => TIMES.token)
  const rights = remembering<boolean>(clock, (allowed) => (allowed ? TIMES.allowed : TIMES.denied))
  return async (request) => {
    const token = /^Bearer (.+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
    if (!token) return plain(401, 'Unauthorized')
    try {
      const hash = createHash('sha256').update(token).digest('base64')
      const user = await users(hash, () => review(client, token))
      if (!user) return plain(401, 'Unauthorized')
      const { pathname } = new URL(request.url)
      const verb = request.method.toLowerCase()
      const allowed = await rights(`${hash} ${verb} ${pathname}`, () =>
        access(client, user, verb, pathname),
      )
      if (!allowed) return plain(403, `Authorization denied for user ${user.username ?? ''}`)
    } catch {
      return plain(500, 'Authentication failed')
    }
    return handler(request)
  }
}

const plain = (status: number, text: string): Response => new Response(`${text}\n`, { status })

async function review(client: Client, token: string): Promise<UserInfo | undefined> {
  const { status } = await client.create(TOKEN_REVIEW, { spec: { token } })
  return status?.authenticated ? status.user : undefined
}

async function access(
  client: Client,
  user: UserInfo,
  verb: string,
  path: string,
): Promise<boolean> {
  const { username, uid, groups, extra } = user
  const { status } = await client.create(ACCESS_REVIEW, {
    spec: {
      user: username,
      groups,
      ...(uid ? { uid } : {}),
      ...(extra ? { extra } : {}),
      nonResourceAttributes: { path, verb },
    },
  })
  return status?.allowed === true
}

type Remembering<T> = (id: string, ask: () => Promise<T>) => Promise<T>

function remembering<T>(clock: Clock, lifeOf: (value: T) => number): Remembering<T> {
  const known = new Map<string, { readonly value: T; readonly until: number }>()
  return async (id, ask) => {
    const now = clock.now()
    const held = known.get(id)
    if (held && now < held.until) return held.value
    const value = await ask()
    if (known.size >= 1024) for (const [old, it] of known) if (it.until <= now) known.delete(old)
    if (known.size >= 1024) known.clear()
    known.set(id, { value, until: now + lifeOf(value) })
    return value
  }
}
