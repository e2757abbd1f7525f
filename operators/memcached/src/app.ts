import { controller, type ControllerDefinition, manager, type Manager } from 'kubewright'
import { Deployment } from 'kubewright/kinds/apps/v1'
import { Pod } from 'kubewright/kinds/core/v1'
import { conditionsOf } from './health.ts'
import { Memcached } from './kind.ts'
import { deploymentOf, selectorTextOf } from './workload.ts'

export { Memcached } from './kind.ts'

const ownerOfPod = ({ metadata: { namespace = '', labels } }: Pod): readonly string[] =>
  labels?.['app.kubernetes.io/name'] === 'memcached'
    ? [`${namespace}/${labels['app.kubernetes.io/instance']}`]
    : []

/** Keeps a Deployment for every Memcached; its status names the pods that run. */
export const memcached: ControllerDefinition = controller(Memcached)
  .owns(Deployment)
  .watches(Pod, ownerOfPod)
  .finalize('cache.example.com/finalizer', (object, { event, log }) => {
    log.info('the Memcached is going, and its servers with it', { size: object.spec.size })
    event(
      'Warning',
      'Deleting',
      `Custom resource ${object.metadata.name} is being deleted from the namespace ${object.metadata.namespace}`,
    )
  })
  .reconcile(async (object, { apply, lister, status }) => {
    const { name = '', namespace = '', generation = 0 } = object.metadata
    const deployment = await apply(Deployment, deploymentOf(object))
    const pods = lister(Pod)
      .list({ namespace, labelSelector: selectorTextOf(name) })
      .filter((it) => !it.metadata.deletionTimestamp)
    await status({
      nodes: pods.map((it) => it.metadata.name ?? '').sort(),
      observedGeneration: generation,
      conditions: conditionsOf(object.spec.size, deployment, pods),
    })
  })

/** The operator. */
export const app: Manager = manager({ name: 'memcached' }).add(memcached)
