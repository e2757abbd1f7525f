import type { ControllerDefinition } from 'kubewright/controller'
import type { Runnable } from 'kubewright/manager'
import { rootCertificateController, serviceAccountController } from './account/controllers.ts'
import { type SignToken, tokenSecretController } from './account/token-secrets.ts'
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
import { resourceClaimController } from './resource-claim/controller.ts'
import { selectControllers } from './selection.ts'
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
import { attachDetachController, volumeAttacher } from './volume/attach.ts'
import { ephemeralVolumeController } from './volume/ephemeral.ts'
import { volumeExpander, volumeResizer } from './volume/expand.ts'
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
  /** Signs the tokens that lie in secrets. Default: such secrets stay as they are. */
  readonly signToken?: SignToken
  /** How long nodes may be silent, in parts. Default: as kube-controller-manager has it. */
  readonly nodeGrace?: Partial<NodeGrace>
  /**
   * Which of them to run, as `kube-controller-manager --controllers` has it: `*` stands for all, `foo` for one, `-foo` for all but one,
   * by the names that it knows (with or without `-controller`), and `kube-scheduler`. Default `['*']`.
   */
  readonly controllers?: readonly string[]
}

type Part = ControllerDefinition | Runnable

/** Kubernetes' own controllers tell their Events as core/v1, with counts; only its scheduler does not. */
const withCoreEvents = (it: Part): Part =>
  'reconcile' in it ? { ...it, options: { ...it.options, events: 'v1' } } : it

/** A stock controller, by the name that kube-controller-manager has for it, and the old ones that it still takes. */
interface Stock {
  readonly name: string
  readonly aliases?: readonly string[]
  readonly parts: (options: StockOptions) => readonly Part[]
}

const NONE = (): string => ''

