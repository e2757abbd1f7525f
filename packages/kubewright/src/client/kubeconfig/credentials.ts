import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Clock } from '../../base/clock.ts'
import { ConfigurationError } from '../exchange.ts'
import { reasonOf } from '../answer.ts'
import { runExecPlugin, type ExecCredential } from './exec-plugin.ts'
import { askOver } from './ask-provider.ts'
import type { AuthProviderEntry, ClusterEntry, UserEntry } from './kubeconfig.ts'
import { oidcTokens } from './oidc.ts'

/** What one request needs to be somebody: headers, and perhaps a client certificate (PEM) that came from a program. */
export interface Identity {
  readonly headers: Readonly<Record<string, string>>
  readonly cert?: string
  readonly key?: string
}

/** Hands out the identity for a request. `refused` says that the server answered 401 to one, so that it is fetched anew. */
export interface Credentials {
  identity(): Promise<Identity>
  refused(identity: Identity): void
}

/** How long a token file is believed, in milliseconds: rotation keeps old tokens good for far longer. */
const TOKEN_FILE_AGE = 60_000

/** The credentials of a kubeconfig user. Files and programs are read at the first request, and again as they age. */
export function credentialsOf(user: UserEntry, cluster: ClusterEntry, clock: Clock): Credentials {
  const { exec, 'auth-provider': provider } = user
  if (exec) {
    return cached(
      async () => fromProgram(await runExecPlugin(exec, cluster)),
      ({ expires = Infinity }) => expires,
      clock,
    )
  }
  if (user.tokenFile) {
    const path = user.tokenFile
    return cached(
      async () => bearer(await readToken(path)),
      () => clock.now() + TOKEN_FILE_AGE,
      clock,
    )
  }
  if (provider && !user.token) {
    const tokens = oidcTokens(provider, clock, askOver(providerAuthority(provider)))
    return cached(
      async (refused) => {
        const { token, expires } = await tokens(refused)
        return { ...bearer(token), expires }
      },
      ({ expires }) => expires,
      clock,
    )
  }
  const identity = Promise.resolve({ headers: standing(user) })
  return { identity: () => identity, refused: () => {} }
}

const bearer = (token: string): Identity => ({ headers: { authorization: `Bearer ${token}` } })

/** The certificate that an identity provider's authority signed, PEM. */
function providerAuthority({ config = {} }: AuthProviderEntry): string | undefined {
  const inline = config['idp-certificate-authority-data']
  if (inline) return Buffer.from(inline, 'base64').toString('utf8')
  const path = config['idp-certificate-authority']
  try {
    return path ? readFileSync(path, 'utf8') : undefined
  } catch (cause) {
    throw new ConfigurationError(
      `idp-certificate-authority ${path} of the kubeconfig cannot be read: ${reasonOf(cause)}`,
      { cause },
    )
  }
}

function fromProgram({ token, cert, key, expires }: ExecCredential): Identity & {
  readonly expires?: number
} {
  return {
    headers: token ? bearer(token).headers : {},
    ...(cert && key ? { cert, key } : {}),
    ...(expires === undefined ? {} : { expires }),
  }
}

function standing(user: UserEntry): Readonly<Record<string, string>> {
  if (user.token) return { authorization: `Bearer ${user.token}` }
  if (user.username === undefined) return {}
  const pair = Buffer.from(`${user.username}:${user.password ?? ''}`).toString('base64')
  return { authorization: `Basic ${pair}` }
}

/** The headers by which a user acts as another (apiserver's impersonation filter), each value on a line of its own. */
export function impersonationHeaders(user: UserEntry): Readonly<Record<string, readonly string[]>> {
  const headers: Record<string, readonly string[]> = {}
  if (user.as) headers['impersonate-user'] = [user.as]
  if (user['as-uid']) headers['impersonate-uid'] = [user['as-uid']]
  if (user['as-groups']?.length) headers['impersonate-group'] = user['as-groups']
  for (const [name, values] of Object.entries(user['as-user-extra'] ?? {}))
    headers[`impersonate-extra-${encodeURIComponent(name)}`] = values
  if (!user.as && Object.keys(headers).length > 0)
    throw new ConfigurationError(
      'the kubeconfig user acts in groups or by a uid of nobody; name whom in `as`',
    )
  return headers
}

async function readToken(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (cause) {
    throw new ConfigurationError(`the token file ${path} cannot be read: ${reasonOf(cause)}`, {
      cause,
    })
  }
}

interface Held<T extends Identity> {
  readonly value: Promise<T>
  /** The value once it is there. */
  loaded?: T
  expires: number
}

/** Credentials that are loaded when first needed, and again as they expire; `load` is told whether the server refused the last ones. */
function cached<T extends Identity>(
  load: (refused: boolean) => Promise<T>,
  until: (value: T) => number,
  clock: Clock,
): Credentials {
  let held: Held<T> | undefined
  let refusal = false
  const keep = async (entry: Held<T>): Promise<void> => {
    try {
      entry.loaded = await entry.value
      entry.expires = until(entry.loaded)
    } catch {
      // Whoever asked sees the error; the next one asks again.
      if (held === entry) held = undefined
    }
  }
  return {
    // Many requests may be refused at once: only the first finds what was refused still held.
    refused(identity) {
      if (held?.loaded !== identity) return
      held = undefined
      refusal = true
    },
    identity() {
      if (held && clock.now() < held.expires) return held.value
      const entry: Held<T> = { value: load(refusal), expires: Infinity }
      refusal = false
      held = entry
      void keep(entry)
      return entry.value
    },
  }
}
