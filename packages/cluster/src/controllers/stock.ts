import type { ControllerDefinition } from 'kubewright/controller'
import type { Runnable } from 'kubewright/manager'
import { rootCertificateController, serviceAccountController } from './account/controllers.ts'
import { legacyTokenCleaner } from './account/token-cleaner.ts'
import {
  requestApprovingController,
  requestCleaner,
  requestSigningController,
} from './certificates/controllers.ts'
import type { SigningAuthority } from './certificates/x509.ts'
import { cronJobController } from './cronjob/controller.ts'
import { daemonSetController } from './daemonset/controller.ts'
import { deploymentController } from './deployment/controller.ts'
import { disruptionController } from './disruption/controller.ts'
import { garbageCollector } from './garbage/controller.ts'
import { horizontalPodAutoscalerController } from './horizontal/controller.ts'
import { jobController, jobTtlController } from './job/controller.ts'
import { jobOrphanController } from './job/orphans.ts'
import { namespaceController } from './namespace/controller.ts'
import {
  nodeLifecycleController,
  podGarbageController,
  taintEvictionController,
} from './node/controllers.ts'
import type { NodeGrace } from './node/taints.ts'
import { nodeTtlController } from './node/ttl.ts'
import { policyStatusController } from './policy-status/controller.ts'
import { clusterRoleAggregationController } from './rbac/aggregation.ts'
import { replicaSetController, replicationControllerController } from './replicaset/controller.ts'
import { scheduler } from './scheduler/scheduler.ts'
import { resourceQuotaController } from './quota/controller.ts'
import { serviceCidrController } from './service/cidr.ts'
import {
  endpointsController,
  endpointSliceController,
  endpointSliceMirroringController,
} from './service/controllers.ts'
import { statefulSetController } from './statefulset/controller.ts'
import { volumeBinder } from './volume/binder.ts'
import { volumePhaseController } from './volume/phase.ts'
import { type ProvisionerOptions, volumeProvisioner } from './volume/provisioner.ts'
import {
  claimProtectionController,
  volumeClassProtectionController,
  volumeProtectionController,
} from './volume/protection.ts'

/** What the stock controllers need to know. */
export interface StockOptions extends ProvisionerOptions {
  /** The certificate authority of the API server, PEM; asked each time it is published. Default: none. */
  readonly rootCertificate?: () => string
  /** Who signs the certificates that are asked for in CertificateSigningRequests. Default: nobody. */
  readonly signingAuthority?: () => SigningAuthority | undefined
  /** How long nodes may be silent, in parts. Default: as kube-controller-manager has it. */
  readonly nodeGrace?: Partial<NodeGrace>
}

/**
 * The controllers of a control plane, and its scheduler. Each call makes new ones: they keep what they assume to themselves.
 *
 * Of those that kube-controller-manager v1.36 starts by default, these are not here: cloud-node-lifecycle, node-ipam, node-route and service-lb,
 * which need a cloud or hand out networks; serviceaccount-token, ephemeral-volume, persistentvolume-attach-detach, persistentvolume-expander,
 * resourceclaim, device-taint-eviction, kube-apiserver-serving-clustertrustbundle-publisher, podcertificaterequest-cleaner,
 * podgroup-protection, resourcepoolstatusrequest, storage-version-migrator and storageversion-garbage-collector.
 */
export function stockControllers(
  options: StockOptions = {},
): readonly (ControllerDefinition | Runnable)[] {
  return [
    serviceAccountController(),
    rootCertificateController(options.rootCertificate ?? (() => '')),
    legacyTokenCleaner(),
    requestApprovingController(),
    requestSigningController(options.signingAuthority ?? (() => undefined)),
    requestCleaner(),
    replicaSetController(),
    replicationControllerController(),
    deploymentController(),
    scheduler(),
    nodeLifecycleController(options.nodeGrace),
    nodeTtlController(),
    podGarbageController(),
    taintEvictionController(),
    endpointSliceController(),
    endpointsController(),
    endpointSliceMirroringController(),
    serviceCidrController(),
    namespaceController(),
    jobController(),
    jobOrphanController(),
    jobTtlController(),
    statefulSetController(),
    daemonSetController(),
    cronJobController(),
    disruptionController(),
    horizontalPodAutoscalerController(),
    resourceQuotaController(),
    clusterRoleAggregationController(),
    policyStatusController(),
    volumeBinder(),
    volumePhaseController(),
    ...volumeProvisioner(options),
    claimProtectionController(),
    volumeProtectionController(),
    volumeClassProtectionController(),
    ...garbageCollector(),
  ]
}
