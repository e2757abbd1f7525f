// The kinds of resource.k8s.io/v1, extracted from kube-apiserver v1.36 by tools/extract-kinds.ts. Do not edit.
import { kindOf, type Kind } from '../../machinery/kind.ts'
import type { KubeObject, ObjectMeta } from '../../machinery/object.ts'
import type { NodeSelector } from '../core/v1.ts'
import type { Condition } from '../meta/v1.ts'

/** resource.k8s.io/v1 DeviceClass. */
export interface DeviceClass extends KubeObject {
  readonly spec: DeviceClassSpec
}

/** The kind of deviceclasses. */
export const DeviceClass: Kind<DeviceClass> = kindOf(
  'resource.k8s.io/v1',
  'DeviceClass',
  'deviceclasses',
  'Cluster',
)

/** resource.k8s.io/v1 ResourceClaim. */
export interface ResourceClaim extends KubeObject {
  readonly spec: ResourceClaimSpec
  readonly status?: ResourceClaimStatus
}

/** The kind of resourceclaims. */
export const ResourceClaim: Kind<ResourceClaim> = kindOf(
  'resource.k8s.io/v1',
  'ResourceClaim',
  'resourceclaims',
  'Namespaced',
)

/** resource.k8s.io/v1 ResourceClaimTemplate. */
export interface ResourceClaimTemplate extends KubeObject {
  readonly spec: ResourceClaimTemplateSpec
}

/** The kind of resourceclaimtemplates. */
export const ResourceClaimTemplate: Kind<ResourceClaimTemplate> = kindOf(
  'resource.k8s.io/v1',
  'ResourceClaimTemplate',
  'resourceclaimtemplates',
  'Namespaced',
)

/** resource.k8s.io/v1 ResourceSlice. */
export interface ResourceSlice extends KubeObject {
  readonly spec: ResourceSliceSpec
}

/** The kind of resourceslices. */
export const ResourceSlice: Kind<ResourceSlice> = kindOf(
  'resource.k8s.io/v1',
  'ResourceSlice',
  'resourceslices',
  'Cluster',
)

/** resource.k8s.io/v1 AllocatedDeviceStatus. */
export interface AllocatedDeviceStatus {
  readonly driver: string
  readonly pool: string
  readonly device: string
  readonly shareID?: string
  readonly conditions?: readonly Condition[] | null
  readonly data?: Readonly<Record<string, unknown>>
  readonly networkData?: NetworkDeviceData
}

/** resource.k8s.io/v1 AllocationResult. */
export interface AllocationResult {
  readonly devices?: DeviceAllocationResult
  readonly nodeSelector?: NodeSelector
  readonly allocationTimestamp?: string
}

/** resource.k8s.io/v1 CELDeviceSelector. */
export interface CELDeviceSelector {
  readonly expression: string
}

/** resource.k8s.io/v1 CapacityRequestPolicy. */
export interface CapacityRequestPolicy {
  readonly default?: string | null
  readonly validValues?: readonly string[]
  readonly validRange?: CapacityRequestPolicyRange
}

/** resource.k8s.io/v1 CapacityRequestPolicyRange. */
export interface CapacityRequestPolicyRange {
  readonly min: string
  readonly max?: string
  readonly step?: string
}

/** resource.k8s.io/v1 CapacityRequirements. */
export interface CapacityRequirements {
  readonly requests?: Readonly<Record<string, string>>
}

/** resource.k8s.io/v1 Counter. */
export interface Counter {
  readonly value: string
}

/** resource.k8s.io/v1 CounterSet. */
export interface CounterSet {
  readonly name: string
  readonly counters: Readonly<Record<string, Counter>>
}

/** resource.k8s.io/v1 Device. */
export interface Device {
  readonly name: string
  readonly attributes?: Readonly<Record<string, DeviceAttribute>>
  readonly capacity?: Readonly<Record<string, DeviceCapacity>>
  readonly consumesCounters?: readonly DeviceCounterConsumption[]
  readonly nodeName?: string
  readonly nodeSelector?: NodeSelector
  readonly allNodes?: boolean
  readonly taints?: readonly DeviceTaint[]
  readonly bindsToNode?: boolean
  readonly bindingConditions?: readonly string[]
  readonly bindingFailureConditions?: readonly string[]
  readonly allowMultipleAllocations?: boolean
  readonly nodeAllocatableResourceMappings?: Readonly<
    Record<string, NodeAllocatableResourceMapping>
  >
}

/** resource.k8s.io/v1 DeviceAllocationConfiguration. */
export interface DeviceAllocationConfiguration {
  readonly source: 'FromClaim' | 'FromClass'
  readonly requests?: readonly string[]
  readonly opaque?: OpaqueDeviceConfiguration
}

/** resource.k8s.io/v1 DeviceAllocationResult. */
export interface DeviceAllocationResult {
  readonly results?: readonly DeviceRequestAllocationResult[]
  readonly config?: readonly DeviceAllocationConfiguration[]
}

/** resource.k8s.io/v1 DeviceAttribute. */
export interface DeviceAttribute {
  readonly int?: number
  readonly bool?: boolean
  readonly string?: string
  readonly version?: string
  readonly ints?: readonly number[]
  readonly bools?: readonly boolean[]
  readonly strings?: readonly string[]
  readonly versions?: readonly string[]
}

/** resource.k8s.io/v1 DeviceCapacity. */
export interface DeviceCapacity {
  readonly value: string
  readonly requestPolicy?: CapacityRequestPolicy
}

