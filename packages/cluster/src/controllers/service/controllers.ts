import { controller, type ControllerDefinition, type Listers } from 'kubewright/controller'
import { Endpoints, Node, Pod, Service } from 'kubewright/kinds/core/v1'
import { EndpointSlice } from 'kubewright/kinds/discovery.k8s.io/v1'
import { isAlreadyExists, isNotFound } from 'kubewright/machinery'
import { AS_CONTROLLER, deleteThis, isNamespaceEnding } from '../workload/writes.ts'
import { isMirrored, MIRROR, planMirror } from './mirror.ts'
import { MANAGED_BY, MANAGER, planSlices, SERVICE_NAME } from './slices.ts'
import {
  endpointsDiffer,
  ENDPOINTS_MANAGED_BY,
  ENDPOINTS_MANAGER,
  endpointsLabels,
  endpointSubsets,
} from './subsets.ts'
import { TriggerTimes, withTriggerTime } from './trigger-time.ts'
import { hasEndpoints, selectsPod } from './target.ts'

/** The services that select a pod. */
function servicesOf(pod: Pod, { lister }: Listers): readonly Service[] {
  return lister(Service)
    .list({ namespace: pod.metadata.namespace })
    .filter((it) => hasEndpoints(it) && selectsPod(it, pod))
}

function podsOf(service: Service, { lister }: Listers): readonly Pod[] {
  return lister(Pod)
    .list({ namespace: service.metadata.namespace })
    .filter((it) => selectsPod(service, it))
}

/** Tells in EndpointSlices where a service's pods are (kubernetes/pkg/controller/endpointslice). */
export function endpointSliceController(): ControllerDefinition {
  const times = new TriggerTimes()
  const isOurs = (it: EndpointSlice): boolean => it.metadata.labels?.[MANAGED_BY] === MANAGER
  const serviceKey = (it: EndpointSlice): string =>
    `${it.metadata.namespace}/${it.metadata.labels?.[SERVICE_NAME]}`
  return controller(Service, { name: 'endpointslice-controller', pace: false, resync: 0 })
    .watches(Pod, servicesOf)
    .watches(EndpointSlice, (it) => (isOurs(it) ? [serviceKey(it)] : []))
    .index(EndpointSlice, 'service', (it) => (isOurs(it) ? [serviceKey(it)] : []))
    .reads(Node)
    .reconcileKey(async (key, context) => {
      const service = context.lister(Service).get(key)
      if (!service) times.forget(`${key.namespace}/${key.name}`)
      if (!service || service.metadata.deletionTimestamp !== undefined) return
      if (!hasEndpoints(service)) return
      const { lister, client } = context
      const { namespace, name } = service.metadata
      const pods = podsOf(service, context)
      const time = times.take(service, pods)
      const plan = planSlices({
        service,
        pods,
        slices: lister(EndpointSlice).byIndex('service', `${namespace}/${name}`),
        node: (it) => lister(Node).get(it),
      })
      for (const it of plan.update) {
        const slice = { ...it, metadata: timed(it.metadata, time) }
        await client.update(EndpointSlice, slice, AS_CONTROLLER).catch(unlessEnding)
      }
      for (const it of plan.create) {
        const slice = { ...it, metadata: timed(it.metadata!, time) }
        await client.create(EndpointSlice, slice, AS_CONTROLLER).catch(unlessEnding)
      }
      for (const it of plan.remove) await deleteThis(context, EndpointSlice, it)
    })
}

/** Tells the same in Endpoints, for those who still read them (kubernetes/pkg/controller/endpoint). */
export function endpointsController(): ControllerDefinition {
  const times = new TriggerTimes()
  return controller(Service, { name: 'endpoint-controller', pace: false, resync: 0 })
    .watches(Pod, servicesOf)
    .watches(Endpoints, (it) => [it], { where: ({ type }) => type === 'delete' })
    .reconcileKey(async (key, context) => {
      const { lister, client } = context
      const service = lister(Service).get(key)
      const there = lister(Endpoints).get(key)
      if (!service) {
        times.forget(`${key.namespace}/${key.name}`)
        if (there && there.metadata.labels?.[ENDPOINTS_MANAGED_BY] === ENDPOINTS_MANAGER) {
          await deleteThis(context, Endpoints, there)
        }
        return
      }
      if (!hasEndpoints(service) || service.metadata.deletionTimestamp !== undefined) return
      const pods = podsOf(service, context)
      const time = times.take(service, pods)
      const subsets = endpointSubsets(service, pods)
      const labels = endpointsLabels(service)
      if (!there) {
        const { name, namespace } = service.metadata
        const metadata = timed(
          { name: name!, namespace: namespace!, labels, annotations: {} },
          time,
        )
        await client.create(Endpoints, { metadata, subsets }, AS_CONTROLLER).catch(unlessEnding)
      } else if (endpointsDiffer(there, subsets, labels)) {
        const metadata = timed({ ...there.metadata, labels }, time)
        await client
          .update(Endpoints, { ...there, metadata, subsets }, AS_CONTROLLER)
          .catch(unlessEnding)
      }
    })
}

/** Mirrors Endpoints that people keep, for services without a selector, in EndpointSlices. */
export function endpointSliceMirroringController(): ControllerDefinition {
  const isOurs = (it: EndpointSlice): boolean => it.metadata.labels?.[MANAGED_BY] === MIRROR
  const key = (it: EndpointSlice): string =>
    `${it.metadata.namespace}/${it.metadata.labels?.[SERVICE_NAME]}`
  return controller(Endpoints, {
    name: 'endpointslicemirroring-controller',
    pace: false,
    resync: 0,
  })
    .index(EndpointSlice, 'mirrored', (it) => (isOurs(it) ? [key(it)] : []))
    .watches(EndpointSlice, (it) => (isOurs(it) ? [key(it)] : []))
    .watches(Service, (it) => [it])
    .reconcileKey(async ({ namespace = '', name }, context) => {
      const { lister, client } = context
      const endpoints = lister(Endpoints).get({ namespace, name })
      const service = lister(Service).get({ namespace, name })
      const slices = lister(EndpointSlice).byIndex('mirrored', `${namespace}/${name}`)
      const wanted = endpoints && service && !service.spec?.selector && isMirrored(endpoints)
      const plan = wanted
        ? planMirror(endpoints, slices)
        : { create: [], update: [], remove: slices }
      for (const it of plan.update) {
        await client.update(EndpointSlice, it, AS_CONTROLLER).catch(unlessEnding)
      }
      for (const it of plan.create) {
        await client.create(EndpointSlice, it, AS_CONTROLLER).catch(unlessEnding)
      }
      for (const it of plan.remove) await deleteThis(context, EndpointSlice, it)
    })
}

interface Annotated {
  readonly annotations?: Readonly<Record<string, string | undefined>> | undefined
}

/** Metadata that says when what it is about happened. */
const timed = <T extends Annotated>(
  metadata: T,
  time: string | undefined,
): T & { readonly annotations: Readonly<Record<string, string>> } => ({
  ...metadata,
  annotations: withTriggerTime(metadata.annotations as Readonly<Record<string, string>>, time),
})

function unlessEnding(error: unknown): void {
  if (!isNamespaceEnding(error) && !isAlreadyExists(error) && !isNotFound(error)) throw error
}
