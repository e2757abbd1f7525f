import {
  createApiServer,
  loadConfiguration,
  optionsFromFlags,
  parseArguments,
} from '@kubewright/cluster/apiserver'
import { planeOf, processNodesOf } from './kubewright-plane.ts'
import type { KubewrightOptions } from './target.ts'

// Kubewright's control plane in a process of its own, until SIGTERM: `node kubewright-server.ts OPTIONS_AS_JSON`.
const { port, flags, plane } = JSON.parse(process.argv[2] ?? '{}') as KubewrightOptions
const { server, serve } = await loadConfiguration(optionsFromFlags(parseArguments(flags)))
const processes = plane && (await processNodesOf(plane))
const api = createApiServer({ ...server, ...processes?.server })
await api.listen({ ...serve, port })
const kubelets = processes?.parts(() => ({ host: '127.0.0.1', port }))
const workers = plane && (await planeOf(plane, kubelets))
const running = await workers?.start({ transport: api.fetch, cache: { freeze: false } })
process.once('SIGTERM', () => {
  void close().then(() => process.exit(0))
})

async function close(): Promise<void> {
  await running?.stop()
  await processes?.close()
  await api.close()
}
