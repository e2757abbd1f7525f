import type { UnknownObject } from 'kubewright/machinery'
import {
  ensureObject,
  fillAbsent,
  fillEmpty,
  has,
  itemsAt,
  objectAt,
  same,
  sameDeep,
  textsAt,
} from '../fields.ts'
import { contentChanged, specChanged, statusOnly, whole } from '../generic/whole-and-status.ts'
import type { Draft, Strategy } from '../strategy.ts'
import { validateSlice, validateSliceUpdate } from './endpoint-slice-validation.ts'
import * as rules from './networking-validation.ts'
import * as warnings from './networking-warnings.ts'

/** Ingress (kubernetes/pkg/registry/networking/ingress/strategy.go). */
export const INGRESS: Strategy = Object.freeze({
  applyDefaults: (object: Draft) => {
    ensureObject(ensureObject(object, 'status'), 'loadBalancer')
  },
  ...whole({ emptyStatus: { loadBalancer: {} }, counts: specChanged }),
  validate: rules.validateNewIngress,
  validateUpdate: rules.validateIngress,
  warningsOnCreate: warnings.ingressWarnings,
  subresources: { status: { ...statusOnly(), validateUpdate: rules.validateIngressStatus } },
})

/** IngressClass (kubernetes/pkg/registry/networking/ingressclass/strategy.go). */
export const INGRESS_CLASS: Strategy = Object.freeze({
  applyDefaults: (object: Draft) => {
    const parameters = objectAt(objectAt(object, 'spec'), 'parameters')
    if (parameters) fillAbsent(parameters, { scope: 'Cluster' })
  },
  ...whole({ counts: specChanged }),
  validate: rules.validateIngressClass,
  validateUpdate: rules.validateIngressClassUpdate,
})

function defaultPolicy(object: Draft): void {
  const spec = ensureObject(object, 'spec')
  ensureObject(spec, 'podSelector')
  for (const rule of [...itemsAt(spec, 'ingress'), ...itemsAt(spec, 'egress')]) {
    for (const port of itemsAt(rule, 'ports')) fillAbsent(port, { protocol: 'TCP' })
  }
  if (textsAt(spec, 'policyTypes').length > 0) return
  spec['policyTypes'] = itemsAt(spec, 'egress').length > 0 ? ['Ingress', 'Egress'] : ['Ingress']
}

/** NetworkPolicy (kubernetes/pkg/registry/networking/networkpolicy/strategy.go). */
export const NETWORK_POLICY: Strategy = Object.freeze({
  applyDefaults: defaultPolicy,
  ...whole({ counts: (object, old) => !sameDeep(object['spec'], old['spec']) }),
  validate: rules.validateNetworkPolicy,
  validateUpdate: rules.validateNetworkPolicy,
  warningsOnCreate: warnings.policyWarnings,
  warningsOnUpdate: warnings.policyWarnings,
})

/** ServiceCIDR (kubernetes/pkg/registry/networking/servicecidr/strategy.go). */
export const SERVICE_CIDR: Strategy = Object.freeze({
  ...whole({ emptyStatus: {} }),
  validate: rules.validateServiceCidr,
  validateUpdate: rules.validateServiceCidrUpdate,
  subresources: { status: statusOnly({ statusKeeps: 'metadata' }) },
})

/** IPAddress (kubernetes/pkg/registry/networking/ipaddress/strategy.go). */
export const IP_ADDRESS: Strategy = Object.freeze({
  validate: rules.validateIpAddress,
  validateUpdate: rules.validateIpAddressUpdate,
  validateName: () => [],
})

/** Endpoints (kubernetes/pkg/registry/core/endpoint/strategy.go). */
export const ENDPOINTS: Strategy = Object.freeze({
  applyDefaults: (object: Draft) => {
    for (const subset of itemsAt(object, 'subsets')) {
      for (const port of itemsAt(subset, 'ports')) fillEmpty(port, { protocol: 'TCP' })
    }
  },
  validate: rules.validateEndpoints,
  validateUpdate: rules.validateEndpoints,
  warningsOnCreate: warnings.endpointsWarnings,
  warningsOnUpdate: warnings.endpointsWarnings,
  allowCreateOnUpdate: true,
})

function defaultSlice(object: Draft): void {
  if (!has(object, 'endpoints')) object['endpoints'] = null
  if (!has(object, 'ports')) object['ports'] = null
  for (const endpoint of itemsAt(object, 'endpoints')) ensureObject(endpoint, 'conditions')
  for (const port of itemsAt(object, 'ports')) fillAbsent(port, { name: '', protocol: 'TCP' })
}

const slice = whole({
  counts: (object, old) =>
    contentChanged(object, old) ||
    !same(
      objectAt(object, 'metadata')?.['labels'] ?? {},
      (old as UnknownObject).metadata.labels ?? {},
    ),
})

/** What v1beta1 took; v1 only shows it where it was taken, and v1beta1 is served no more (dropTopologyOnV1). */
function dropTopology(object: Draft): void {
  for (const endpoint of itemsAt(object, 'endpoints')) delete endpoint['deprecatedTopology']
}

/** EndpointSlice: its labels count as content (kubernetes/pkg/registry/discovery/endpointslice/strategy.go). */
export const ENDPOINT_SLICE: Strategy = Object.freeze({
  ...slice,
  applyDefaults: defaultSlice,
  prepareForCreate: (object, context) => {
    dropTopology(object)
    return slice.prepareForCreate(object, context)
  },
  // The generation counts before the topology goes.
  prepareForUpdate: async (object, old, context) => {
    await slice.prepareForUpdate(object, old, context)
    dropTopology(object)
  },
  validate: (object) => validateSlice(object),
  validateUpdate: validateSliceUpdate,
  warningsOnCreate: warnings.newSliceWarnings,
  warningsOnUpdate: warnings.sliceWarnings,
} satisfies Strategy)