/** resource.k8s.io/v1 DeviceClaim. */
export interface DeviceClaim {
  readonly requests?: readonly DeviceRequest[] | null
  readonly constraints?: readonly DeviceConstraint[]
  readonly config?: readonly DeviceClaimConfiguration[]
}

/** resource.k8s.io/v1 DeviceClaimConfiguration. */
export interface DeviceClaimConfiguration {
  readonly requests?: readonly string[]
  readonly opaque?: OpaqueDeviceConfiguration
}

/** resource.k8s.io/v1 DeviceClassConfiguration. */
export interface DeviceClassConfiguration {
  readonly opaque?: OpaqueDeviceConfiguration
}

/** resource.k8s.io/v1 DeviceClassSpec. */
export interface DeviceClassSpec {
  readonly selectors?: readonly DeviceSelector[]
  readonly config?: readonly DeviceClassConfiguration[]
  readonly extendedResourceName?: string
}

/** resource.k8s.io/v1 DeviceConstraint. */
export interface DeviceConstraint {
  readonly requests?: readonly string[]
  readonly matchAttribute?: string
  readonly distinctAttribute?: string
}

/** resource.k8s.io/v1 DeviceCounterConsumption. */
export interface DeviceCounterConsumption {
  readonly counterSet: string
  readonly counters: Readonly<Record<string, Counter>>
}

/** resource.k8s.io/v1 DeviceRequest. */
export interface DeviceRequest {
  readonly name: string
  readonly exactly?: ExactDeviceRequest
  readonly firstAvailable?: readonly DeviceSubRequest[]
}

/** resource.k8s.io/v1 DeviceRequestAllocationResult. */
export interface DeviceRequestAllocationResult {
  readonly request: string
  readonly driver: string
  readonly pool: string
  readonly device: string
  readonly adminAccess?: boolean
  readonly tolerations?: readonly DeviceToleration[]
  readonly bindingConditions?: readonly string[]
  readonly bindingFailureConditions?: readonly string[]
  readonly shareID?: string
  readonly consumedCapacity?: Readonly<Record<string, string>>
}

/** resource.k8s.io/v1 DeviceSelector. */
export interface DeviceSelector {
  readonly cel?: CELDeviceSelector
}

/** resource.k8s.io/v1 DeviceSubRequest. */
export interface DeviceSubRequest {
  readonly name: string
  readonly deviceClassName: string
  readonly selectors?: readonly DeviceSelector[]
  readonly allocationMode?: 'All' | 'ExactCount'
  readonly count?: number
  readonly tolerations?: readonly DeviceToleration[]
  readonly capacity?: CapacityRequirements
}

/** resource.k8s.io/v1 DeviceTaint. */
export interface DeviceTaint {
  readonly key: string
  readonly value?: string
  readonly effect: 'NoExecute' | 'NoSchedule' | 'None'
  readonly timeAdded?: string
}

/** resource.k8s.io/v1 DeviceToleration. */
export interface DeviceToleration {
  readonly key?: string
  readonly operator?: 'Equal' | 'Exists'
  readonly value?: string
  readonly effect?: 'NoExecute' | 'NoSchedule' | 'None'
  readonly tolerationSeconds?: number
}

/** resource.k8s.io/v1 ExactDeviceRequest. */
export interface ExactDeviceRequest {
  readonly deviceClassName: string
  readonly selectors?: readonly DeviceSelector[]
  readonly allocationMode?: 'All' | 'ExactCount'
  readonly count?: number
  readonly adminAccess?: boolean
  readonly tolerations?: readonly DeviceToleration[]
  readonly capacity?: CapacityRequirements
}

/** resource.k8s.io/v1 NetworkDeviceData. */
export interface NetworkDeviceData {
  readonly interfaceName?: string
  readonly ips?: readonly string[]
  readonly hardwareAddress?: string
}

/** resource.k8s.io/v1 NodeAllocatableResourceMapping. */
export interface NodeAllocatableResourceMapping {
  readonly capacityKey?: string
  readonly allocationMultiplier?: string
}

/** resource.k8s.io/v1 OpaqueDeviceConfiguration. */
export interface OpaqueDeviceConfiguration {
  readonly driver: string
  readonly parameters: Readonly<Record<string, unknown>>
}

/** resource.k8s.io/v1 ResourceClaimConsumerReference. */
export interface ResourceClaimConsumerReference {
  readonly apiGroup?: string
  readonly resource: string
  readonly name: string
  readonly uid: string
}

/** resource.k8s.io/v1 ResourceClaimSpec. */
export interface ResourceClaimSpec {
  readonly devices?: DeviceClaim
}

/** resource.k8s.io/v1 ResourceClaimStatus. */
export interface ResourceClaimStatus {
  readonly allocation?: AllocationResult
  readonly reservedFor?: readonly ResourceClaimConsumerReference[]
  readonly devices?: readonly AllocatedDeviceStatus[]
}

/** resource.k8s.io/v1 ResourceClaimTemplateSpec. */
export interface ResourceClaimTemplateSpec {
  readonly metadata?: ObjectMeta
  readonly spec: ResourceClaimSpec
}

/** resource.k8s.io/v1 ResourcePool. */
export interface ResourcePool {
  readonly name: string
  readonly generation: number
  readonly resourceSliceCount: number
}

/** resource.k8s.io/v1 ResourceSliceSpec. */
export interface ResourceSliceSpec {
  readonly driver: string
  readonly pool: ResourcePool
  readonly nodeName?: string
  readonly nodeSelector?: NodeSelector
  readonly allNodes?: boolean
  readonly devices?: readonly Device[]
  readonly perDeviceNodeSelection?: boolean
  readonly sharedCounters?: readonly CounterSet[]
}
