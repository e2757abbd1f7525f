import type { UnknownObject } from 'kubewright/machinery'
import type { Dial } from '../http/dial.ts'
import type { ResolveService } from '../http/webhook-call.ts'
import type { Storage } from '../storage/storage.ts'

interface Port {
  readonly name?: string
  readonly port?: number
}

interface Slice extends UnknownObject {
  readonly endpoints?: readonly {
    readonly addresses?: readonly string[]
    readonly conditions?: { readonly ready?: boolean }
  }[]
  readonly ports?: readonly Port[] | null
}

/**
 * Finds a ready endpoint behind a service, by its EndpointSlices: there is no network here that would. Rejects with Kubernetes'
 * sentence (apiserver/pkg/util/proxy) where there is no such service, or nothing behind it.
 */
export const endpointsOf =
  (storage: Storage, dial?: Dial): ResolveService =>
  async (namespace, name, port) => {
    const service = (await storage.get(`/services/${namespace}/${name}`))?.object
    if (!service) throw new Error(`service "${name}" not found`)
    const spec = service['spec'] as { readonly ports?: readonly Port[] } | undefined
    const named = spec?.ports?.find((it) => it.port === port)?.name ?? ''
    const prefix = `discovery.k8s.io/endpointslices/${namespace}/`
    for (const { object } of (await storage.list({ prefix })).items) {
      if (object.metadata.labels?.['kubernetes.io/service-name'] !== name) continue
      const { endpoints = [], ports } = object as Slice
      const ready = endpoints.find((it) => it.conditions?.ready !== false)
      const host = ready?.addresses?.[0]
      const own = ports?.find((it) => (it.name ?? '') === named)?.port
      if (host && own) return { host, port: own, ...(dial && { dial }) }
    }
    throw new Error(`no endpoints available for service "${name}"`)
  }
