// The kinds of v1, extracted from kube-apiserver v1.36 by tools/extract-kinds.ts. Do not edit.
import { kindOf, type Kind } from '../../machinery/kind.ts'
import type { KubeObject, ObjectMeta } from '../../machinery/object.ts'
import type { Condition, LabelSelector } from '../meta/v1.ts'

/** v1 Binding. */
export interface Binding extends KubeObject {
  readonly target: ObjectReference
}

/** The kind of bindings. */
export const Binding: Kind<Binding> = kindOf('v1', 'Binding', 'bindings', 'Namespaced')

/** v1 ComponentStatus. */
export interface ComponentStatus extends KubeObject {
  readonly conditions?: readonly ComponentCondition[]
}

/** The kind of componentstatuses. */
export const ComponentStatus: Kind<ComponentStatus> = kindOf(
  'v1',
  'ComponentStatus',
  'componentstatuses',
  'Cluster',
)

/** v1 ConfigMap. */
export interface ConfigMap extends KubeObject {
  readonly immutable?: boolean
  readonly data?: Readonly<Record<string, string>>
  readonly binaryData?: Readonly<Record<string, string>>
}

/** The kind of configmaps. */
export const ConfigMap: Kind<ConfigMap> = kindOf('v1', 'ConfigMap', 'configmaps', 'Namespaced')

/** v1 Endpoints. */
export interface Endpoints extends KubeObject {
  readonly subsets?: readonly EndpointSubset[]
}

/** The kind of endpoints. */
export const Endpoints: Kind<Endpoints> = kindOf('v1', 'Endpoints', 'endpoints', 'Namespaced')

/** v1 Event. */
export interface Event extends KubeObject {
  readonly involvedObject: ObjectReference
  readonly reason?: string
  readonly message?: string
  readonly source?: EventSource
  readonly firstTimestamp?: string
  readonly lastTimestamp?: string
  readonly count?: number
  readonly type?: string
  readonly eventTime?: string
  readonly series?: EventSeries
  readonly action?: string
  readonly related?: ObjectReference
  readonly reportingComponent?: string
  readonly reportingInstance?: string
}

/** The kind of events. */
export const Event: Kind<Event> = kindOf('v1', 'Event', 'events', 'Namespaced')

/** v1 LimitRange. */
export interface LimitRange extends KubeObject {
  readonly spec: LimitRangeSpec
}

/** The kind of limitranges. */
export const LimitRange: Kind<LimitRange> = kindOf('v1', 'LimitRange', 'limitranges', 'Namespaced')

/** v1 Namespace. */
export interface Namespace extends KubeObject {
  readonly spec: NamespaceSpec
  readonly status?: NamespaceStatus
}

/** The kind of namespaces. */
export const Namespace: Kind<Namespace> = kindOf('v1', 'Namespace', 'namespaces', 'Cluster')

/** v1 Node. */
export interface Node extends KubeObject {
  readonly spec: NodeSpec
  readonly status?: NodeStatus
}

/** The kind of nodes. */
export const Node: Kind<Node> = kindOf('v1', 'Node', 'nodes', 'Cluster')

/** v1 PersistentVolumeClaim. */
export interface PersistentVolumeClaim extends KubeObject {
  readonly spec: PersistentVolumeClaimSpec
  readonly status?: PersistentVolumeClaimStatus
}

/** The kind of persistentvolumeclaims. */
export const PersistentVolumeClaim: Kind<PersistentVolumeClaim> = kindOf(
  'v1',
  'PersistentVolumeClaim',
  'persistentvolumeclaims',
  'Namespaced',
)

/** v1 PersistentVolume. */
export interface PersistentVolume extends KubeObject {
  readonly spec: PersistentVolumeSpec
  readonly status?: PersistentVolumeStatus
}

/** The kind of persistentvolumes. */
export const PersistentVolume: Kind<PersistentVolume> = kindOf(
  'v1',
  'PersistentVolume',
  'persistentvolumes',
  'Cluster',
)

/** v1 Pod. */
export interface Pod extends KubeObject {
  readonly spec: PodSpec
  readonly status?: PodStatus
}

/** The kind of pods. */
export const Pod: Kind<Pod> = kindOf('v1', 'Pod', 'pods', 'Namespaced')

/** v1 PodTemplate. */
export interface PodTemplate extends KubeObject {
  readonly template?: PodTemplateSpec
}

/** The kind of podtemplates. */
export const PodTemplate: Kind<PodTemplate> = kindOf(
  'v1',
  'PodTemplate',
  'podtemplates',
  'Namespaced',
)

/** v1 ReplicationController. */
export interface ReplicationController extends KubeObject {
  readonly spec: ReplicationControllerSpec
  readonly status?: ReplicationControllerStatus
}

/** The kind of replicationcontrollers. */
export const ReplicationController: Kind<ReplicationController> = kindOf(
  'v1',
  'ReplicationController',
  'replicationcontrollers',
  'Namespaced',
)

/** v1 ResourceQuota. */
export interface ResourceQuota extends KubeObject {
  readonly spec: ResourceQuotaSpec
  readonly status?: ResourceQuotaStatus
}

/** The kind of resourcequotas. */
export const ResourceQuota: Kind<ResourceQuota> = kindOf(
  'v1',
  'ResourceQuota',
  'resourcequotas',
  'Namespaced',
)

/** v1 Secret. */
export interface Secret extends KubeObject {
  readonly immutable?: boolean
  readonly data?: Readonly<Record<string, string>>
  readonly stringData?: Readonly<Record<string, string>>
  readonly type?: string
}

/** The kind of secrets. */
export const Secret: Kind<Secret> = kindOf('v1', 'Secret', 'secrets', 'Namespaced')

/** v1 ServiceAccount. */
export interface ServiceAccount extends KubeObject {
  readonly secrets?: readonly ObjectReference[]
  readonly imagePullSecrets?: readonly LocalObjectReference[]
  readonly automountServiceAccountToken?: boolean
}

/** The kind of serviceaccounts. */
export const ServiceAccount: Kind<ServiceAccount> = kindOf(
  'v1',
  'ServiceAccount',
  'serviceaccounts',
  'Namespaced',
)

/** v1 Service. */
export interface Service extends KubeObject {
  readonly spec: ServiceSpec
  readonly status?: ServiceStatus
}

/** The kind of services. */
export const Service: Kind<Service> = kindOf('v1', 'Service', 'services', 'Namespaced')

/** v1 AWSElasticBlockStoreVolumeSource. */
export interface AWSElasticBlockStoreVolumeSource {
  readonly volumeID: string
  readonly fsType?: string
  readonly partition?: number
  readonly readOnly?: boolean
}

/** v1 Affinity. */
export interface Affinity {
  readonly nodeAffinity?: NodeAffinity
  readonly podAffinity?: PodAffinity
  readonly podAntiAffinity?: PodAntiAffinity
}

/** v1 AppArmorProfile. */
export interface AppArmorProfile {
  readonly type: 'Localhost' | 'RuntimeDefault' | 'Unconfined'
  readonly localhostProfile?: string
}

/** v1 AttachedVolume. */
export interface AttachedVolume {
  readonly name: string
  readonly devicePath: string
}

/** v1 AzureDiskVolumeSource. */
export interface AzureDiskVolumeSource {
  readonly diskName: string
  readonly diskURI: string
  readonly cachingMode?: 'None' | 'ReadOnly' | 'ReadWrite'
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly kind?: 'Dedicated' | 'Managed' | 'Shared'
}

/** v1 AzureFilePersistentVolumeSource. */
export interface AzureFilePersistentVolumeSource {
  readonly secretName: string
  readonly shareName: string
  readonly readOnly?: boolean
  readonly secretNamespace?: string | null
}

/** v1 AzureFileVolumeSource. */
export interface AzureFileVolumeSource {
  readonly secretName: string
  readonly shareName: string
  readonly readOnly?: boolean
}

