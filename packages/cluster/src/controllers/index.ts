// All of them
export { type StockOptions, stockControllers } from './stock.ts'
// One by one
export { serviceAccountController, rootCertificateController } from './account/controllers.ts'
export { replicaSetController, replicationControllerController } from './replicaset/controller.ts'
export { deploymentController } from './deployment/controller.ts'
export { scheduler } from './scheduler/controller.ts'
export {
  endpointsController,
  endpointSliceController,
  endpointSliceMirroringController,
} from './service/controllers.ts'
export { serviceCidrController } from './service/cidr.ts'
export {
  nodeLifecycleController,
  podGarbageController,
  taintEvictionController,
} from './node/controllers.ts'
export { namespaceController } from './namespace/controller.ts'
export { jobController, jobTtlController } from './job/controller.ts'
export { statefulSetController } from './statefulset/controller.ts'
export { daemonSetController } from './daemonset/controller.ts'
export { garbageCollector } from './garbage/controller.ts'
export { cronJobController } from './cronjob/controller.ts'
export { disruptionController } from './disruption/controller.ts'
export { resourceQuotaController } from './quota/controller.ts'
export {
  claimProtectionController,
  volumeProtectionController,
  volumeClassProtectionController,
} from './volume/protection.ts'
export { volumeBinder, volumePhaseController } from './volume/binder.ts'
export { clusterRoleAggregationController } from './rbac/aggregation.ts'
