import { ApiError, failure, notFound } from 'kubewright/machinery'
import {
  ensureObject,
  itemsAt,
  numberAt,
  objectAt,
  same,
  textAt,
  type Readable,
} from '../registry/fields.ts'
import { qosClass } from '../registry/core/pod-resources.ts'
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts'
import { isAbout } from './refusal.ts'

type Toleration = Readable

/** What pods tolerate where their namespace does not say, and what they may. Default nothing, and anything. */
export interface TolerationConfiguration {
  readonly default?: readonly Toleration[]
  readonly whitelist?: readonly Toleration[]
}

const DEFAULTS = 'scheduler.alpha.kubernetes.io/defaultTolerations'
const ALLOWED = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist'
const MEMORY_PRESSURE = {
  key: 'node.kubernetes.io/memory-pressure',
  operator: 'Exists',
  effect: 'NoSchedule',
}

/** Whether one toleration bears all that another does (kubernetes/pkg/util/tolerations isSuperset). */
function covers(wide: Toleration, narrow: Toleration): boolean {
  if (same(wide, narrow)) return true
  const [key, operator, effect] = ['key', 'operator', 'effect'].map((it) => textAt(wide, it))
  if (textAt(narrow, 'key') !== key && (key !== '' || operator !== 'Exists')) return false
  if (textAt(narrow, 'effect') !== effect && effect !== '') return false
  const most = numberAt(wide, 'tolerationSeconds')
  if (effect === 'NoExecute' && most !== undefined) {
    const own = numberAt(narrow, 'tolerationSeconds')
    if (own === undefined || own > most) return false
  }
  if (operator === 'Exists') return true
  const isEqual = operator === '' || operator === 'Equal'
  return (
    isEqual &&
    textAt(narrow, 'operator') === 'Equal' &&
    textAt(narrow, 'value') === textAt(wide, 'value')
  )
}

/** Both lists, without what another of them covers; of equal ones the first stays. */
function merged(
  first: readonly Toleration[],
  second: readonly Toleration[],
): readonly Toleration[] {
  const all = [...first, ...second]
  const kept: Toleration[] = []
  all.forEach((it, i) => {
    if (kept.some((other) => covers(other, it))) return
    if (all.slice(i + 1).some((other) => !same(other, it) && covers(other, it))) return
    kept.push(it)
  })
  return kept
}

/** What an annotation of the pod's namespace lists; undefined where it has none. */
async function listed(
  { context }: AdmissionRequest,
  name: string,
): Promise<readonly Toleration[] | undefined> {
  const namespace = await context.find('/namespaces', '', context.namespace)
  if (!namespace) throw notFound({ group: '', plural: 'namespaces' }, context.namespace)
  const text = namespace.metadata.annotations?.[name]
  if (text === undefined) return undefined
  return text === '' ? [] : (JSON.parse(text) as readonly Toleration[])
}

/** PodTolerationRestriction: the pods of a namespace tolerate what it says (kubernetes/plugin/pkg/admission/podtolerationrestriction). Off by default. */
export const podTolerationRestriction = (
  configuration: TolerationConfiguration,
): AdmissionPlugin => {
  const check = async (request: AdmissionRequest): Promise<void> => {
    const tolerations = itemsAt(objectAt(request.object, 'spec'), 'tolerations')
    if (tolerations.length === 0) return
    const own = await listed(request, ALLOWED)
    const allowed = own ?? configuration.whitelist ?? []
    if (allowed.length === 0) return
    if (tolerations.every((it) => allowed.some((one) => covers(one, it)))) return
    const message = `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${own ? 'namespace' : 'cluster'} whitelist`
    throw new ApiError(failure(500, undefined, message))
  }
  return {
    name: 'PodTolerationRestriction',
    handles: (request) =>
      (request.operation === 'CREATE' || request.operation === 'UPDATE') &&
      isAbout(request, '/pods'),
    admit: async (request) => {
      const spec = ensureObject(request.object!, 'spec')
      const usual =
        request.operation === 'CREATE'
          ? ((await listed(request, DEFAULTS)) ?? configuration.default ?? [])
          : []
      const more = qosClass(spec) === 'BestEffort' ? usual : [...usual, MEMORY_PRESSURE]
      if (more.length > 0) spec['tolerations'] = merged(itemsAt(spec, 'tolerations'), more)
      await check(request)
    },
    validate: check,
  }
}