/** v1 CSIPersistentVolumeSource. */
export interface CSIPersistentVolumeSource {
  readonly driver: string
  readonly volumeHandle: string
  readonly readOnly?: boolean
  readonly fsType?: string
  readonly volumeAttributes?: Readonly<Record<string, string>>
  readonly controllerPublishSecretRef?: SecretReference
  readonly nodeStageSecretRef?: SecretReference
  readonly nodePublishSecretRef?: SecretReference
  readonly controllerExpandSecretRef?: SecretReference
  readonly nodeExpandSecretRef?: SecretReference
}

/** v1 CSIVolumeSource. */
export interface CSIVolumeSource {
  readonly driver: string
  readonly readOnly?: boolean
  readonly fsType?: string
  readonly volumeAttributes?: Readonly<Record<string, string>>
  readonly nodePublishSecretRef?: LocalObjectReference
}

/** v1 Capabilities. */
export interface Capabilities {
  readonly add?: readonly string[]
  readonly drop?: readonly string[]
}

/** v1 CephFSPersistentVolumeSource. */
export interface CephFSPersistentVolumeSource {
  readonly monitors: readonly string[]
  readonly path?: string
  readonly user?: string
  readonly secretFile?: string
  readonly secretRef?: SecretReference
  readonly readOnly?: boolean
}

/** v1 CephFSVolumeSource. */
export interface CephFSVolumeSource {
  readonly monitors: readonly string[]
  readonly path?: string
  readonly user?: string
  readonly secretFile?: string
  readonly secretRef?: LocalObjectReference
  readonly readOnly?: boolean
}

/** v1 CinderPersistentVolumeSource. */
export interface CinderPersistentVolumeSource {
  readonly volumeID: string
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly secretRef?: SecretReference
}

/** v1 CinderVolumeSource. */
export interface CinderVolumeSource {
  readonly volumeID: string
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly secretRef?: LocalObjectReference
}

/** v1 ClientIPConfig. */
export interface ClientIPConfig {
  readonly timeoutSeconds?: number
}

/** v1 ClusterTrustBundleProjection. */
export interface ClusterTrustBundleProjection {
  readonly name?: string
  readonly signerName?: string
  readonly labelSelector?: LabelSelector
  readonly optional?: boolean
  readonly path: string
}

/** v1 ComponentCondition. */
export interface ComponentCondition {
  readonly type: string
  readonly status: string
  readonly message?: string
  readonly error?: string
}

/** v1 ConfigMapEnvSource. */
export interface ConfigMapEnvSource {
  readonly name?: string
  readonly optional?: boolean
}

/** v1 ConfigMapKeySelector. */
export interface ConfigMapKeySelector {
  readonly name?: string
  readonly key: string
  readonly optional?: boolean
}

/** v1 ConfigMapNodeConfigSource. */
export interface ConfigMapNodeConfigSource {
  readonly namespace: string
  readonly name: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly kubeletConfigKey: string
}

/** v1 ConfigMapProjection. */
export interface ConfigMapProjection {
  readonly name?: string
  readonly items?: readonly KeyToPath[]
  readonly optional?: boolean
}

/** v1 ConfigMapVolumeSource. */
export interface ConfigMapVolumeSource {
  readonly name?: string
  readonly items?: readonly KeyToPath[]
  readonly defaultMode?: number
  readonly optional?: boolean
}

/** v1 Container. */
export interface Container {
  readonly name: string
  readonly image?: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly workingDir?: string
  readonly ports?: readonly ContainerPort[]
  readonly envFrom?: readonly EnvFromSource[]
  readonly env?: readonly EnvVar[]
  readonly resources?: ResourceRequirements
  readonly resizePolicy?: readonly ContainerResizePolicy[]
  readonly restartPolicy?: string
  readonly restartPolicyRules?: readonly ContainerRestartRule[]
  readonly volumeMounts?: readonly VolumeMount[]
  readonly volumeDevices?: readonly VolumeDevice[]
  readonly livenessProbe?: Probe
  readonly readinessProbe?: Probe
  readonly startupProbe?: Probe
  readonly lifecycle?: Lifecycle
  readonly terminationMessagePath?: string
  readonly terminationMessagePolicy?: 'FallbackToLogsOnError' | 'File'
  readonly imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never'
  readonly securityContext?: SecurityContext
  readonly stdin?: boolean
  readonly stdinOnce?: boolean
  readonly tty?: boolean
}

/** v1 ContainerExtendedResourceRequest. */
export interface ContainerExtendedResourceRequest {
  readonly containerName: string
  readonly resourceName: string
  readonly requestName: string
}

/** v1 ContainerImage. */
export interface ContainerImage {
  readonly names?: readonly string[] | null
  readonly sizeBytes?: number
}

/** v1 ContainerPort. */
export interface ContainerPort {
  readonly name?: string
  readonly hostPort?: number
  readonly containerPort: number
  readonly protocol?: 'SCTP' | 'TCP' | 'UDP'
  readonly hostIP?: string
}

/** v1 ContainerResizePolicy. */
export interface ContainerResizePolicy {
  readonly resourceName: string
  readonly restartPolicy: string
}

/** v1 ContainerRestartRule. */
export interface ContainerRestartRule {
  readonly action: string
  readonly exitCodes?: ContainerRestartRuleOnExitCodes
}

/** v1 ContainerRestartRuleOnExitCodes. */
export interface ContainerRestartRuleOnExitCodes {
  readonly operator: string
  readonly values?: readonly number[]
}

/** v1 ContainerState. */
export interface ContainerState {
  readonly waiting?: ContainerStateWaiting
  readonly running?: ContainerStateRunning
  readonly terminated?: ContainerStateTerminated
}

/** v1 ContainerStateRunning. */
export interface ContainerStateRunning {
  readonly startedAt?: string
}

/** v1 ContainerStateTerminated. */
export interface ContainerStateTerminated {
  readonly exitCode: number
  readonly signal?: number
  readonly reason?: string
  readonly message?: string
  readonly startedAt?: string
  readonly finishedAt?: string
  readonly containerID?: string
}

/** v1 ContainerStateWaiting. */
export interface ContainerStateWaiting {
  readonly reason?: string
  readonly message?: string
}

/** v1 ContainerStatus. */
export interface ContainerStatus {
  readonly name: string
  readonly state?: ContainerState
  readonly lastState?: ContainerState
  readonly ready: boolean
  readonly restartCount: number
  readonly image: string
  readonly imageID: string
  readonly containerID?: string
  readonly started?: boolean
  readonly allocatedResources?: Readonly<Record<string, string>>
  readonly resources?: ResourceRequirements
  readonly volumeMounts?: readonly VolumeMountStatus[]
  readonly user?: ContainerUser
  readonly allocatedResourcesStatus?: readonly ResourceStatus[]
  readonly stopSignal?:
    | 'SIGABRT'
    | 'SIGALRM'
    | 'SIGBUS'
    | 'SIGCHLD'
    | 'SIGCLD'
    | 'SIGCONT'
    | 'SIGFPE'
    | 'SIGHUP'
    | 'SIGILL'
    | 'SIGINT'
    | 'SIGIO'
    | 'SIGIOT'
    | 'SIGKILL'
    | 'SIGPIPE'
    | 'SIGPOLL'
    | 'SIGPROF'
    | 'SIGPWR'
    | 'SIGQUIT'
    | 'SIGRTMAX'
    | 'SIGRTMAX-1'
    | 'SIGRTMAX-10'
    | 'SIGRTMAX-11'
    | 'SIGRTMAX-12'
    | 'SIGRTMAX-13'
    | 'SIGRTMAX-14'
    | 'SIGRTMAX-2'
    | 'SIGRTMAX-3'
    | 'SIGRTMAX-4'
    | 'SIGRTMAX-5'
    | 'SIGRTMAX-6'
    | 'SIGRTMAX-7'
    | 'SIGRTMAX-8'
    | 'SIGRTMAX-9'
    | 'SIGRTMIN'
    | 'SIGRTMIN+1'
    | 'SIGRTMIN+10'
    | 'SIGRTMIN+11'
    | 'SIGRTMIN+12'
    | 'SIGRTMIN+13'
    | 'SIGRTMIN+14'
    | 'SIGRTMIN+15'
    | 'SIGRTMIN+2'
    | 'SIGRTMIN+3'
    | 'SIGRTMIN+4'
    | 'SIGRTMIN+5'
    | 'SIGRTMIN+6'
    | 'SIGRTMIN+7'
    | 'SIGRTMIN+8'
    | 'SIGRTMIN+9'
    | 'SIGSEGV'
    | 'SIGSTKFLT'
    | 'SIGSTOP'
    | 'SIGSYS'
    | 'SIGTERM'
    | 'SIGTRAP'
    | 'SIGTSTP'
    | 'SIGTTIN'
    | 'SIGTTOU'
    | 'SIGURG'
    | 'SIGUSR1'
    | 'SIGUSR2'
    | 'SIGVTALRM'
    | 'SIGWINCH'
    | 'SIGXCPU'
    | 'SIGXFSZ'
}

