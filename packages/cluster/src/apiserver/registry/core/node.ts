import type { UnknownObject } from 'kubewright/machinery'
import {
  ensureObject,
  flagAt,
  has,
  keep,
  objectAt,
  textAt,
  textsAt,
  type Fields,
} from '../fields.ts'
import { statusOnly } from '../generic/whole-and-status.ts'
import type { Draft, Strategy } from '../strategy.ts'
import { validateNode, validateNodeStatus, validateNodeUpdate } from './node-validation.ts'
import { canonicalResources } from './resource-list.ts'

/** What a node is until its kubelet says so; Kubernetes writes all of these, empty or not. */
const NODE_INFO = Object.freeze({
  machineID: '',
  systemUUID: '',
  bootID: '',
  kernelVersion: '',
  osImage: '',
  containerRuntimeVersion: '',
  kubeletVersion: '',
  kubeProxyVersion: '',
  operatingSystem: '',
  architecture: '',
})

function defaultNode(object: Draft): void {
  const status = ensureObject(object, 'status')
  canonicalResources(status, 'capacity')
  canonicalResources(status, 'allocatable')
  if (!has(status, 'allocatable') && has(status, 'capacity')) {
    status['allocatable'] = { ...objectAt(status, 'capacity') }
  }
  const kubelet = ensureObject(ensureObject(status, 'daemonEndpoints'), 'kubeletEndpoint')
  kubelet['Port'] ??= 0
  status['nodeInfo'] = { ...NODE_INFO, ...objectAt(status, 'nodeInfo') }
  alignCidrs(ensureObject(object, 'spec'))
}

/** Old clients know one range (Convert_v1_NodeSpec_To_core_NodeSpec). */
function alignCidrs(spec: Fields): void {
  const one = textAt(spec, 'podCIDR')
  const all = textsAt(spec, 'podCIDRs')
  if (one !== '' && one !== all[0]) spec['podCIDRs'] = [one]
  else if (one === '' && all[0] !== undefined) spec['podCIDR'] = all[0]
}

function warnings(object: Draft): readonly string[] {
  const spec = objectAt(object, 'spec')
  return [
    ...(has(spec, 'configSource') ? ['spec.configSource: the feature is removed'] : []),
    ...(textAt(spec, 'externalID') !== ''
      ? ['spec.externalID: this field is deprecated, and is unused by Kubernetes']
      : []),
  ]
}

/** Nobody configures a kubelet through its node any more; a status that still says so may. */
function prepareStatus(object: Draft, old: UnknownObject): void {
  keep(object, old, 'spec')
  if (!has(objectAt(old, 'status'), 'config')) delete objectAt(object, 'status')?.['config']
}

/** Node (kubernetes/pkg/registry/core/node/strategy.go). */
export const NODE: Strategy = Object.freeze({
  applyDefaults: defaultNode,
  prepareForCreate: (object: Draft) => {
    delete objectAt(object, 'spec')?.['configSource']
    delete objectAt(object, 'status')?.['config']
  },
  prepareForUpdate: (object: Draft, old: UnknownObject) => {
    keep(object, old, 'status')
    if (!has(objectAt(old, 'spec'), 'configSource')) {
      delete objectAt(object, 'spec')?.['configSource']
    }
  },
  validate: validateNode,
  validateUpdate: validateNodeUpdate,
  warningsOnCreate: warnings,
  warningsOnUpdate: warnings,
  resetFields: [['f:status']],
  selectableFields: {
    'spec.unschedulable': (it: UnknownObject) =>
      String(flagAt(objectAt(it, 'spec'), 'unschedulable')),
  },
  subresources: {
    status: {
      ...statusOnly(),
      prepareForUpdate: prepareStatus,
      validateUpdate: validateNodeStatus,
    },
  },
})
