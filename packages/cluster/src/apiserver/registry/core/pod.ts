import { isDns1123Label, type UnknownObject } from 'kubewright/machinery'
import { flagAt, itemsAt, numberAt, objectAt, textAt } from '../fields.ts'
import type { Draft, Strategy } from '../strategy.ts'
import { defaultPod } from './pod-defaults.ts'
import { podWarnings } from './pod-warnings.ts'
import { validateResize } from './pod-resize-validation.ts'
import { validatePodStatus } from './pod-status-validation.ts'
import { validateEphemeralContainers, validatePodUpdate } from './pod-update-validation.ts'
import { validatePod } from './pod-validation.ts'
import {
  prepareEphemeralContainers,
  preparePod,
  preparePodStatus,
  preparePodUpdate,
  prepareResize,
} from './pod-prepare.ts'

/** How long a pod has to stop: what the delete or else it says, unless it runs nowhere or is done (podStrategy.CheckGracefulDelete). */
function gracePeriod(object: UnknownObject, asked: number | undefined): number {
  const spec = objectAt(object, 'spec')
  const phase = textAt(objectAt(object, 'status'), 'phase')
  if (textAt(spec, 'nodeName') === '' || phase === 'Failed' || phase === 'Succeeded') return 0
  const seconds = asked ?? numberAt(spec, 'terminationGracePeriodSeconds') ?? 0
  return seconds < 0 ? 1 : seconds
}

/** The warning about a name that makes an odd host name. */
export function nameWarnings(object: Draft, where: string): readonly string[] {
  const problems = isDns1123Label(object.metadata.name ?? '')
  if (problems.length === 0) return []
  return [
    `metadata.name: this is used in ${where}, which can result in surprising behavior; a DNS label is recommended: [${problems.join(' ')}]`,
  ]
}

const specText = (field: string) => (it: UnknownObject) => textAt(objectAt(it, 'spec'), field)
const statusText = (field: string) => (it: UnknownObject) => textAt(objectAt(it, 'status'), field)

/** Pod (kubernetes/pkg/registry/core/pod/strategy.go). */
export const POD: Strategy = Object.freeze({
  applyDefaults: defaultPod,
  prepareForCreate: preparePod,
  validate: validatePod,
  prepareForUpdate: preparePodUpdate,
  validateUpdate: validatePodUpdate,
  warningsOnCreate: (object: Draft) => [
    ...nameWarnings(object, "the Pod's hostname"),
    ...podWarnings(object, ''),
  ],
  generation: 'spec',
  gracePeriod,
  resetFields: [['f:status']],
  selectableFields: {
    'spec.nodeName': specText('nodeName'),
    'spec.restartPolicy': specText('restartPolicy'),
    'spec.schedulerName': specText('schedulerName'),
    'spec.serviceAccountName': specText('serviceAccountName'),
    'spec.hostNetwork': (it: UnknownObject) => String(flagAt(objectAt(it, 'spec'), 'hostNetwork')),
    'status.phase': statusText('phase'),
    'status.podIP': (it: UnknownObject) =>
      textAt(itemsAt(objectAt(it, 'status'), 'podIPs')[0], 'ip') || statusText('podIP')(it),
    // Known by name alone: no object has a value there.
    'status.podIPs': () => '',
    'status.nominatedNodeName': statusText('nominatedNodeName'),
  },
  subresources: {
    status: {
      prepareForUpdate: preparePodStatus,
      validateUpdate: validatePodStatus,
      resetFields: [
        ['f:spec'],
        ['f:metadata', 'f:deletionTimestamp'],
        ['f:metadata', 'f:ownerReferences'],
      ],
    },
    ephemeralcontainers: {
      prepareForUpdate: prepareEphemeralContainers,
      validateUpdate: validateEphemeralContainers,
    },
    resize: { prepareForUpdate: prepareResize, validateUpdate: validateResize },
  },
})
