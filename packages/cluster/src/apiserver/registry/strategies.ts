import type { FieldError } from 'kubewright/machinery'
import type { ResourceInfo } from '../resources/resource.ts'
import * as apps from './apps/workloads.ts'
import { AUTOSCALER_V1, AUTOSCALER_V2 } from './autoscaling/horizontal-pod-autoscaler.ts'
import { CRON_JOB, JOB } from './batch/jobs.ts'
import * as registration from './cluster/admission-registration.ts'
import { CERTIFICATE_SIGNING_REQUEST } from './cluster/certificates.ts'
import * as cluster from './cluster/cluster-kinds.ts'
import { LEASE_CANDIDATE } from './cluster/lease-candidate.ts'
import { POD_GROUP, WORKLOAD } from './cluster/pod-groups.ts'
import { POD_CERTIFICATE_REQUEST } from './cluster/pod-certificate.ts'
import { STORAGE_VERSION_MIGRATION } from './cluster/storage-migration.ts'
import { STORAGE_VERSION } from './cluster/storage-versions.ts'
import { CLUSTER_TRUST_BUNDLE } from './cluster/trust-bundle.ts'
import { CONFIG_MAP } from './core/config-map.ts'
import { CORE_EVENT, NEW_EVENT } from './core/events.ts'
import { NAMESPACE } from './core/namespace.ts'
import { NODE } from './core/node.ts'
import { POD } from './core/pod.ts'
import { LIMIT_RANGE, RESOURCE_QUOTA } from './core/quotas.ts'
import { SECRET } from './core/secret.ts'
import { SERVICE_ACCOUNT } from './core/service-account.ts'
import { SERVICE } from './core/service.ts'
import { PERSISTENT_VOLUME, PERSISTENT_VOLUME_CLAIM } from './core/volumes.ts'
import { throughHub } from './generic/through-hub.ts'
import { knowsPlainFinalizers, plainFinalizerErrors } from './generic/repeated-metadata.ts'
import * as networking from './networking/networking.ts'
import { POD_DISRUPTION_BUDGET } from './policy/pod-disruption-budget.ts'
import * as rbac from './rbac/rbac.ts'
import * as devices from './resource/devices.ts'
import { RESOURCE_POOL_STATUS_REQUEST } from './resource/pool-status.ts'
import { betaDefaults } from './resource/v1beta1.ts'
import { DEVICE_TAINT_RULE } from './resource/taint-rules.ts'
import * as storage from './storage/storage-kinds.ts'
import type { Strategy } from './strategy.ts'

/** Devices of v1beta1 are judged as those of v1. */
function throughV1(strategy: Strategy): Strategy {
  const made = throughHub(strategy, 'resource.k8s.io/v1beta1', 'resource.k8s.io/v1')
  return { ...made, applyDefaults: betaDefaults(made.applyDefaults!) }
}