const STOCK: readonly Stock[] = [
  { name: 'serviceaccount-controller', parts: () => [serviceAccountController()] },
  {
    name: 'serviceaccount-token-controller',
    parts: ({ signToken: sign, rootCertificate = NONE }) =>
      sign ? [tokenSecretController({ sign, rootCertificate })] : [],
  },
  {
    name: 'root-ca-certificate-publisher-controller',
    aliases: ['root-ca-cert-publisher'],
    parts: ({ rootCertificate = NONE }) => [rootCertificateController(rootCertificate)],
  },
  {
    name: 'legacy-serviceaccount-token-cleaner-controller',
    aliases: ['legacy-service-account-token-cleaner'],
    parts: () => [legacyTokenCleaner()],
  },
  {
    name: 'certificatesigningrequest-approving-controller',
    aliases: ['csrapproving'],
    parts: () => [requestApprovingController()],
  },
  {
    name: 'certificatesigningrequest-signing-controller',
    aliases: ['csrsigning'],
    parts: ({ signingAuthority }) => [
      requestSigningController(signingAuthority ?? (() => undefined)),
    ],
  },
  {
    name: 'certificatesigningrequest-cleaner-controller',
    aliases: ['csrcleaner'],
    parts: () => [requestCleaner()],
  },
  { name: 'replicaset-controller', parts: () => [replicaSetController()] },
  { name: 'replicationcontroller-controller', parts: () => [replicationControllerController()] },
  { name: 'deployment-controller', parts: () => [deploymentController()] },
  { name: 'kube-scheduler', aliases: ['scheduler'], parts: () => [scheduler()] },
  {
    name: 'node-lifecycle-controller',
    aliases: ['nodelifecycle'],
    parts: ({ nodeGrace }) => [nodeLifecycleController(nodeGrace)],
  },
  { name: 'ttl-controller', parts: () => [nodeTtlController()] },
  {
    name: 'pod-garbage-collector-controller',
    aliases: ['podgc'],
    parts: () => [podGarbageController()],
  },
  { name: 'taint-eviction-controller', parts: () => [taintEvictionController()] },
  { name: 'endpointslice-controller', parts: () => [endpointSliceController()] },
  { name: 'endpoints-controller', aliases: ['endpoint'], parts: () => [endpointsController()] },
  {
    name: 'endpointslice-mirroring-controller',
    aliases: ['endpointslicemirroring'],
    parts: () => [endpointSliceMirroringController()],
  },
  { name: 'service-cidr-controller', parts: () => [serviceCidrController()] },
  { name: 'namespace-controller', parts: () => [namespaceController()] },
  { name: 'job-controller', parts: () => [jobController(), jobOrphanController()] },
  { name: 'ttl-after-finished-controller', parts: () => [jobTtlController()] },
  { name: 'statefulset-controller', parts: () => [statefulSetController()] },
  { name: 'daemonset-controller', parts: () => [daemonSetController()] },
  { name: 'cronjob-controller', parts: () => [cronJobController()] },
  { name: 'disruption-controller', parts: () => [disruptionController()] },
  {
    name: 'horizontal-pod-autoscaler-controller',
    aliases: ['horizontalpodautoscaling'],
    parts: () => [horizontalPodAutoscalerController()],
  },
  { name: 'resourcequota-controller', parts: () => [resourceQuotaController()] },
  { name: 'clusterrole-aggregation-controller', parts: () => [clusterRoleAggregationController()] },
  { name: 'validatingadmissionpolicy-status-controller', parts: () => [policyStatusController()] },
  {
    name: 'persistentvolume-binder-controller',
    parts: (options) => [volumeBinder(), volumePhaseController(), ...volumeProvisioner(options)],
  },
  {
    name: 'persistentvolume-attach-detach-controller',
    aliases: ['attachdetach'],
    parts: () => [attachDetachController(), volumeAttacher()],
  },
  {
    name: 'persistentvolume-expander-controller',
    parts: () => [volumeExpander(), volumeResizer()],
  },
  {
    name: 'persistentvolumeclaim-protection-controller',
    aliases: ['pvc-protection'],
    parts: () => [claimProtectionController()],
  },
  {
    name: 'persistentvolume-protection-controller',
    aliases: ['pv-protection'],
    parts: () => [volumeProtectionController()],
  },
  {
    name: 'volumeattributesclass-protection-controller',
    parts: () => [volumeClassProtectionController()],
  },
  { name: 'ephemeral-volume-controller', parts: () => [ephemeralVolumeController()] },
  {
    name: 'resourceclaim-controller',
    aliases: ['resource-claim-controller'],
    parts: () => resourceClaimController(),
  },
  {
    name: 'garbage-collector-controller',
    aliases: ['garbagecollector'],
    parts: () => garbageCollector(),
  },
]

/** The names by which {@link StockOptions.controllers} knows the stock controllers. */
export const STOCK_CONTROLLERS: readonly string[] = Object.freeze(STOCK.map((it) => it.name))

/** Whether a list of names has a stock controller run; see {@link StockOptions.controllers}. Throws for a name that there is not. */
export const isSelected = (name: string, wanted: readonly string[]): boolean =>
  selectControllers(STOCK, wanted).some((it) => it.name === name)

/**
 * The controllers of a control plane, and its scheduler. Each call makes new ones: they keep what they assume to themselves. Throws for
 * a name that there is not.
 *
 * Of those that kube-controller-manager v1.36 starts by default, device-taint-eviction is not here, nor are cloud-node-lifecycle,
 * node-ipam, node-route and service-lb, which need a cloud or hand out networks. The others that it has wait for features that are off
 * by default: kube-apiserver-serving-clustertrustbundle-publisher, podcertificaterequest-cleaner, podgroup-protection,
 * resourcepoolstatusrequest, storage-version-migrator and storageversion-garbage-collector.
 */
export function stockControllers(options: StockOptions = {}): readonly Part[] {
  return selectControllers(STOCK, options.controllers ?? ['*'])
    .flatMap((it) => it.parts(options))
    .map(withCoreEvents)
}
