import type { Pod } from 'kubewright/kinds/core/v1'
import { type LabelSelector, selectorOf } from 'kubewright/machinery'
import type { Lookup } from '../lookup.ts'

type Selecting = NonNullable<Parameters<typeof selectorOf>[0]>

/**
 * Which pods belong together with a pod, by the services that select it and the controller that owns it; undefined for one that
 * stands alone (scheduler/framework/plugins/helper DefaultSelector).
 */
export function siblingsOf(pod: Pod, lookup: Lookup): LabelSelector | undefined {
  const { namespace = '', labels = {} } = pod.metadata
  const selecting = lookup
    .services(namespace)
    .map((it) => it.spec?.selector)
    .filter((it) => it !== undefined)
    .filter((it) => Object.entries(it).every(([key, value]) => labels[key] === value))
  const own = selectorSpec(lookup.controllerOf(pod)?.spec?.selector)
  const matchLabels = Object.assign({}, ...selecting, own.matchLabels) as Record<string, string>
  const matchExpressions = own.matchExpressions ?? []
  if (Object.keys(matchLabels).length + matchExpressions.length === 0) return undefined
  return selectorOf({ matchLabels, matchExpressions })
}

/** A ReplicationController's selector is plain labels. */
function selectorSpec(selector: unknown): Selecting {
  if (typeof selector !== 'object' || selector === null) return {}
  const it = selector as Selecting & Record<string, string>
  return it.matchLabels || it.matchExpressions ? it : { matchLabels: it }
}
