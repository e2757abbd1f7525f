// The bench's operator on kubewright: Widget to ConfigMap and status. `operator.mjs sync` only fills the cache.
import { kind, manager, s } from 'kubewright'
import { ConfigMap } from 'kubewright/kinds/core/v1'

const Widget = kind('bench.kubewright.dev/v1', 'Widget', {
  spec: { replicas: s.integer(), text: s.map(s.string()) },
  status: { replicas: s.integer() },
})

const app = manager({ name: 'bench' })
const widgets = app.controller(Widget)
if (process.argv[2] === 'sync') {
  widgets.where(() => false).reconcile(async () => {})
} else {
  widgets.owns(ConfigMap).reconcile(async (widget, { apply, status }) => {
    const { replicas } = widget.spec
    await apply(ConfigMap, {
      metadata: { name: widget.metadata.name },
      data: { replicas: String(replicas) },
    })
    await status({ replicas })
  })
}

const running = await app.start()
console.log('synced', running.cache.lister(Widget).size)
process.once('SIGTERM', () => void running.stop().then(() => process.exit()))