/** v1 ContainerUser. */
export interface ContainerUser {
  readonly linux?: LinuxContainerUser
}

/** v1 DaemonEndpoint. */
export interface DaemonEndpoint {
  readonly Port: number
}

/** v1 DownwardAPIProjection. */
export interface DownwardAPIProjection {
  readonly items?: readonly DownwardAPIVolumeFile[]
}

/** v1 DownwardAPIVolumeFile. */
export interface DownwardAPIVolumeFile {
  readonly path: string
  readonly fieldRef?: ObjectFieldSelector
  readonly resourceFieldRef?: ResourceFieldSelector
  readonly mode?: number
}

/** v1 DownwardAPIVolumeSource. */
export interface DownwardAPIVolumeSource {
  readonly items?: readonly DownwardAPIVolumeFile[]
  readonly defaultMode?: number
}

/** v1 EmptyDirVolumeSource. */
export interface EmptyDirVolumeSource {
  readonly medium?: string
  readonly sizeLimit?: string
}

/** v1 EndpointAddress. */
export interface EndpointAddress {
  readonly ip: string
  readonly hostname?: string
  readonly nodeName?: string
  readonly targetRef?: ObjectReference
}

/** v1 EndpointPort. */
export interface EndpointPort {
  readonly name?: string
  readonly port: number
  readonly protocol?: 'SCTP' | 'TCP' | 'UDP'
  readonly appProtocol?: string
}

/** v1 EndpointSubset. */
export interface EndpointSubset {
  readonly addresses?: readonly EndpointAddress[]
  readonly notReadyAddresses?: readonly EndpointAddress[]
  readonly ports?: readonly EndpointPort[]
}

/** v1 EnvFromSource. */
export interface EnvFromSource {
  readonly prefix?: string
  readonly configMapRef?: ConfigMapEnvSource
  readonly secretRef?: SecretEnvSource
}

/** v1 EnvVar. */
export interface EnvVar {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: EnvVarSource
}

/** v1 EnvVarSource. */
export interface EnvVarSource {
  readonly fieldRef?: ObjectFieldSelector
  readonly resourceFieldRef?: ResourceFieldSelector
  readonly configMapKeyRef?: ConfigMapKeySelector
  readonly secretKeyRef?: SecretKeySelector
  readonly fileKeyRef?: FileKeySelector
}

/** v1 EphemeralContainer. */
export interface EphemeralContainer {
  readonly name: string
  readonly image?: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly workingDir?: string
  readonly ports?: readonly ContainerPort[]
  readonly envFrom?: readonly EnvFromSource[]
  readonly env?: readonly EnvVar[]
  readonly resources?: ResourceRequirements
  readonly resizePolicy?: readonly ContainerResizePolicy[]
  readonly restartPolicy?: string
  readonly restartPolicyRules?: readonly ContainerRestartRule[]
  readonly volumeMounts?: readonly VolumeMount[]
  readonly volumeDevices?: readonly VolumeDevice[]
  readonly livenessProbe?: Probe
  readonly readinessProbe?: Probe
  readonly startupProbe?: Probe
  readonly lifecycle?: Lifecycle
  readonly terminationMessagePath?: string
  readonly terminationMessagePolicy?: 'FallbackToLogsOnError' | 'File'
  readonly imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never'
  readonly securityContext?: SecurityContext
  readonly stdin?: boolean
  readonly stdinOnce?: boolean
  readonly tty?: boolean
  readonly targetContainerName?: string
}

/** v1 EphemeralVolumeSource. */
export interface EphemeralVolumeSource {
  readonly volumeClaimTemplate?: PersistentVolumeClaimTemplate
}

/** v1 EventSeries. */
export interface EventSeries {
  readonly count?: number
  readonly lastObservedTime?: string
}

/** v1 EventSource. */
export interface EventSource {
  readonly component?: string
  readonly host?: string
}

/** v1 ExecAction. */
export interface ExecAction {
  readonly command?: readonly string[]
}

/** v1 FCVolumeSource. */
export interface FCVolumeSource {
  readonly targetWWNs?: readonly string[]
  readonly lun?: number
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly wwids?: readonly string[]
}

/** v1 FileKeySelector. */
export interface FileKeySelector {
  readonly volumeName: string
  readonly path: string
  readonly key: string
  readonly optional?: boolean
}

/** v1 FlexPersistentVolumeSource. */
export interface FlexPersistentVolumeSource {
  readonly driver: string
  readonly fsType?: string
  readonly secretRef?: SecretReference
  readonly readOnly?: boolean
  readonly options?: Readonly<Record<string, string>>
}

/** v1 FlexVolumeSource. */
export interface FlexVolumeSource {
  readonly driver: string
  readonly fsType?: string
  readonly secretRef?: LocalObjectReference
  readonly readOnly?: boolean
  readonly options?: Readonly<Record<string, string>>
}

/** v1 FlockerVolumeSource. */
export interface FlockerVolumeSource {
  readonly datasetName?: string
  readonly datasetUUID?: string
}

/** v1 GCEPersistentDiskVolumeSource. */
export interface GCEPersistentDiskVolumeSource {
  readonly pdName: string
  readonly fsType?: string
  readonly partition?: number
  readonly readOnly?: boolean
}

/** v1 GRPCAction. */
export interface GRPCAction {
  readonly port: number
  readonly service?: string | null
}

/** v1 GitRepoVolumeSource. */
export interface GitRepoVolumeSource {
  readonly repository: string
  readonly revision?: string
  readonly directory?: string
}

/** v1 GlusterfsPersistentVolumeSource. */
export interface GlusterfsPersistentVolumeSource {
  readonly endpoints: string
  readonly path: string
  readonly readOnly?: boolean
  readonly endpointsNamespace?: string
}

/** v1 GlusterfsVolumeSource. */
export interface GlusterfsVolumeSource {
  readonly endpoints: string
  readonly path: string
  readonly readOnly?: boolean
}

/** v1 HTTPGetAction. */
export interface HTTPGetAction {
  readonly path?: string
  readonly port: number | string
  readonly host?: string
  readonly scheme?: 'HTTP' | 'HTTPS'
  readonly httpHeaders?: readonly HTTPHeader[]
}

/** v1 HTTPHeader. */
export interface HTTPHeader {
  readonly name: string
  readonly value: string
}

/** v1 HostAlias. */
export interface HostAlias {
  readonly ip: string
  readonly hostnames?: readonly string[]
}

/** v1 HostIP. */
export interface HostIP {
  readonly ip: string
}

