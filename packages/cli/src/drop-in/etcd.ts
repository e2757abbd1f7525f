import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { mkdir, realpath } from 'node:fs/promises'
import { once } from 'node:events'
import path from 'node:path'
import { whyNot } from '../failure.ts'
import type { EtcdOptions } from './etcd-flags.ts'

/** The release whose place it takes. */
export const ETCD_VERSION = '3.6.8'

/** The path under which the kube-apiserver beside it asks where the objects lie; the real etcd has none of that name. */
export const STORE_PATH = '/kubewright/store'

/** Where the objects of an etcd lie, and whether they must be on disk before a write is answered. */
export interface EtcdStore {
  readonly dataDir: string
  readonly fsync: boolean
}

/** A running etcd. `close` resolves when its ports are free. */
export interface RunningEtcd {
  readonly urls: readonly string[]
  readonly close: () => Promise<void>
}

/**
 * Takes etcd's place for the kube-apiserver of this package: it owns the data folder and says over HTTP that it is well and where
 * that folder is; the objects themselves are written by the server. So they live as long as with etcd: over restarts of the server,
 * and over its own, where the folder is the same. It speaks no gRPC. Rejects with a sentence where folder or port cannot be had.
 */
export async function startEtcd({ dataDir, listen, fsync }: EtcdOptions): Promise<RunningEtcd> {
  const store: EtcdStore = { dataDir: await makeFolder(dataDir), fsync }
  const servers: Server[] = []
  const close = async (): Promise<void> => {
    for (const it of servers) {
      it.close()
      it.closeAllConnections()
    }
  }
  try {
    for (const url of listen) {
      const server = createServer((incoming, outgoing) => answer(incoming, outgoing, store))
      await bind(server, url)
      servers.push(server)
    }
  } catch (error) {
    await close()
    throw error
  }
  return { urls: listen.map((it) => it.origin), close }
}

async function makeFolder(folder: string): Promise<string> {
  const whole = path.resolve(folder)
  try {
    await mkdir(whole, { recursive: true, mode: 0o700 })
    return await realpath(whole)
  } catch (error) {
    const why = whyNot(error as NodeJS.ErrnoException)
    throw new Error(`the data folder ${whole} cannot be had: ${why}`, { cause: error })
  }
}

async function bind(server: Server, url: URL): Promise<void> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = Number(url.port || 80)
  server.listen(port, host)
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    const text =
      error.code === 'EADDRINUSE' ? 'address already in use' : error.message.replace(/^\w+ /, '')
    throw new Error(`listen tcp ${url.hostname}:${port}: bind: ${text}`, { cause: error })
  })
}

function answer(incoming: IncomingMessage, outgoing: ServerResponse, store: EtcdStore): void {
  incoming.resume()
  const found = body((incoming.url ?? '/').replace(/\?.*$/, ''), store)
  if (found === undefined) {
    outgoing.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' })
    outgoing.end('404 page not found\n')
    return
  }
  const json = typeof found !== 'string'
  outgoing.writeHead(200, { 'content-type': json ? 'application/json' : 'text/plain' })
  outgoing.end(json ? JSON.stringify(found) : found)
}

function body(name: string, store: EtcdStore): object | string | undefined {
  switch (name) {
    case '/health':
      return { health: 'true', reason: '' }
    case '/livez':
    case '/readyz':
      return 'ok\n'
    case '/version':
      return { etcdserver: ETCD_VERSION, etcdcluster: '3.6.0', storage: '3.6.0' }
    case STORE_PATH:
      return store
    default:
      return undefined
  }
}
