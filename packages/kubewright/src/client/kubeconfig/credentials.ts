import { readFile } from 'node:fs/promises'
import type { Clock } from '../../base/clock.ts'
import { ConfigurationError } from '../exchange.ts'
import { reasonOf } from '../answer.ts'
import { runExecPlugin, type ExecCredential } from './exec-plugin.ts'
import type { ClusterEntry, UserEntry } from './kubeconfig.ts'

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
  const fixed = impersonation(user)
  if (user.exec) {
    return cached(
      async () => fromProgram(fixed, await runExecPlugin(user.exec!, cluster)),
      ({ expires = Infinity }) => expires,
      clock,
    )
  }
  if (user.tokenFile) {
    const path = user.tokenFile
    return cached(
      async () => ({ headers: { ...fixed, authorization: `Bearer ${await readToken(path)}` } }),
      () => clock.now() + TOKEN_FILE_AGE,
      clock,
    )
  }
  const identity = Promise.resolve({ headers: { ...fixed, ...standing(user) } })
  return { identity: () => identity, refused: () => {} }
}

function fromProgram(
  fixed: Readonly<Record<string, string>>,
  { token, cert, key, expires }: ExecCredential,
): Identity & { readonly expires?: number } {
  return {
    headers: token ? { ...fixed, authorization: `Bearer ${token}` } : fixed,
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

/**
 * The headers by which a user acts as another (apiserver's impersonation filter). Throws a ConfigurationError for several groups or
 * values: each needs a header line of its own, and the lines of one name cannot be kept apart here.
 */
function impersonation(user: UserEntry): Readonly<Record<string, string>> {
  const only = (name: string, values: readonly string[]): string => {
    if (values.length <= 1) return values[0] ?? ''
    throw new ConfigurationError(
      `the kubeconfig user has ${values.length} values in ${name}; only one can be sent: bind what is needed to one group`,
    )
  }
  const headers: Record<string, string> = {}
  if (user.as) headers['impersonate-user'] = user.as
  if (user['as-uid']) headers['impersonate-uid'] = user['as-uid']
  if (user['as-groups']?.length) headers['impersonate-group'] = only('as-groups', user['as-groups'])
  for (const [name, values] of Object.entries(user['as-user-extra'] ?? {}))
    headers[`impersonate-extra-${encodeURIComponent(name)}`] = only(`as-user-extra ${name}`, values)
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

/** Credentials that are loaded when first needed, and again as they expire. */
function cached<T extends Identity>(
  load: () => Promise<T>,
  until: (value: T) => number,
  clock: Clock,
): Credentials {
  let held: Held<T> | undefined
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
      if (held?.loaded === identity) held = undefined
    },
    identity() {
      if (held && clock.now() < held.expires) return held.value
      const entry: Held<T> = { value: load(), expires: Infinity }
      held = entry
      void keep(entry)
      return entry.value
    },
  }
}
