import type { Clock } from 'kubewright/base'
import type { Reconfiguration } from '../server-options.ts'
import { loadAuthentication } from './load-authentication.ts'
import { loadAuthorization } from './load-authorization.ts'
import { loadEncryption } from './load-encryption.ts'
import { loadTls } from './load-tls.ts'
import type { ServerConfiguration } from './options.ts'
import { textOf } from './read-file.ts'

/** How often files are looked at, in milliseconds: the real server hears of most changes at once, and looks once a minute. */
const EVERY = 1000

/** Files that are read again when they change, and what comes of them. */
interface Followed {
  /** As logs name it. */
  readonly name: string
  readonly files: readonly string[]
  readonly read: () => Promise<Reconfiguration>
}

/** What {@link followConfiguration} works with. */
export interface Following {
  readonly apply: (changes: Reconfiguration) => Promise<void>
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Is told of what was read again, and of what could not be used and changes nothing. */
  readonly tell: (sentence: string) => void
}

/**
 * Reads again what kube-apiserver reads again while it runs, when it changes, until the signal aborts: the serving certificate and the
 * authorities of clients, the AuthenticationConfiguration, the AuthorizationConfiguration, and with
 * `--encryption-provider-config-automatic-reload` the EncryptionConfiguration. Token files, audit policies, keys of service accounts
 * and admission configurations are read once. Resolves when the files have been looked at for the first time; `ended` resolves when
 * nobody looks any more.
 */
export async function followConfiguration(
  configuration: ServerConfiguration,
  following: Following,
): Promise<{ readonly ended: Promise<void> }> {
  const seen = new Map<Followed, string>()
  for (const it of followed(configuration, following.clock)) seen.set(it, await contentOf(it.files))
  return { ended: follow(seen, following) }
}

async function follow(
  seen: Map<Followed, string>,
  { apply, clock, signal, tell }: Following,
): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(EVERY, signal).catch(() => {})
    for (const [it, before] of seen) {
      if (signal.aborted) return
      const content = await contentOf(it.files)
      if (content === before) continue
      seen.set(it, content)
      try {
        await apply(await it.read())
        tell(`reloaded ${it.name}`)
      } catch (error) {
        tell(`cannot reload ${it.name}: ${(error as Error).message}`)
      }
    }
  }
}

/** What files hold; one that cannot be read holds nothing. */
async function contentOf(files: readonly string[]): Promise<string> {
  const texts = await Promise.all(files.map((it) => textOf(it).catch(() => '')))
  return texts.join('\0')
}

function followed(configuration: ServerConfiguration, clock: Clock): readonly Followed[] {
  const { serving, authentication, authorization, encryptionConfigFile } = configuration
  const some = (...files: readonly (string | undefined)[]): readonly string[] =>
    files.filter((it) => it !== undefined)
  const all: readonly Followed[] = [
    {
      name: 'the serving certificate and the authorities of clients',
      files: some(
        serving.certificateFile,
        serving.keyFile,
        authentication.clientCaFile,
        authentication.requestHeader?.caFile,
      ),
      read: async () => ({
        tls: await loadTls(serving, authentication, clock),
        authentication: await loadAuthentication(authentication, clock),
      }),
    },
    {
      name: 'the AuthenticationConfiguration',
      files: some(authentication.configFile),
      read: async () => ({ authentication: await loadAuthentication(authentication, clock) }),
    },
    {
      name: 'the AuthorizationConfiguration',
      files: some(authorization.configFile),
      read: async () => ({ authorization: await loadAuthorization(authorization, clock) }),
    },
    {
      name: 'the EncryptionConfiguration',
      files: configuration.encryptionReload ? some(encryptionConfigFile) : [],
      read: async () => ({ encryption: (await loadEncryption(configuration))! }),
    },
  ]
  return all.filter(({ files }) => files.length > 0)
}
