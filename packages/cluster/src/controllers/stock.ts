import type { ControllerDefinition } from 'kubewright/controller'
import type { Runnable } from 'kubewright/manager'
import { rootCertificateController, serviceAccountController } from './account/controllers.ts'
import { cronJobController } from './cronjob/controller.ts'
import { daemonSetController } from './daemonset/controller.ts'
import { deploymentController } from './deployment/controller.ts'
import { disruptionController } from './disruption/controller.ts'
import { garbageCollector } from './garbage/controller.ts'
import { jobController, jobTtlController } from './job/controller.ts'
import { namespaceController } from './namespace/controller.ts'
import {
  nodeLifecycleController,
  podGarbageController,
  taintEvictionController,
} from './node/controllers.ts'
import { clusterRoleAggregationController } from './rbac/aggregation.ts'
import { replicaSetController, replicationControllerController } from './replicaset/controller.ts'
import { scheduler } from './scheduler/controller.ts'
import { resourceQuotaController } from './quota/controller.ts'
import { serviceCidrController } from './service/cidr.ts'
import {
  endpointsController,
  endpointSliceController,
  endpointSliceMirroringController,
} from './service/controllers.ts'
import { statefulSetController } from './statefulset/controller.ts'
import { volumeBinder, volumePhaseController } from './volume/binder.ts'
import {
  claimProtectionController,
  volumeClassProtectionController,
  volumeProtectionController,
} from './volume/protection.ts'

/** What the stock controllers need to know. */
export interface StockOptions {
  /** The certificate authority of the API server, PEM; asked each time it is published. Default: none. */
  readonly rootCertificate?: () => string
}

/** The controllers of a control plane, and its scheduler. Each call makes new ones: they keep what they assume to themselves. */
export function stockControllers(
  options: StockOptions = {},
): readonly (ControllerDefinition | Runnable)[] {
  return [
    serviceAccountController(),
    rootCertificateController(options.rootCertificate ?? (() => '')),
    replicaSetController(),
    replicationControllerController(),
    deploymentController(),
    scheduler(),
    nodeLifecycleController(),
    podGarbageController(),
    taintEvictionController(),
    endpointSliceController(),
    endpointsController(),
    endpointSliceMirroringController(),
    serviceCidrController(),
    namespaceController(),
    jobController(),
    jobTtlController(),
    statefulSetController(),
    daemonSetController(),
    cronJobController(),
    disruptionController(),
    resourceQuotaController(),
    clusterRoleAggregationController(),
    volumeBinder(),
    volumePhaseController(),
    claimProtectionController(),
    volumeProtectionController(),
    volumeClassProtectionController(),
    ...garbageCollector(),
  ]
}
