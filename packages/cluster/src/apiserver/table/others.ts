import type { Scale } from 'kubewright/kinds/autoscaling/v1'
import type { Lease } from 'kubewright/kinds/coordination.k8s.io/v1'
import type { RuntimeClass } from 'kubewright/kinds/node.k8s.io/v1'
import type { ResourceClaim, ResourceSlice } from 'kubewright/kinds/resource.k8s.io/v1'
import type { PriorityClass } from 'kubewright/kinds/scheduling.k8s.io/v1'
import type { UnknownObject } from 'kubewright/machinery'
import { age } from './age.ts'
import { OPTIONAL } from './optional-kinds.ts'
import { printer, type Printer } from './printer.ts'

/** Name and age: all there is to say of some kinds. */
const nameAndAge = printer<UnknownObject>((it, now) => [
  it.metadata.name,
  age(it.metadata.creationTimestamp, now),
])

function claimState({ metadata, status }: ResourceClaim): string {
  const deleted = Boolean(metadata.deletionTimestamp)
  const states = deleted ? ['deleted'] : []
  if (!status?.allocation) return [...states, ...(deleted ? [] : ['pending'])].join(',')
  const reserved = status.reservedFor?.length ? ['reserved'] : []
  return [...states, 'allocated', ...reserved].join(',')
}

/** Printers of kinds that stand alone in their group. */
export const OTHERS: Readonly<Record<string, Printer>> = {
  ...OPTIONAL,
  'autoscaling/scales': printer<Scale>((it, now) => [
    it.metadata.name,
    it.spec.replicas ?? 0,
    it.status?.replicas ?? 0,
    age(it.metadata.creationTimestamp, now),
  ]),
  'coordination.k8s.io/leases': printer<Lease>((it, now) => [
    it.metadata.name,
    it.spec.holderIdentity ?? '',
    age(it.metadata.creationTimestamp, now),
  ]),
  'node.k8s.io/runtimeclasses': printer<RuntimeClass>((it, now) => [
    it.metadata.name,
    it.handler,
    age(it.metadata.creationTimestamp, now),
  ]),
  'resource.k8s.io/deviceclasses': nameAndAge,
  'resource.k8s.io/resourceclaims': printer<ResourceClaim>((it, now) => [
    it.metadata.name,
    claimState(it),
    age(it.metadata.creationTimestamp, now),
  ]),
  'resource.k8s.io/resourceclaimtemplates': nameAndAge,
  'resource.k8s.io/resourceslices': printer<ResourceSlice>((it, now) => [
    it.metadata.name,
    it.spec.nodeName ?? '',
    it.spec.driver,
    it.spec.pool.name,
    age(it.metadata.creationTimestamp, now),
  ]),
  'scheduling.k8s.io/priorityclasses': printer<PriorityClass>((it, now) => [
    it.metadata.name,
    it.value,
    it.globalDefault ?? false,
    age(it.metadata.creationTimestamp, now),
    it.preemptionPolicy ?? '',
  ]),
}
