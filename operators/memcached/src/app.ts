import { condition, controller, type ControllerDefinition } from 'kubewright'
import { Deployment } from 'kubewright/kinds/apps/v1'
import { Pod } from 'kubewright/kinds/core/v1'
import { Memcached } from './kind.ts'
import { deploymentOf, selectorOf } from './workload.ts'

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
    const { size } = object.spec
    const deployment = await apply(Deployment, deploymentOf(object))
    const labelSelector = Object.entries(selectorOf(name))
      .map(([key, value]) => `${key}=${value}`)
      .join(',')
    const pods = lister(Pod)
      .list({ namespace, labelSelector })
      .filter((it) => !it.metadata.deletionTimestamp)
    const ready = deployment.status?.readyReplicas ?? 0
    const failing = deployment.status?.conditions?.find(
      (it) => it.type === 'ReplicaFailure' && it.status === 'True',
    )
    const count = `${ready} of ${size} servers are ready`
    await status({
      nodes: pods.map((it) => it.metadata.name ?? '').sort(),
      observedGeneration: generation,
      conditions: [
        condition('Available', ready >= size, ready >= size ? 'Reconciled' : 'Reconciling', count),
        condition(
          'Degraded',
          failing !== undefined,
          failing?.reason ?? 'AsExpected',
          failing?.message ?? '',
        ),
      ],
    })
  })
