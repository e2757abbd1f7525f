import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type EtcdStore, STORE_PATH } from './etcd.ts'

/** How long a server waits for its etcd, ms, as kube-apiserver does before it gives up. */
const PATIENCE = 20_000
const PAUSE = 50

/**
 * Asks an etcd of this package where the objects lie; tries again while nothing answers. `servers` are URLs, of which the first that
 * answers counts. Rejects with a sentence where none does within 20 s, or where a real etcd answers.
 */
export async function findStore(
  servers: readonly string[],
  signal: AbortSignal,
): Promise<EtcdStore> {
  const deadline = performance.now() + PATIENCE
  let last: unknown
  while (performance.now() < deadline && !signal.aborted) {
    for (const server of servers) {
      const answer = await ask(server, signal).catch((error: unknown) => void (last = error))
      if (answer) return storeOf(server, answer)
    }
    await sleep(PAUSE, undefined, { signal }).catch(() => {})
  }
  throw new Error(`etcd at ${servers.join(', ')} did not answer: ${reasonOf(last)}`)
}

const ask = (server: string, signal: AbortSignal): Promise<Response> =>
  fetch(new URL(STORE_PATH, server), {
    signal: AbortSignal.any([signal, AbortSignal.timeout(5_000)]),
  })

async function storeOf(server: string, answer: Response): Promise<EtcdStore> {
  if (answer.ok) return (await answer.json()) as EtcdStore
  throw new Error(
    `what answers at ${server} is not the etcd that \`kubewright assets\` wrote beside this program (${answer.status} for ${STORE_PATH}): ` +
      'this kube-apiserver keeps its objects in that one alone; start it from the same folder',
  )
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it was not asked'
  return error.cause instanceof Error ? error.cause.message : error.message
}

/**
 * The file that holds the objects of one prefix, as etcd keeps servers of different `--etcd-prefix` apart; its folder is made.
 */
export async function storeFile({ dataDir }: EtcdStore, prefix: string): Promise<string> {
  const folder = path.join(dataDir, 'kubewright')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return path.join(folder, `${encodeURIComponent(prefix.replace(/^\/+|\/+$/g, '')) || 'root'}.db`)
}
