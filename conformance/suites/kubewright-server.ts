import { readFile, writeFile } from 'node:fs/promises'
import {
  type ApiServerOptions,
  createApiServer,
  loadConfiguration,
  optionsFromFlags,
  parseArguments,
} from '@kubewright/cluster/apiserver'
import { stockControllers } from '@kubewright/cluster/controllers'
import { startCluster } from '@kubewright/cluster/testing'
import { manager } from 'kubewright/manager'
import type { KubewrightOptions } from './target.ts'

/** Controllers of nodes that are more than objects: nobody renews the leases of those. */
const WITH_NODES: ReadonlySet<string> = new Set(['default-scheduler', 'node-controller'])

// Kubewright's control plane in a process of its own, until SIGTERM: `node kubewright-server.ts OPTIONS_AS_JSON`.
const options = JSON.parse(process.argv[2] ?? '{}') as KubewrightOptions
const { server: byFlags, serve } = await loadConfiguration(
  optionsFromFlags(parseArguments(options.flags)),
)
const server: ApiServerOptions = { ...byFlags, adminToken: options.token }
const { kubeconfig, close } = await (options.scheduler ? whole() : withoutScheduler())
await writeFile(options.kubeconfig, kubeconfig, { mode: 0o600 })
process.once('SIGTERM', () => {
  void close().then(() => process.exit(0))
})

interface Serving {
  readonly kubeconfig: string
  readonly close: () => Promise<void>
}

async function whole(): Promise<Serving> {
  const { port, controllers, nodes } = options
  const cluster = await startCluster({ port, controllers, nodes, server })
  return { kubeconfig: cluster.kubeconfig(), close: () => cluster.close() }
}

/** The server, and all controllers but those where there are to be some. */
async function withoutScheduler(): Promise<Serving> {
  const api = createApiServer(server)
  const { kubeconfig, tls } = await api.listen({ ...serve, port: options.port })
  const signer = await signingAuthority()
  const controllers = stockControllers({
    rootCertificate: () => tls.authority,
    signingAuthority: () => signer,
  }).filter((it) => !WITH_NODES.has(it.name))
  const running =
    options.controllers &&
    (await manager()
      .add(...controllers)
      .start({ transport: api.fetch, cache: { freeze: false } }))
  const close = async (): Promise<void> => {
    if (running) await running.stop()
    await api.close()
  }
  return { kubeconfig, close }
}

/** As kube-controller-manager signs with its --cluster-signing-*-file. */
async function signingAuthority(): Promise<{ readonly certificate: string; readonly key: string }> {
  const { certificate, key } = options.authority
  return { certificate: await readFile(certificate, 'utf8'), key: await readFile(key, 'utf8') }
}
