import type { UnknownObject } from 'kubewright/machinery'
import { ensureObject, flagAt, has, keep, numberAt, objectAt, textAt } from '../registry/fields.ts'
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts'
import { isAbout, refuse } from './refusal.ts'

const KEY = 'scheduling.k8s.io/priorityclasses'
const PREEMPT = 'PreemptLowerPriority'

/** The classes that every cluster has (kubernetes/pkg/apis/scheduling/v1/helpers.go); a server makes them when it starts. */
export const SYSTEM_PRIORITY_CLASSES: readonly UnknownObject[] = Object.freeze([
  systemClass(
    'system-node-critical',
    2000001000,
    'Used for system critical pods that must not be moved from their current node.',
  ),
  systemClass(
    'system-cluster-critical',
    2000000000,
    'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  ),
])

function systemClass(name: string, value: number, description: string): UnknownObject {
  return Object.freeze({
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name },
    value,
    description,
    preemptionPolicy: PREEMPT,
  })
}

async function admit(request: AdmissionRequest): Promise<void> {
  const spec = ensureObject(request.object!, 'spec')
  if (request.operation === 'UPDATE') {
    const before = objectAt(request.old, 'spec') ?? {}
    for (const field of ['priority', 'preemptionPolicy']) {
      if (!has(spec, field)) keep(spec, before, field)
    }
    return
  }
  const found = await classOf(request, textAt(spec, 'priorityClassName'))
  if (found) spec['priorityClassName'] = found.metadata.name
  const value = numberAt(found, 'value') ?? 0
  const policy = found ? textAt(found, 'preemptionPolicy') : PREEMPT
  checkGiven(request, value, policy)
  spec['priority'] = value
  if (policy !== '') spec['preemptionPolicy'] = policy
}

function checkGiven(request: AdmissionRequest, value: number, policy: string): void {
  const spec = objectAt(request.object, 'spec')
  const priority = numberAt(spec, 'priority')
  if (priority !== undefined && priority !== value) {
    throw refuse(
      request,
      `the integer value of priority (${priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
    )
  }
  const given = textAt(spec, 'preemptionPolicy')
  if (given !== '' && policy !== '' && given !== policy) {
    throw refuse(
      request,
      `the string value of PreemptionPolicy (${given}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`,
    )
  }
}

async function classOf(
  request: AdmissionRequest,
  name: string,
): Promise<UnknownObject | undefined> {
  if (name === '') return defaultClass(request)
  const found = await request.context.find(KEY, '', name)
  if (found === undefined) {
    throw refuse(request, `no PriorityClass with name ${name} was found`)
  }
  return found
}

/** Of several defaults, the lowest. */
async function defaultClass(request: AdmissionRequest): Promise<UnknownObject | undefined> {
  const defaults = (await request.context.all(KEY, '')).filter((it) => flagAt(it, 'globalDefault'))
  return defaults.toSorted((a, b) => (numberAt(a, 'value') ?? 0) - (numberAt(b, 'value') ?? 0))[0]
}

async function validate(request: AdmissionRequest): Promise<void> {
  if (!isAbout(request, KEY) || !flagAt(request.object, 'globalDefault')) return
  const held = await defaultClass(request)
  if (held === undefined) return
  const other = held.metadata.name !== request.object?.metadata.name
  if (request.operation === 'CREATE' || other) {
    throw refuse(
      request,
      `PriorityClass ${held.metadata.name} is already marked as default. Only one default can exist`,
    )
  }
}

const writes = (request: AdmissionRequest): boolean =>
  request.operation === 'CREATE' || request.operation === 'UPDATE'

/** Priority: a pod's priority is that of its class (kubernetes/plugin/pkg/admission/priority). */
export const PRIORITY: AdmissionPlugin = Object.freeze({
  name: 'Priority',
  handles: (request: AdmissionRequest) => writes(request) && isAbout(request, '/pods', KEY),
  admit: (request: AdmissionRequest) => (isAbout(request, '/pods') ? admit(request) : undefined),
  validate,
})
