import { controller, type ControllerDefinition, manager, type Manager } from 'kubewright'
import { Deployment } from 'kubewright/kinds/apps/v1'
import { Pod, Service } from 'kubewright/kinds/core/v1'
import { healthOf } from './health.ts'
import { AppOTP } from './kind.ts'
import { deploymentOf, OWNER_LABEL, serviceOf } from './workload.ts'

export { AppOTP } from './kind.ts'

/** The key of the AppOTP that a pod belongs to, by its label. */
const ownerOfPod = ({ metadata: { namespace = '', labels } }: Pod): readonly string[] => {
  const name = labels?.[OWNER_LABEL]
  return name ? [`${namespace}/${name}`] : []
}

/** Keeps a Deployment and a Service for every AppOTP, and its status true. */
export const appOtp: ControllerDefinition = controller(AppOTP)
  .owns(Deployment)
  .owns(Service)
  .watches(Pod, ownerOfPod)
  .reconcile(async (app, { apply, client, event, lister, owned, status }) => {
    const { name = '', namespace = '', generation = 0 } = app.metadata
    const before = owned(Deployment).find((it) => it.metadata.name === name)
    const deployment = await apply(Deployment, deploymentOf(app))
    if (!before) event('Normal', 'Created', `Created Deployment ${name}`)
    const service = serviceOf(app)
    if (service) await apply(Service, service)
    else
      for (const { metadata } of owned(Service))
        await client.delete(Service, { namespace, name: metadata.name ?? '' })
    const pods = lister(Pod).list({ namespace, labelSelector: `${OWNER_LABEL}=${name}` })
    await status({ ...healthOf(app.spec.size, deployment, pods), observedGeneration: generation })
  })

/** The operator. */
export const app: Manager = manager({ name: 'app-otp' }).add(appOtp)
