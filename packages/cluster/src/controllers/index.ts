/**
 * The stock controllers of a control plane and its scheduler, as ordinary operators on this runtime. Each folder is one controller:
 * pure decisions over plain objects (plan, status, decide …, tested without a server), and a shell named controller.ts that lists from
 * the cache, decides, and writes through the client. They reach the server in no other way, so they run against any API server.
 */
// All of them
export { type StockOptions, isSelected, stockControllers, STOCK_CONTROLLERS } from './stock.ts'
// One by one
export {
  type SignToken,
  type TokenSecretOptions,
  tokenSecretController,
} from './account/token-secrets.ts'
export { attachDetachController, volumeAttacher } from './volume/attach.ts'
export { ephemeralVolumeController } from './volume/ephemeral.ts'
export { volumeExpander, volumeResizer } from './volume/expand.ts'
export { resourceClaimController } from './resource-claim/controller.ts'
export { serviceAccountController, rootCertificateController } from './account/controllers.ts'
export { type TokenCleanerOptions, legacyTokenCleaner } from './account/token-cleaner.ts'
export {
  requestApprovingController,
  requestSigningController,
  requestCleaner,
} from './certificates/controllers.ts'
export { type SigningAuthority } from './certificates/x509.ts'
export { replicaSetController, replicationControllerController } from './replicaset/controller.ts'
export { deploymentController } from './deployment/controller.ts'
export { type SchedulerOptions, scheduler } from './scheduler/scheduler.ts'
export {
  endpointsController,
  endpointSliceController,
  endpointSliceMirroringController,
} from './service/controllers.ts'
export {
  type HorizontalOptions,
  horizontalPodAutoscalerController,
} from './horizontal/controller.ts'
export { serviceCidrController } from './service/cidr.ts'
export {
  nodeLifecycleController,
  podGarbageController,
  taintEvictionController,
} from './node/controllers.ts'
export { nodeTtlController } from './node/ttl.ts'
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
export { volumeBinder } from './volume/binder.ts'
export { volumePhaseController } from './volume/phase.ts'
export { type ProvisionerOptions, volumeProvisioner } from './volume/provisioner.ts'
export { clusterRoleAggregationController } from './rbac/aggregation.ts'
