import { condition, controller, type ControllerDefinition, manager, type Manager } from 'kubewright'
import { Deployment } from 'kubewright/kinds/apps/v1'
import { ConfigMap, Service } from 'kubewright/kinds/core/v1'
import { MyApp } from './kind.ts'
import { configMapOf, deploymentOf, selectorTextOf, serviceOf } from './workload.ts'

export { MyApp } from './kind.ts'

/** Keeps a ConfigMap, a Deployment and a Service for every MyApp, and its status true. */
export const myApp: ControllerDefinition = controller(MyApp)
  .owns(ConfigMap)
  .owns(Deployment)
  .owns(Service)
  .reconcile(async (app, { apply, status }) => {
    const { name = '', generation = 0 } = app.metadata
    await apply(ConfigMap, configMapOf(app))
    const deployment = await apply(Deployment, deploymentOf(app))
    await apply(Service, serviceOf(app))
    const ready = deployment.status?.readyReplicas ?? 0
    const all = ready >= app.spec.replicas
    await status({
      readyReplicas: ready,
      replicas: deployment.status?.replicas ?? 0,
      selector: selectorTextOf(name),
      observedGeneration: generation,
      conditions: [
        condition(
          'Ready',
          all,
          all ? 'AllPodsReady' : 'PodsNotReady',
          `${ready} of ${app.spec.replicas} pods are ready`,
        ),
      ],
    })
  })

/** The operator. */
export const app: Manager = manager({ name: 'my-app' }).add(myApp)