/** v1 HostPathVolumeSource. */
export interface HostPathVolumeSource {
  readonly path: string
  readonly type?:
    | ''
    | 'BlockDevice'
    | 'CharDevice'
    | 'Directory'
    | 'DirectoryOrCreate'
    | 'File'
    | 'FileOrCreate'
    | 'Socket'
}

/** v1 ISCSIPersistentVolumeSource. */
export interface ISCSIPersistentVolumeSource {
  readonly targetPortal: string
  readonly iqn: string
  readonly lun: number
  readonly iscsiInterface?: string
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly portals?: readonly string[]
  readonly chapAuthDiscovery?: boolean
  readonly chapAuthSession?: boolean
  readonly secretRef?: SecretReference
  readonly initiatorName?: string
}

/** v1 ISCSIVolumeSource. */
export interface ISCSIVolumeSource {
  readonly targetPortal: string
  readonly iqn: string
  readonly lun: number
  readonly iscsiInterface?: string
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly portals?: readonly string[]
  readonly chapAuthDiscovery?: boolean
  readonly chapAuthSession?: boolean
  readonly secretRef?: LocalObjectReference
  readonly initiatorName?: string
}

/** v1 ImageVolumeSource. */
export interface ImageVolumeSource {
  readonly reference?: string
  readonly pullPolicy?: 'Always' | 'IfNotPresent' | 'Never'
}

/** v1 ImageVolumeStatus. */
export interface ImageVolumeStatus {
  readonly imageRef: string
}

/** v1 KeyToPath. */
export interface KeyToPath {
  readonly key: string
  readonly path: string
  readonly mode?: number
}

/** v1 Lifecycle. */
export interface Lifecycle {
  readonly postStart?: LifecycleHandler
  readonly preStop?: LifecycleHandler
  readonly stopSignal?:
    | 'SIGABRT'
    | 'SIGALRM'
    | 'SIGBUS'
    | 'SIGCHLD'
    | 'SIGCLD'
    | 'SIGCONT'
    | 'SIGFPE'
    | 'SIGHUP'
    | 'SIGILL'
    | 'SIGINT'
    | 'SIGIO'
    | 'SIGIOT'
    | 'SIGKILL'
    | 'SIGPIPE'
    | 'SIGPOLL'
    | 'SIGPROF'
    | 'SIGPWR'
    | 'SIGQUIT'
    | 'SIGRTMAX'
    | 'SIGRTMAX-1'
    | 'SIGRTMAX-10'
    | 'SIGRTMAX-11'
    | 'SIGRTMAX-12'
    | 'SIGRTMAX-13'
    | 'SIGRTMAX-14'
    | 'SIGRTMAX-2'
    | 'SIGRTMAX-3'
    | 'SIGRTMAX-4'
    | 'SIGRTMAX-5'
    | 'SIGRTMAX-6'
    | 'SIGRTMAX-7'
    | 'SIGRTMAX-8'
    | 'SIGRTMAX-9'
    | 'SIGRTMIN'
    | 'SIGRTMIN+1'
    | 'SIGRTMIN+10'
    | 'SIGRTMIN+11'
    | 'SIGRTMIN+12'
    | 'SIGRTMIN+13'
    | 'SIGRTMIN+14'
    | 'SIGRTMIN+15'
    | 'SIGRTMIN+2'
    | 'SIGRTMIN+3'
    | 'SIGRTMIN+4'
    | 'SIGRTMIN+5'
    | 'SIGRTMIN+6'
    | 'SIGRTMIN+7'
    | 'SIGRTMIN+8'
    | 'SIGRTMIN+9'
    | 'SIGSEGV'
    | 'SIGSTKFLT'
    | 'SIGSTOP'
    | 'SIGSYS'
    | 'SIGTERM'
    | 'SIGTRAP'
    | 'SIGTSTP'
    | 'SIGTTIN'
    | 'SIGTTOU'
    | 'SIGURG'
    | 'SIGUSR1'
    | 'SIGUSR2'
    | 'SIGVTALRM'
    | 'SIGWINCH'
    | 'SIGXCPU'
    | 'SIGXFSZ'
}

/** v1 LifecycleHandler. */
export interface LifecycleHandler {
  readonly exec?: ExecAction
  readonly httpGet?: HTTPGetAction
  readonly tcpSocket?: TCPSocketAction
  readonly sleep?: SleepAction
}

/** v1 LimitRangeItem. */
export interface LimitRangeItem {
  readonly type: string
  readonly max?: Readonly<Record<string, string>>
  readonly min?: Readonly<Record<string, string>>
  readonly default?: Readonly<Record<string, string>>
  readonly defaultRequest?: Readonly<Record<string, string>>
  readonly maxLimitRequestRatio?: Readonly<Record<string, string>>
}

/** v1 LimitRangeSpec. */
export interface LimitRangeSpec {
  readonly limits: readonly LimitRangeItem[]
}

/** v1 LinuxContainerUser. */
export interface LinuxContainerUser {
  readonly uid: number
  readonly gid: number
  readonly supplementalGroups?: readonly number[]
}

/** v1 LoadBalancerIngress. */
export interface LoadBalancerIngress {
  readonly ip?: string
  readonly hostname?: string
  readonly ipMode?: string
  readonly ports?: readonly PortStatus[]
}

/** v1 LoadBalancerStatus. */
export interface LoadBalancerStatus {
  readonly ingress?: readonly LoadBalancerIngress[]
}

/** v1 LocalObjectReference. */
export interface LocalObjectReference {
  readonly name?: string
}

/** v1 LocalVolumeSource. */
export interface LocalVolumeSource {
  readonly path: string
  readonly fsType?: string
}

/** v1 ModifyVolumeStatus. */
export interface ModifyVolumeStatus {
  readonly targetVolumeAttributesClassName?: string
  readonly status: 'InProgress' | 'Infeasible' | 'Pending'
}

/** v1 NFSVolumeSource. */
export interface NFSVolumeSource {
  readonly server: string
  readonly path: string
  readonly readOnly?: boolean
}

/** v1 NamespaceCondition. */
export interface NamespaceCondition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

/** v1 NamespaceSpec. */
export interface NamespaceSpec {
  readonly finalizers?: readonly string[]
}

/** v1 NamespaceStatus. */
export interface NamespaceStatus {
  readonly phase?: 'Active' | 'Terminating'
  readonly conditions?: readonly NamespaceCondition[]
}

/** v1 NodeAddress. */
export interface NodeAddress {
  readonly type: string
  readonly address: string
}

/** v1 NodeAffinity. */
export interface NodeAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly PreferredSchedulingTerm[]
}

/** v1 NodeAllocatableResourceClaimStatus. */
export interface NodeAllocatableResourceClaimStatus {
  readonly resourceClaimName: string
  readonly containers?: readonly string[]
  readonly resources: Readonly<Record<string, string>>
}

/** v1 NodeCondition. */
export interface NodeCondition {
  readonly type: string
  readonly status: string
  readonly lastHeartbeatTime?: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

/** v1 NodeConfigSource. */
export interface NodeConfigSource {
  readonly configMap?: ConfigMapNodeConfigSource
}

/** v1 NodeConfigStatus. */
export interface NodeConfigStatus {
  readonly assigned?: NodeConfigSource
  readonly active?: NodeConfigSource
  readonly lastKnownGood?: NodeConfigSource
  readonly error?: string
}

/** v1 NodeDaemonEndpoints. */
export interface NodeDaemonEndpoints {
  readonly kubeletEndpoint?: DaemonEndpoint
}

/** v1 NodeFeatures. */
export interface NodeFeatures {
  readonly supplementalGroupsPolicy?: boolean
}

/** v1 NodeProxyOptions. */
export interface NodeProxyOptions {
  readonly kind?: string
  readonly apiVersion?: string
  readonly path?: string
}

/** v1 NodeRuntimeHandler. */
export interface NodeRuntimeHandler {
  readonly name?: string
  readonly features?: NodeRuntimeHandlerFeatures
}

/** v1 NodeRuntimeHandlerFeatures. */
export interface NodeRuntimeHandlerFeatures {
  readonly recursiveReadOnlyMounts?: boolean
  readonly userNamespaces?: boolean
}

/** v1 NodeSelector. */
export interface NodeSelector {
  readonly nodeSelectorTerms: readonly NodeSelectorTerm[]
}

/** v1 NodeSelectorRequirement. */
export interface NodeSelectorRequirement {
  readonly key: string
  readonly operator: 'DoesNotExist' | 'Exists' | 'Gt' | 'In' | 'Lt' | 'NotIn'
  readonly values?: readonly string[]
}

/** v1 NodeSelectorTerm. */
export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly NodeSelectorRequirement[]
  readonly matchFields?: readonly NodeSelectorRequirement[]
}

