import type { UnknownObject } from 'kubewright/machinery'
import type { RegisteredVersion } from '../discovery/registered.ts'
import { compareVersions } from '../discovery/version-order.ts'

/** Where APIServices lie. */
export const API_SERVICES = 'apiregistration.k8s.io/apiservices'

/** The label of what the server keeps itself: `true` as long as it runs, `onstart` when it starts. */
export const AUTOMANAGED = 'kube-aggregator.kubernetes.io/automanaged'

/** As whom the server owns what it writes into APIServices. */
export const MANAGER = 'kube-apiserver'

/** What an APIService that another server answers for says (kube-aggregator apiregistration/v1). */
export interface RemoteApi {
  readonly name: string
  readonly group: string
  readonly version: string
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number }
  /** PEM; absent: the machine's own authorities. */
  readonly authority?: string
  readonly insecure: boolean
  readonly groupPriority: number
  readonly versionPriority: number
  readonly isAvailable: boolean
}

interface ApiService extends UnknownObject {
  readonly spec?: {
    readonly group?: string
    readonly version?: string
    readonly service?: {
      readonly namespace?: string
      readonly name?: string
      readonly port?: number
    }
    readonly caBundle?: string
    readonly insecureSkipTLSVerify?: boolean
    readonly groupPriorityMinimum?: number
    readonly versionPriority?: number
  }
  readonly status?: { readonly conditions?: readonly Condition[] }
}

/** One condition of an APIService. */
export interface Condition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

/** Reads an APIService; undefined for one that this server answers for itself. */
export function remoteApi(object: UnknownObject): RemoteApi | undefined {
  const { spec = {}, status } = object as ApiService
  const { service, group = '', version = '', caBundle } = spec
  if (!service) return undefined
  const available = status?.conditions?.find((it) => it.type === 'Available')
  return {
    name: object.metadata.name ?? '',
    group,
    version,
    service: {
      namespace: service.namespace ?? '',
      name: service.name ?? '',
      port: service.port ?? 443,
    },
    ...(caBundle ? { authority: Buffer.from(caBundle, 'base64').toString() } : {}),
    insecure: spec.insecureSkipTLSVerify ?? false,
    groupPriority: spec.groupPriorityMinimum ?? 0,
    versionPriority: spec.versionPriority ?? 0,
    isAvailable: available?.status === 'True',
  }
}

/** What an APIService says of its version, whoever serves it. */
export function registeredVersion(object: UnknownObject): RegisteredVersion {
  const { spec = {} } = object as ApiService
  return {
    group: spec.group ?? '',
    version: spec.version ?? '',
    groupPriority: spec.groupPriorityMinimum ?? 0,
    versionPriority: spec.versionPriority ?? 0,
    isRemote: spec.service !== undefined && spec.service !== null,
    isKept: object.metadata.labels?.[AUTOMANAGED] === 'true',
  }
}

/** The conditions of an APIService with the one of `condition`'s type in its place; its time moves on only with its status. */
export function withCondition(
  object: UnknownObject,
  condition: Condition,
  now: string,
): Condition[] {
  const before = (object as ApiService).status?.conditions ?? []
  const old = before.find((it) => it.type === condition.type)
  const lastTransitionTime = old?.status === condition.status ? old.lastTransitionTime : now
  const { type, status, reason, message } = condition
  const next: Condition = {
    type,
    status,
    ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }),
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  }
  return old ? before.map((it) => (it === old ? next : it)) : [...before, next]
}

/** Versions of one group in the order of their priority, then by stability. */
export const byVersionPriority = (a: RemoteApi, b: RemoteApi): number =>
  b.versionPriority - a.versionPriority || compareVersions(a.version, b.version)
