import { controller, type ControllerDefinition, type KeyContext } from 'kubewright/controller'
import { Job } from 'kubewright/kinds/batch/v1'
import { Pod } from 'kubewright/kinds/core/v1'
import { controllerOf, keyOf } from 'kubewright/machinery'
import { patchMetadata } from '../workload/writes.ts'
import { isFinished } from './assess.ts'
import { isTracked, MANAGER, TRACKING } from './pods.ts'

/** Lets go of pods that no job will count any more: of none, of one that is gone, or that has ended (job_controller.go syncOrphanPod). */
export function jobOrphanController(): ControllerDefinition {
  return controller(Pod, { name: 'job-orphan-pod-controller', pace: false, resync: 0 })
    .where(({ type, object }) => type !== 'delete' && isTracked(object))
    .watches(Job, (job, { lister }) =>
      lister(Job).get(keyOf(job)) && !isFinished(job)
        ? []
        : lister(Pod)
            .list({ namespace: job.metadata.namespace })
            .filter((it) => isTracked(it) && controllerOf(it)?.uid === job.metadata.uid),
    )
    .reconcile(async (pod, context) => {
      if (isTracked(pod) && isOrphan(pod, context)) await release(pod, context)
    })
}

function isOrphan(pod: Pod, { lister }: KeyContext): boolean {
  const owner = controllerOf(pod)
  if (!owner) return true
  if (owner.kind !== 'Job' || owner.apiVersion !== 'batch/v1') return false
  const job = lister(Job).get({ ...keyOf(pod), name: owner.name })
  if (job?.metadata.uid !== owner.uid) return true
  return isFinished(job) && (job.spec?.managedBy ?? MANAGER) === MANAGER
}

/** Takes the tracking finalizer of a pod. */
export async function release(pod: Pod, context: KeyContext): Promise<void> {
  const finalizers = pod.metadata.finalizers?.filter((it) => it !== TRACKING) ?? []
  await patchMetadata(context, Pod, pod, { finalizers })
}
