import priorities from './data/api-services.json' with { type: 'json' }
import type { BootstrapObject } from './objects.ts'

const GROUP = 'apiregistration.k8s.io'
const PRIORITIES = priorities as unknown as Readonly<
  Record<string, readonly [group: number, version: number]>
>

/** `[groupPriorityMinimum, versionPriority]` of a built-in version; undefined for any other. */
export const builtinPriority = (
  group: string,
  version: string,
): readonly [group: number, version: number] | undefined => PRIORITIES[`${version}.${group}`]

/** A group and version that this server serves itself. */
export interface LocalVersion {
  readonly group: string
  readonly version: string
}

/** The APIServices of what a server has built in (kube-aggregator/pkg/controllers/autoregister), as they are made when it starts. */
export const localApiServices = (
  versions: readonly LocalVersion[],
  now: string,
): readonly BootstrapObject[] =>
  versions.flatMap(({ group, version }) => {
    const name = `${version}.${group}`
    const [groupPriorityMinimum, versionPriority] = PRIORITIES[name] ?? []
    // Aggregation itself is served by no group of its own.
    if (groupPriorityMinimum === undefined) return []
    const spec = {
      ...(group === '' ? {} : { group }),
      version,
      groupPriorityMinimum,
      versionPriority,
    }
    const object = {
      kind: 'APIService',
      apiVersion: `${GROUP}/v1`,
      metadata: { name, labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' } },
      spec,
      status: { conditions: [localAvailable(now)] },
    }
    return [{ key: `${GROUP}/apiservices//${name}`, object }]
  })

/** What stands in the status of an APIService that its own server answers for. */
export const localAvailable = (
  now: string,
): {
  readonly type: 'Available'
  readonly status: 'True'
  readonly lastTransitionTime: string
  readonly reason: 'Local'
  readonly message: string
} => ({
  type: 'Available',
  status: 'True',
  lastTransitionTime: now,
  reason: 'Local',
  message: 'Local APIServices are always available',
})