/** What is special about each built-in kind, by `group/plural`, and by `group/version/plural` where versions differ. */
const STRATEGIES: Readonly<Record<string, Strategy>> = Object.freeze({
  '/configmaps': CONFIG_MAP,
  '/endpoints': networking.ENDPOINTS,
  '/events': CORE_EVENT,
  '/limitranges': LIMIT_RANGE,
  '/namespaces': NAMESPACE,
  '/nodes': NODE,
  '/persistentvolumeclaims': PERSISTENT_VOLUME_CLAIM,
  '/persistentvolumes': PERSISTENT_VOLUME,
  '/pods': POD,
  '/podtemplates': apps.POD_TEMPLATE,
  '/replicationcontrollers': apps.REPLICATION_CONTROLLER,
  '/resourcequotas': RESOURCE_QUOTA,
  '/secrets': SECRET,
  '/serviceaccounts': SERVICE_ACCOUNT,
  '/services': SERVICE,
  'apiregistration.k8s.io/apiservices': cluster.API_SERVICE,
  'apps/controllerrevisions': apps.CONTROLLER_REVISION,
  'apps/daemonsets': apps.DAEMON_SET,
  'apps/deployments': apps.DEPLOYMENT,
  'apps/replicasets': apps.REPLICA_SET,
  'apps/statefulsets': apps.STATEFUL_SET,
  'events.k8s.io/events': NEW_EVENT,
  'autoscaling/v1/horizontalpodautoscalers': AUTOSCALER_V1,
  'autoscaling/v2/horizontalpodautoscalers': AUTOSCALER_V2,
  'batch/cronjobs': CRON_JOB,
  'batch/jobs': JOB,
  'certificates.k8s.io/certificatesigningrequests': CERTIFICATE_SIGNING_REQUEST,
  'certificates.k8s.io/clustertrustbundles': CLUSTER_TRUST_BUNDLE,
  'certificates.k8s.io/podcertificaterequests': POD_CERTIFICATE_REQUEST,
  'networking.k8s.io/ingressclasses': networking.INGRESS_CLASS,
  'networking.k8s.io/ingresses': networking.INGRESS,
  'networking.k8s.io/ipaddresses': networking.IP_ADDRESS,
  'networking.k8s.io/networkpolicies': networking.NETWORK_POLICY,
  'networking.k8s.io/servicecidrs': networking.SERVICE_CIDR,
  'policy/poddisruptionbudgets': POD_DISRUPTION_BUDGET,
  'rbac.authorization.k8s.io/clusterrolebindings': rbac.CLUSTER_ROLE_BINDING,
  'rbac.authorization.k8s.io/clusterroles': rbac.CLUSTER_ROLE,
  'rbac.authorization.k8s.io/rolebindings': rbac.ROLE_BINDING,
  'rbac.authorization.k8s.io/roles': rbac.ROLE,
  'storage.k8s.io/csidrivers': storage.CSI_DRIVER,
  'storage.k8s.io/csinodes': storage.CSI_NODE,
  'storage.k8s.io/csistoragecapacities': storage.CSI_STORAGE_CAPACITY,
  'storage.k8s.io/storageclasses': storage.STORAGE_CLASS,
  'storage.k8s.io/volumeattachments': storage.VOLUME_ATTACHMENT,
  'storage.k8s.io/volumeattributesclasses': storage.VOLUME_ATTRIBUTES_CLASS,
  'admissionregistration.k8s.io/mutatingadmissionpolicies': registration.MUTATING_POLICY,
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings': registration.MUTATING_BINDING,
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': registration.MUTATING_WEBHOOKS,
  'admissionregistration.k8s.io/validatingadmissionpolicies': registration.VALIDATING_POLICY,
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': registration.VALIDATING_BINDING,
  'admissionregistration.k8s.io/validatingwebhookconfigurations': registration.VALIDATING_WEBHOOKS,
  'scheduling.k8s.io/priorityclasses': cluster.PRIORITY_CLASS,
  'scheduling.k8s.io/podgroups': POD_GROUP,
  'scheduling.k8s.io/workloads': WORKLOAD,
  'coordination.k8s.io/leases': cluster.LEASE,
  'coordination.k8s.io/leasecandidates': LEASE_CANDIDATE,
  'node.k8s.io/runtimeclasses': cluster.RUNTIME_CLASS,
  'discovery.k8s.io/endpointslices': networking.ENDPOINT_SLICE,
  'resource.k8s.io/deviceclasses': devices.DEVICE_CLASS,
  'resource.k8s.io/resourceclaims': devices.RESOURCE_CLAIM,
  'resource.k8s.io/resourceclaimtemplates': devices.RESOURCE_CLAIM_TEMPLATE,
  'resource.k8s.io/resourceslices': devices.RESOURCE_SLICE,
  'resource.k8s.io/v1beta1/resourceclaims': throughV1(devices.RESOURCE_CLAIM),
  'resource.k8s.io/v1beta1/resourceclaimtemplates': throughV1(devices.RESOURCE_CLAIM_TEMPLATE),
  'resource.k8s.io/v1beta1/resourceslices': throughV1(devices.RESOURCE_SLICE),
  'resource.k8s.io/devicetaintrules': DEVICE_TAINT_RULE,
  'resource.k8s.io/resourcepoolstatusrequests': RESOURCE_POOL_STATUS_REQUEST,
  'internal.apiserver.k8s.io/storageversions': STORAGE_VERSION,
  'storagemigration.k8s.io/storageversionmigrations': STORAGE_VERSION_MIGRATION,
  'admissionregistration.k8s.io/v1alpha1/mutatingadmissionpolicybindings':
    registration.MUTATING_BINDING_V1ALPHA1,
  'flowcontrol.apiserver.k8s.io/flowschemas': cluster.FLOW_SCHEMA,
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': cluster.PRIORITY_LEVEL,
})

/** A kind's strategy with the rule for finalizers in front of its own rules; of updates it is asked with the rest of metadata. */
function withFinalizerRule(strategy: Strategy): Strategy {
  const { validate } = strategy
  return Object.freeze({
    ...strategy,
    validate: (object, context) =>
      joinErrors(plainFinalizerErrors(object.metadata), validate?.(object, context)),
  } satisfies Strategy)
}

type Found = readonly FieldError[]

function joinErrors(
  first: Found,
  rest: Found | Promise<Found> | undefined,
): Found | Promise<Found> {
  if (rest === undefined || first.length === 0) return rest ?? first
  return rest instanceof Promise ? rest.then((it) => [...first, ...it]) : [...first, ...rest]
}

const PREPARED: Readonly<Record<string, Strategy>> = Object.freeze(
  Object.fromEntries(
    Object.entries(STRATEGIES).map(([key, it]) => [
      key,
      knowsPlainFinalizers(key) ? withFinalizerRule(it) : it,
    ]),
  ),
)

/**
 * The strategy of a built-in kind. A kind that has none of its own here counts generations by its spec and keeps its status apart
 * if it has a status subresource, and is plain data otherwise. Custom kinds have their own strategy (see apiserver/custom).
 */
export function strategyOf(info: ResourceInfo): Strategy {
  return (
    PREPARED[`${info.group}/${info.version}/${info.plural}`] ??
    PREPARED[`${info.group}/${info.plural}`] ??
    (info.subresources.some((it) => it.name === 'status') ? cluster.SPEC_AND_STATUS : cluster.PLAIN)
  )
}
