import {
  createApiServer,
  loadConfiguration,
  optionsFromFlags,
  parseArguments,
} from '@kubewright/cluster/apiserver'
import { nodesOf, planeOf } from './kubewright-plane.ts'
import type { KubewrightOptions } from './target.ts'

// Kubewright's control plane in a process of its own, until SIGTERM: `node kubewright-server.ts OPTIONS_AS_JSON`.
const { port, flags, plane } = JSON.parse(process.argv[2] ?? '{}') as KubewrightOptions
const { server, serve } = await loadConfiguration(optionsFromFlags(parseArguments(flags)))
const nodes = plane && (await nodesOf(plane))
const api = createApiServer({ ...server, ...nodes?.server })
await api.listen({ ...serve, port })
const { signToken } = api
const workers = plane && (await planeOf(plane, nodes?.parts(port) ?? [], { signToken }))
const running = await workers?.start({ transport: api.fetch, cache: { freeze: false } })
process.once('SIGTERM', () => {
  void close().then(() => process.exit(0))
})

async function close(): Promise<void> {
  await running?.stop()
  await nodes?.close()
  await api.close()
}