/** v1 NodeSpec. */
export interface NodeSpec {
  readonly podCIDR?: string
  readonly podCIDRs?: readonly string[]
  readonly providerID?: string
  readonly unschedulable?: boolean
  readonly taints?: readonly Taint[]
  readonly configSource?: NodeConfigSource
  readonly externalID?: string
}

/** v1 NodeStatus. */
export interface NodeStatus {
  readonly capacity?: Readonly<Record<string, string>>
  readonly allocatable?: Readonly<Record<string, string>>
  readonly phase?: 'Pending' | 'Running' | 'Terminated'
  readonly conditions?: readonly NodeCondition[]
  readonly addresses?: readonly NodeAddress[]
  readonly daemonEndpoints?: NodeDaemonEndpoints
  readonly nodeInfo?: NodeSystemInfo
  readonly images?: readonly ContainerImage[]
  readonly volumesInUse?: readonly string[]
  readonly volumesAttached?: readonly AttachedVolume[]
  readonly config?: NodeConfigStatus
  readonly runtimeHandlers?: readonly NodeRuntimeHandler[]
  readonly features?: NodeFeatures
  readonly declaredFeatures?: readonly string[]
}

/** v1 NodeSwapStatus. */
export interface NodeSwapStatus {
  readonly capacity?: number
}

/** v1 NodeSystemInfo. */
export interface NodeSystemInfo {
  readonly machineID: string
  readonly systemUUID: string
  readonly bootID: string
  readonly kernelVersion: string
  readonly osImage: string
  readonly containerRuntimeVersion: string
  readonly kubeletVersion: string
  readonly kubeProxyVersion: string
  readonly operatingSystem: string
  readonly architecture: string
  readonly swap?: NodeSwapStatus
}

/** v1 ObjectFieldSelector. */
export interface ObjectFieldSelector {
  readonly apiVersion?: string
  readonly fieldPath: string
}

/** v1 ObjectReference. */
export interface ObjectReference {
  readonly kind?: string
  readonly namespace?: string
  readonly name?: string
  readonly uid?: string
  readonly apiVersion?: string
  readonly resourceVersion?: string
  readonly fieldPath?: string
}

/** v1 PersistentVolumeClaimCondition. */
export interface PersistentVolumeClaimCondition {
  readonly type: string
  readonly status: string
  readonly lastProbeTime?: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

/** v1 PersistentVolumeClaimSpec. */
export interface PersistentVolumeClaimSpec {
  readonly accessModes?: readonly string[]
  readonly selector?: LabelSelector
  readonly resources?: VolumeResourceRequirements
  readonly volumeName?: string
  readonly storageClassName?: string
  readonly volumeMode?: 'Block' | 'Filesystem'
  readonly dataSource?: TypedLocalObjectReference
  readonly dataSourceRef?: TypedObjectReference
  readonly volumeAttributesClassName?: string
}

/** v1 PersistentVolumeClaimStatus. */
export interface PersistentVolumeClaimStatus {
  readonly phase?: 'Bound' | 'Lost' | 'Pending'
  readonly accessModes?: readonly string[]
  readonly capacity?: Readonly<Record<string, string>>
  readonly conditions?: readonly PersistentVolumeClaimCondition[]
  readonly allocatedResources?: Readonly<Record<string, string>>
  readonly allocatedResourceStatuses?: Readonly<Record<string, string>>
  readonly currentVolumeAttributesClassName?: string
  readonly modifyVolumeStatus?: ModifyVolumeStatus
}

/** v1 PersistentVolumeClaimTemplate. */
export interface PersistentVolumeClaimTemplate {
  readonly metadata?: ObjectMeta
  readonly spec: PersistentVolumeClaimSpec
}

/** v1 PersistentVolumeClaimVolumeSource. */
export interface PersistentVolumeClaimVolumeSource {
  readonly claimName: string
  readonly readOnly?: boolean
}

/** v1 PersistentVolumeSpec. */
export interface PersistentVolumeSpec {
  readonly capacity?: Readonly<Record<string, string>>
  readonly gcePersistentDisk?: GCEPersistentDiskVolumeSource
  readonly awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource
  readonly hostPath?: HostPathVolumeSource
  readonly glusterfs?: GlusterfsPersistentVolumeSource
  readonly nfs?: NFSVolumeSource
  readonly rbd?: RBDPersistentVolumeSource
  readonly iscsi?: ISCSIPersistentVolumeSource
  readonly cinder?: CinderPersistentVolumeSource
  readonly cephfs?: CephFSPersistentVolumeSource
  readonly fc?: FCVolumeSource
  readonly flocker?: FlockerVolumeSource
  readonly flexVolume?: FlexPersistentVolumeSource
  readonly azureFile?: AzureFilePersistentVolumeSource
  readonly vsphereVolume?: VsphereVirtualDiskVolumeSource
  readonly quobyte?: QuobyteVolumeSource
  readonly azureDisk?: AzureDiskVolumeSource
  readonly photonPersistentDisk?: PhotonPersistentDiskVolumeSource
  readonly portworxVolume?: PortworxVolumeSource
  readonly scaleIO?: ScaleIOPersistentVolumeSource
  readonly local?: LocalVolumeSource
  readonly storageos?: StorageOSPersistentVolumeSource
  readonly csi?: CSIPersistentVolumeSource
  readonly accessModes?: readonly string[]
  readonly claimRef?: ObjectReference
  readonly persistentVolumeReclaimPolicy?: 'Delete' | 'Recycle' | 'Retain'
  readonly storageClassName?: string
  readonly mountOptions?: readonly string[]
  readonly volumeMode?: 'Block' | 'Filesystem'
  readonly nodeAffinity?: VolumeNodeAffinity
  readonly volumeAttributesClassName?: string
}

/** v1 PersistentVolumeStatus. */
export interface PersistentVolumeStatus {
  readonly phase?: 'Available' | 'Bound' | 'Failed' | 'Pending' | 'Released'
  readonly message?: string
  readonly reason?: string
  readonly lastPhaseTransitionTime?: string
}

/** v1 PhotonPersistentDiskVolumeSource. */
export interface PhotonPersistentDiskVolumeSource {
  readonly pdID: string
  readonly fsType?: string
}

/** v1 PodAffinity. */
export interface PodAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[]
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly WeightedPodAffinityTerm[]
}

/** v1 PodAffinityTerm. */
export interface PodAffinityTerm {
  readonly labelSelector?: LabelSelector
  readonly namespaces?: readonly string[]
  readonly topologyKey: string
  readonly namespaceSelector?: LabelSelector
  readonly matchLabelKeys?: readonly string[]
  readonly mismatchLabelKeys?: readonly string[]
}

/** v1 PodAntiAffinity. */
export interface PodAntiAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[]
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly WeightedPodAffinityTerm[]
}

/** v1 PodAttachOptions. */
export interface PodAttachOptions {
  readonly kind?: string
  readonly apiVersion?: string
  readonly stdin?: boolean
  readonly stdout?: boolean
  readonly stderr?: boolean
  readonly tty?: boolean
  readonly container?: string
}

