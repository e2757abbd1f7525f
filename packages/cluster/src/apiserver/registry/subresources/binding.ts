import { ApiError, badRequest, conflict, failure, type UnknownObject } from 'kubewright/machinery'
import { itemsAt, objectAt, textAt, type Fields } from '../fields.ts'
import type { Draft } from '../strategy.ts'

const PODS = { group: '', plural: 'pods' }

/**
 * The pod, bound to the node that a Binding names (kubernetes/pkg/registry/core/pod/storage BindingREST). `now` is the time as
 * text. Throws a Conflict ApiError.
 */
export function bindPod(pod: UnknownObject, binding: UnknownObject, now: string): UnknownObject {
  const name = pod.metadata.name ?? ''
  const target = objectAt(binding, 'target')
  const problem = bindingProblem(pod, name)
  if (problem !== undefined) throw conflict({ group: '', plural: 'pods/binding' }, name, problem)
  checkPreconditions(pod, binding, name)
  const { annotations, labels } = binding.metadata
  const { nominatedNodeName: _, ...status } = objectAt(pod, 'status') ?? {}
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      ...(annotations ? { annotations: { ...pod.metadata.annotations, ...annotations } } : {}),
      ...(labels ? { labels: { ...pod.metadata.labels, ...labels } } : {}),
    },
    spec: { ...objectAt(pod, 'spec'), nodeName: textAt(target, 'name') },
    status: withCondition(status, { type: 'PodScheduled', status: 'True' }, now),
  }
}

/** What is wrong with a Binding of the pod of a name, whether or not it is there. Throws a BadRequest or a bare 500 ApiError. */
export function checkBinding(binding: Draft, name: string): void {
  if (binding.metadata.name !== name) {
    throw badRequest('name in URL does not match name in Binding object')
  }
  const target = objectAt(binding, 'target')
  const kind = textAt(target, 'kind')
  const problems = [
    ...(kind !== '' && kind !== 'Node'
      ? [`target.kind: Unsupported value: "${kind}": supported values: "Node", "<empty>"`]
      : []),
    ...(textAt(target, 'name') === '' ? ['target.name: Required value'] : []),
  ]
  if (problems.length === 0) return
  const text = problems.length > 1 ? `[${problems.join(', ')}]` : problems[0]!
  throw new ApiError(failure(500, undefined, text))
}

function bindingProblem(pod: UnknownObject, name: string): string | undefined {
  const spec = objectAt(pod, 'spec')
  if (pod.metadata.deletionTimestamp) {
    return `pod ${name} is being deleted, cannot be assigned to a host`
  }
  const node = textAt(spec, 'nodeName')
  if (node !== '') return `pod ${name} is already assigned to node "${node}"`
  return itemsAt(spec, 'schedulingGates').length > 0
    ? `pod ${name} has non-empty .spec.schedulingGates`
    : undefined
}

function checkPreconditions(pod: UnknownObject, binding: UnknownObject, name: string): void {
  const { uid, resourceVersion } = binding.metadata
  if (uid && uid !== pod.metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${pod.metadata.uid}`
    throw conflict(PODS, name, why)
  }
  if (resourceVersion && resourceVersion !== pod.metadata.resourceVersion) {
    const why = `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${pod.metadata.resourceVersion}`
    throw conflict(PODS, name, why)
  }
}

/** A pod's status with a condition in it: a new one, or the one of its type changed (podutil UpdatePodCondition). */
export function withCondition(status: Fields, condition: Fields, now: string): Fields {
  const conditions = itemsAt(status, 'conditions')
  const i = conditions.findIndex((it) => it['type'] === condition['type'])
  const moved = i < 0 || conditions[i]?.['status'] !== condition['status']
  const next = {
    lastProbeTime: null,
    ...condition,
    lastTransitionTime: moved ? now : conditions[i]?.['lastTransitionTime'],
  }
  const list = i < 0 ? [...conditions, next] : conditions.with(i, next)
  return { ...status, conditions: list }
}
