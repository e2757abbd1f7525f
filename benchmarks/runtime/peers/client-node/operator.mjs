// The bench's informer on @kubernetes/client-node.
import { CustomObjectsApi, KubeConfig, makeInformer } from '@kubernetes/client-node'

const config = new KubeConfig()
config.loadFromDefault()
const api = config.makeApiClient(CustomObjectsApi)
const list = () =>
  api.listCustomObjectForAllNamespaces({
    group: 'bench.kubewright.dev',
    version: 'v1',
    plural: 'widgets',
    resourcePlural: 'widgets',
  })
const informer = makeInformer(config, '/apis/bench.kubewright.dev/v1/widgets', list)
informer.on('error', (error) => console.error(error))
await informer.start()
console.log('synced', informer.list().length)
process.once('SIGTERM', () => process.exit())