/** v1 PodCertificateProjection. */
export interface PodCertificateProjection {
  readonly signerName: string
  readonly keyType: string
  readonly maxExpirationSeconds?: number
  readonly credentialBundlePath?: string
  readonly keyPath?: string
  readonly certificateChainPath?: string
  readonly userAnnotations?: Readonly<Record<string, string>>
}

/** v1 PodCondition. */
export interface PodCondition {
  readonly type: string
  readonly observedGeneration?: number
  readonly status: string
  readonly lastProbeTime?: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

/** v1 PodDNSConfig. */
export interface PodDNSConfig {
  readonly nameservers?: readonly string[]
  readonly searches?: readonly string[]
  readonly options?: readonly PodDNSConfigOption[]
}

/** v1 PodDNSConfigOption. */
export interface PodDNSConfigOption {
  readonly name?: string
  readonly value?: string
}

/** v1 PodExecOptions. */
export interface PodExecOptions {
  readonly kind?: string
  readonly apiVersion?: string
  readonly stdin?: boolean
  readonly stdout?: boolean
  readonly stderr?: boolean
  readonly tty?: boolean
  readonly container?: string
  readonly command?: readonly string[] | null
}

/** v1 PodExtendedResourceClaimStatus. */
export interface PodExtendedResourceClaimStatus {
  readonly requestMappings: readonly ContainerExtendedResourceRequest[]
  readonly resourceClaimName: string
}

/** v1 PodIP. */
export interface PodIP {
  readonly ip: string
}

/** v1 PodLogOptions. */
export interface PodLogOptions {
  readonly kind?: string
  readonly apiVersion?: string
  readonly container?: string
  readonly follow?: boolean
  readonly previous?: boolean
  readonly sinceSeconds?: number
  readonly sinceTime?: string
  readonly timestamps?: boolean
  readonly tailLines?: number
  readonly limitBytes?: number
  readonly insecureSkipTLSVerifyBackend?: boolean
  readonly stream?: string
}

/** v1 PodOS. */
export interface PodOS {
  readonly name: string
}

/** v1 PodPortForwardOptions. */
export interface PodPortForwardOptions {
  readonly kind?: string
  readonly apiVersion?: string
  readonly ports?: readonly number[]
}

/** v1 PodProxyOptions. */
export interface PodProxyOptions {
  readonly kind?: string
  readonly apiVersion?: string
  readonly path?: string
}

/** v1 PodReadinessGate. */
export interface PodReadinessGate {
  readonly conditionType: string
}

/** v1 PodResourceClaim. */
export interface PodResourceClaim {
  readonly name: string
  readonly resourceClaimName?: string
  readonly resourceClaimTemplateName?: string
}

/** v1 PodResourceClaimStatus. */
export interface PodResourceClaimStatus {
  readonly name: string
  readonly resourceClaimName?: string
}

/** v1 PodSchedulingGate. */
export interface PodSchedulingGate {
  readonly name: string
}

/** v1 PodSchedulingGroup. */
export interface PodSchedulingGroup {
  readonly podGroupName?: string
}

/** v1 PodSecurityContext. */
export interface PodSecurityContext {
  readonly seLinuxOptions?: SELinuxOptions
  readonly windowsOptions?: WindowsSecurityContextOptions
  readonly runAsUser?: number
  readonly runAsGroup?: number
  readonly runAsNonRoot?: boolean
  readonly supplementalGroups?: readonly number[]
  readonly supplementalGroupsPolicy?: 'Merge' | 'Strict'
  readonly fsGroup?: number
  readonly sysctls?: readonly Sysctl[]
  readonly fsGroupChangePolicy?: 'Always' | 'OnRootMismatch'
  readonly seccompProfile?: SeccompProfile
  readonly appArmorProfile?: AppArmorProfile
  readonly seLinuxChangePolicy?: string
}

/** v1 PodSpec. */
export interface PodSpec {
  readonly volumes?: readonly Volume[]
  readonly initContainers?: readonly Container[]
  readonly containers: readonly Container[]
  readonly ephemeralContainers?: readonly EphemeralContainer[]
  readonly restartPolicy?: 'Always' | 'Never' | 'OnFailure'
  readonly terminationGracePeriodSeconds?: number
  readonly activeDeadlineSeconds?: number
  readonly dnsPolicy?: 'ClusterFirst' | 'ClusterFirstWithHostNet' | 'Default' | 'None'
  readonly nodeSelector?: Readonly<Record<string, string>>
  readonly serviceAccountName?: string
  readonly serviceAccount?: string
  readonly automountServiceAccountToken?: boolean
  readonly nodeName?: string
  readonly hostNetwork?: boolean
  readonly hostPID?: boolean
  readonly hostIPC?: boolean
  readonly shareProcessNamespace?: boolean
  readonly securityContext?: PodSecurityContext
  readonly imagePullSecrets?: readonly LocalObjectReference[]
  readonly hostname?: string
  readonly subdomain?: string
  readonly affinity?: Affinity
  readonly schedulerName?: string
  readonly tolerations?: readonly Toleration[]
  readonly hostAliases?: readonly HostAlias[]
  readonly priorityClassName?: string
  readonly priority?: number
  readonly dnsConfig?: PodDNSConfig
  readonly readinessGates?: readonly PodReadinessGate[]
  readonly runtimeClassName?: string
  readonly enableServiceLinks?: boolean
  readonly preemptionPolicy?: 'Never' | 'PreemptLowerPriority'
  readonly overhead?: Readonly<Record<string, string>>
  readonly topologySpreadConstraints?: readonly TopologySpreadConstraint[]
  readonly setHostnameAsFQDN?: boolean
  readonly os?: PodOS
  readonly hostUsers?: boolean
  readonly schedulingGates?: readonly PodSchedulingGate[]
  readonly resourceClaims?: readonly PodResourceClaim[]
  readonly resources?: ResourceRequirements
  readonly hostnameOverride?: string
  readonly schedulingGroup?: PodSchedulingGroup
}

/** v1 PodStatus. */
export interface PodStatus {
  readonly observedGeneration?: number
  readonly phase?: 'Failed' | 'Pending' | 'Running' | 'Succeeded' | 'Unknown'
  readonly conditions?: readonly PodCondition[]
  readonly message?: string
  readonly reason?: string
  readonly nominatedNodeName?: string
  readonly hostIP?: string
  readonly hostIPs?: readonly HostIP[]
  readonly podIP?: string
  readonly podIPs?: readonly PodIP[]
  readonly startTime?: string
  readonly initContainerStatuses?: readonly ContainerStatus[]
  readonly containerStatuses?: readonly ContainerStatus[]
  readonly qosClass?: 'BestEffort' | 'Burstable' | 'Guaranteed'
  readonly ephemeralContainerStatuses?: readonly ContainerStatus[]
  readonly resize?: string
  readonly resourceClaimStatuses?: readonly PodResourceClaimStatus[]
  readonly extendedResourceClaimStatus?: PodExtendedResourceClaimStatus
  readonly allocatedResources?: Readonly<Record<string, string>>
  readonly resources?: ResourceRequirements
  readonly nodeAllocatableResourceClaimStatuses?: readonly NodeAllocatableResourceClaimStatus[]
}

/** v1 PodStatusResult. */
export interface PodStatusResult extends KubeObject {
  readonly status?: PodStatus
}

/** v1 PodTemplateSpec. */
export interface PodTemplateSpec {
  readonly metadata?: ObjectMeta
  readonly spec: PodSpec
}

/** v1 PortStatus. */
export interface PortStatus {
  readonly port: number
  readonly protocol: 'SCTP' | 'TCP' | 'UDP'
  readonly error?: string
}

/** v1 PortworxVolumeSource. */
export interface PortworxVolumeSource {
  readonly volumeID: string
  readonly fsType?: string
  readonly readOnly?: boolean
}

/** v1 PreferredSchedulingTerm. */
export interface PreferredSchedulingTerm {
  readonly weight: number
  readonly preference: NodeSelectorTerm
}

/** v1 Probe. */
export interface Probe {
  readonly exec?: ExecAction
  readonly httpGet?: HTTPGetAction
  readonly tcpSocket?: TCPSocketAction
  readonly grpc?: GRPCAction
  readonly initialDelaySeconds?: number
  readonly timeoutSeconds?: number
  readonly periodSeconds?: number
  readonly successThreshold?: number
  readonly failureThreshold?: number
  readonly terminationGracePeriodSeconds?: number
}

/** v1 ProjectedVolumeSource. */
export interface ProjectedVolumeSource {
  readonly sources?: readonly VolumeProjection[] | null
  readonly defaultMode?: number
}

/** v1 QuobyteVolumeSource. */
export interface QuobyteVolumeSource {
  readonly registry: string
  readonly volume: string
  readonly readOnly?: boolean
  readonly user?: string
  readonly group?: string
  readonly tenant?: string
}

/** v1 RBDPersistentVolumeSource. */
export interface RBDPersistentVolumeSource {
  readonly monitors: readonly string[]
  readonly image: string
  readonly fsType?: string
  readonly pool?: string
  readonly user?: string
  readonly keyring?: string
  readonly secretRef?: SecretReference
  readonly readOnly?: boolean
}

/** v1 RBDVolumeSource. */
export interface RBDVolumeSource {
  readonly monitors: readonly string[]
  readonly image: string
  readonly fsType?: string
  readonly pool?: string
  readonly user?: string
  readonly keyring?: string
  readonly secretRef?: LocalObjectReference
  readonly readOnly?: boolean
}

/** v1 RangeAllocation. */
export interface RangeAllocation extends KubeObject {
  readonly range?: string
  readonly data?: string | null
}

/** v1 ReplicationControllerCondition. */
export interface ReplicationControllerCondition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

/** v1 ReplicationControllerSpec. */
export interface ReplicationControllerSpec {
  readonly replicas?: number
  readonly minReadySeconds?: number
  readonly selector?: Readonly<Record<string, string>>
  readonly template?: PodTemplateSpec
}

/** v1 ReplicationControllerStatus. */
export interface ReplicationControllerStatus {
  readonly replicas: number
  readonly fullyLabeledReplicas?: number
  readonly readyReplicas?: number
  readonly availableReplicas?: number
  readonly observedGeneration?: number
  readonly conditions?: readonly ReplicationControllerCondition[]
}

/** v1 ResourceClaim. */
export interface ResourceClaim {
  readonly name: string
  readonly request?: string
}

/** v1 ResourceFieldSelector. */
export interface ResourceFieldSelector {
  readonly containerName?: string
  readonly resource: string
  readonly divisor?: string
}

/** v1 ResourceHealth. */
export interface ResourceHealth {
  readonly resourceID: string
  readonly health?: string
  readonly message?: string
}

/** v1 ResourceQuotaSpec. */
export interface ResourceQuotaSpec {
  readonly hard?: Readonly<Record<string, string>>
  readonly scopes?: readonly string[]
  readonly scopeSelector?: ScopeSelector
}

/** v1 ResourceQuotaStatus. */
export interface ResourceQuotaStatus {
  readonly hard?: Readonly<Record<string, string>>
  readonly used?: Readonly<Record<string, string>>
}

/** v1 ResourceRequirements. */
export interface ResourceRequirements {
  readonly limits?: Readonly<Record<string, string>>
  readonly requests?: Readonly<Record<string, string>>
  readonly claims?: readonly ResourceClaim[]
}

/** v1 ResourceStatus. */
export interface ResourceStatus {
  readonly name: string
  readonly resources?: readonly ResourceHealth[]
}

/** v1 SELinuxOptions. */
export interface SELinuxOptions {
  readonly user?: string
  readonly role?: string
  readonly type?: string
  readonly level?: string
}

/** v1 ScaleIOPersistentVolumeSource. */
export interface ScaleIOPersistentVolumeSource {
  readonly gateway: string
  readonly system: string
  readonly secretRef: SecretReference
  readonly sslEnabled?: boolean
  readonly protectionDomain?: string
  readonly storagePool?: string
  readonly storageMode?: string
  readonly volumeName?: string
  readonly fsType?: string
  readonly readOnly?: boolean
}

/** v1 ScaleIOVolumeSource. */
export interface ScaleIOVolumeSource {
  readonly gateway: string
  readonly system: string
  readonly secretRef: LocalObjectReference
  readonly sslEnabled?: boolean
  readonly protectionDomain?: string
  readonly storagePool?: string
  readonly storageMode?: string
  readonly volumeName?: string
  readonly fsType?: string
  readonly readOnly?: boolean
}

/** v1 ScopeSelector. */
export interface ScopeSelector {
  readonly matchExpressions?: readonly ScopedResourceSelectorRequirement[]
}

/** v1 ScopedResourceSelectorRequirement. */
export interface ScopedResourceSelectorRequirement {
  readonly scopeName:
    | 'BestEffort'
    | 'CrossNamespacePodAffinity'
    | 'NotBestEffort'
    | 'NotTerminating'
    | 'PriorityClass'
    | 'Terminating'
    | 'VolumeAttributesClass'
  readonly operator: 'DoesNotExist' | 'Exists' | 'In' | 'NotIn'
  readonly values?: readonly string[]
}

/** v1 SeccompProfile. */
export interface SeccompProfile {
  readonly type: 'Localhost' | 'RuntimeDefault' | 'Unconfined'
  readonly localhostProfile?: string
}

/** v1 SecretEnvSource. */
export interface SecretEnvSource {
  readonly name?: string
  readonly optional?: boolean
}

/** v1 SecretKeySelector. */
export interface SecretKeySelector {
  readonly name?: string
  readonly key: string
  readonly optional?: boolean
}

/** v1 SecretProjection. */
export interface SecretProjection {
  readonly name?: string
  readonly items?: readonly KeyToPath[]
  readonly optional?: boolean
}

/** v1 SecretReference. */
export interface SecretReference {
  readonly name?: string
  readonly namespace?: string
}

/** v1 SecretVolumeSource. */
export interface SecretVolumeSource {
  readonly secretName?: string
  readonly items?: readonly KeyToPath[]
  readonly defaultMode?: number
  readonly optional?: boolean
}

/** v1 SecurityContext. */
export interface SecurityContext {
  readonly capabilities?: Capabilities
  readonly privileged?: boolean
  readonly seLinuxOptions?: SELinuxOptions
  readonly windowsOptions?: WindowsSecurityContextOptions
  readonly runAsUser?: number
  readonly runAsGroup?: number
  readonly runAsNonRoot?: boolean
  readonly readOnlyRootFilesystem?: boolean
  readonly allowPrivilegeEscalation?: boolean
  readonly procMount?: 'Default' | 'Unmasked'
  readonly seccompProfile?: SeccompProfile
  readonly appArmorProfile?: AppArmorProfile
}

/** v1 SerializedReference. */
export interface SerializedReference {
  readonly kind?: string
  readonly apiVersion?: string
  readonly reference?: ObjectReference
}

/** v1 ServiceAccountTokenProjection. */
export interface ServiceAccountTokenProjection {
  readonly audience?: string
  readonly expirationSeconds?: number
  readonly path: string
}

/** v1 ServicePort. */
export interface ServicePort {
  readonly name?: string
  readonly protocol?: 'SCTP' | 'TCP' | 'UDP'
  readonly appProtocol?: string
  readonly port: number
  readonly targetPort?: number | string
  readonly nodePort?: number
}

/** v1 ServiceProxyOptions. */
export interface ServiceProxyOptions {
  readonly kind?: string
  readonly apiVersion?: string
  readonly path?: string
}

/** v1 ServiceSpec. */
export interface ServiceSpec {
  readonly ports?: readonly ServicePort[]
  readonly selector?: Readonly<Record<string, string>>
  readonly clusterIP?: string
  readonly clusterIPs?: readonly string[]
  readonly type?: 'ClusterIP' | 'ExternalName' | 'LoadBalancer' | 'NodePort'
  readonly externalIPs?: readonly string[]
  readonly sessionAffinity?: 'ClientIP' | 'None'
  readonly loadBalancerIP?: string
  readonly loadBalancerSourceRanges?: readonly string[]
  readonly externalName?: string
  readonly externalTrafficPolicy?: 'Cluster' | 'Local'
  readonly healthCheckNodePort?: number
  readonly publishNotReadyAddresses?: boolean
  readonly sessionAffinityConfig?: SessionAffinityConfig
  readonly ipFamilies?: readonly string[]
  readonly ipFamilyPolicy?: 'PreferDualStack' | 'RequireDualStack' | 'SingleStack'
  readonly allocateLoadBalancerNodePorts?: boolean
  readonly loadBalancerClass?: string
  readonly internalTrafficPolicy?: 'Cluster' | 'Local'
  readonly trafficDistribution?: string
}

/** v1 ServiceStatus. */
export interface ServiceStatus {
  readonly loadBalancer?: LoadBalancerStatus
  readonly conditions?: readonly Condition[]
}

/** v1 SessionAffinityConfig. */
export interface SessionAffinityConfig {
  readonly clientIP?: ClientIPConfig
}

/** v1 SleepAction. */
export interface SleepAction {
  readonly seconds: number
}

/** v1 StorageOSPersistentVolumeSource. */
export interface StorageOSPersistentVolumeSource {
  readonly volumeName?: string
  readonly volumeNamespace?: string
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly secretRef?: ObjectReference
}

/** v1 StorageOSVolumeSource. */
export interface StorageOSVolumeSource {
  readonly volumeName?: string
  readonly volumeNamespace?: string
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly secretRef?: LocalObjectReference
}

/** v1 Sysctl. */
export interface Sysctl {
  readonly name: string
  readonly value: string
}

/** v1 TCPSocketAction. */
export interface TCPSocketAction {
  readonly port: number | string
  readonly host?: string
}

/** v1 Taint. */
export interface Taint {
  readonly key: string
  readonly value?: string
  readonly effect: 'NoExecute' | 'NoSchedule' | 'PreferNoSchedule'
  readonly timeAdded?: string
}

/** v1 Toleration. */
export interface Toleration {
  readonly key?: string
  readonly operator?: 'Equal' | 'Exists' | 'Gt' | 'Lt'
  readonly value?: string
  readonly effect?: 'NoExecute' | 'NoSchedule' | 'PreferNoSchedule'
  readonly tolerationSeconds?: number
}

/** v1 TopologySelectorLabelRequirement. */
export interface TopologySelectorLabelRequirement {
  readonly key: string
  readonly values: readonly string[]
}

/** v1 TopologySelectorTerm. */
export interface TopologySelectorTerm {
  readonly matchLabelExpressions?: readonly TopologySelectorLabelRequirement[]
}

/** v1 TopologySpreadConstraint. */
export interface TopologySpreadConstraint {
  readonly maxSkew: number
  readonly topologyKey: string
  readonly whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway'
  readonly labelSelector?: LabelSelector
  readonly minDomains?: number
  readonly nodeAffinityPolicy?: 'Honor' | 'Ignore'
  readonly nodeTaintsPolicy?: 'Honor' | 'Ignore'
  readonly matchLabelKeys?: readonly string[]
}

/** v1 TypedLocalObjectReference. */
export interface TypedLocalObjectReference {
  readonly apiGroup?: string | null
  readonly kind: string
  readonly name: string
}

/** v1 TypedObjectReference. */
export interface TypedObjectReference {
  readonly apiGroup?: string | null
  readonly kind: string
  readonly name: string
  readonly namespace?: string
}

/** v1 Volume. */
export interface Volume {
  readonly name: string
  readonly hostPath?: HostPathVolumeSource
  readonly emptyDir?: EmptyDirVolumeSource
  readonly gcePersistentDisk?: GCEPersistentDiskVolumeSource
  readonly awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource
  readonly gitRepo?: GitRepoVolumeSource
  readonly secret?: SecretVolumeSource
  readonly nfs?: NFSVolumeSource
  readonly iscsi?: ISCSIVolumeSource
  readonly glusterfs?: GlusterfsVolumeSource
  readonly persistentVolumeClaim?: PersistentVolumeClaimVolumeSource
  readonly rbd?: RBDVolumeSource
  readonly flexVolume?: FlexVolumeSource
  readonly cinder?: CinderVolumeSource
  readonly cephfs?: CephFSVolumeSource
  readonly flocker?: FlockerVolumeSource
  readonly downwardAPI?: DownwardAPIVolumeSource
  readonly fc?: FCVolumeSource
  readonly azureFile?: AzureFileVolumeSource
  readonly configMap?: ConfigMapVolumeSource
  readonly vsphereVolume?: VsphereVirtualDiskVolumeSource
  readonly quobyte?: QuobyteVolumeSource
  readonly azureDisk?: AzureDiskVolumeSource
  readonly photonPersistentDisk?: PhotonPersistentDiskVolumeSource
  readonly projected?: ProjectedVolumeSource
  readonly portworxVolume?: PortworxVolumeSource
  readonly scaleIO?: ScaleIOVolumeSource
  readonly storageos?: StorageOSVolumeSource
  readonly csi?: CSIVolumeSource
  readonly ephemeral?: EphemeralVolumeSource
  readonly image?: ImageVolumeSource
}

/** v1 VolumeDevice. */
export interface VolumeDevice {
  readonly name: string
  readonly devicePath: string
}

/** v1 VolumeMount. */
export interface VolumeMount {
  readonly name: string
  readonly readOnly?: boolean
  readonly recursiveReadOnly?: string
  readonly mountPath: string
  readonly subPath?: string
  readonly mountPropagation?: 'Bidirectional' | 'HostToContainer' | 'None'
  readonly subPathExpr?: string
}

/** v1 VolumeMountStatus. */
export interface VolumeMountStatus {
  readonly name: string
  readonly mountPath: string
  readonly readOnly?: boolean
  readonly recursiveReadOnly?: string
  readonly volumeStatus?: VolumeStatus
}

/** v1 VolumeNodeAffinity. */
export interface VolumeNodeAffinity {
  readonly required?: NodeSelector
}

/** v1 VolumeProjection. */
export interface VolumeProjection {
  readonly secret?: SecretProjection
  readonly downwardAPI?: DownwardAPIProjection
  readonly configMap?: ConfigMapProjection
  readonly serviceAccountToken?: ServiceAccountTokenProjection
  readonly clusterTrustBundle?: ClusterTrustBundleProjection
  readonly podCertificate?: PodCertificateProjection
}

/** v1 VolumeResourceRequirements. */
export interface VolumeResourceRequirements {
  readonly limits?: Readonly<Record<string, string>>
  readonly requests?: Readonly<Record<string, string>>
}

/** v1 VolumeStatus. */
export interface VolumeStatus {
  readonly image?: ImageVolumeStatus
}

/** v1 VsphereVirtualDiskVolumeSource. */
export interface VsphereVirtualDiskVolumeSource {
  readonly volumePath: string
  readonly fsType?: string
  readonly storagePolicyName?: string
  readonly storagePolicyID?: string
}

/** v1 WeightedPodAffinityTerm. */
export interface WeightedPodAffinityTerm {
  readonly weight: number
  readonly podAffinityTerm: PodAffinityTerm
}

/** v1 WindowsSecurityContextOptions. */
export interface WindowsSecurityContextOptions {
  readonly gmsaCredentialSpecName?: string
  readonly gmsaCredentialSpec?: string
  readonly runAsUserName?: string
  readonly hostProcess?: boolean
}
