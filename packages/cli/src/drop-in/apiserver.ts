import {
  createApiServer,
  FlagError,
  followConfiguration,
  loadConfiguration,
  optionsFromFlags,
  parseArguments,
  type ServerConfiguration,
  sqliteStorage,
  type Storage,
} from '@kubewright/cluster/apiserver'
import { systemClock } from 'kubewright/base'
import { aborted } from './aborted.ts'
import { findStore, storeFile } from './etcd-store.ts'

/**
 * Runs kube-apiserver by its own flags until `stop` aborts; resolves to the exit code. It starts no controller and no node, as the
 * real one does not: tests rely on it.
 */
export async function runApiServer(argv: readonly string[], stop: AbortSignal): Promise<number> {
  try {
    await serve(optionsFromFlags(parseArguments(argv)), stop)
    return 0
  } catch (error) {
    if (stop.aborted) return 0
    console.error(errorLine(error))
    return 1
  }
}

async function serve(configuration: ServerConfiguration, stop: AbortSignal): Promise<void> {
  const servers = configuration.values.list('etcd-servers')
  if (servers.length === 0) throw new FlagError('invalid', '--etcd-servers must be specified')
  const loaded = await loadConfiguration(configuration)
  for (const it of loaded.warnings) console.error(`W kube-apiserver ${it}`)
  for (const flag of configuration.withoutEffect.filter((it) => !EXPECTED.has(it)))
    console.error(`W kube-apiserver --${flag} changes nothing here`)
  const storage = await openStorage(servers, configuration, stop)
  const server = createApiServer({ ...loaded.server, storage })
  try {
    const { url } = await server.listen(loaded.serve)
    console.error(`I kube-apiserver by kubewright: serving ${url}`)
    void followConfiguration(configuration, {
      apply: server.reconfigure,
      clock: systemClock,
      signal: stop,
      tell: (sentence) => console.error(`I kube-apiserver ${sentence}`),
    })
    await aborted(stop)
  } finally {
    await server.close()
  }
}

/** Flags of etcd that do have an effect: where it is, and under what prefix. */
const EXPECTED: ReadonlySet<string> = new Set(['etcd-servers', 'etcd-prefix'])

async function openStorage(
  servers: readonly string[],
  { values }: ServerConfiguration,
  stop: AbortSignal,
): Promise<Storage> {
  const store = await findStore(servers, stop)
  const file = await storeFile(store, values.text('etcd-prefix'))
  return sqliteStorage({ path: file, durable: store.fsync })
}

/** As kube-apiserver says why it does not start: the command line by cobra, the rest by its logger. */
function errorLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof FlagError && error.kind === 'usage') return `Error: ${message}`
  return `E kube-apiserver "command failed" err=${JSON.stringify(message)}`
}
