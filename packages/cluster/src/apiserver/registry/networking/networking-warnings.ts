import { has, itemsAt, objectAt, textAt, textsAt } from '../fields.ts'
import type { Draft } from '../strategy.ts'
import { cidrWarnings, ipWarnings } from '../core/ip-warnings.ts'

const CLASS = 'kubernetes.io/ingress.class'

export const ingressWarnings = (ingress: Draft): readonly string[] =>
  ingress.metadata.annotations?.[CLASS] === undefined ||
  has(objectAt(ingress, 'spec'), 'ingressClassName')
    ? []
    : [`annotation "${CLASS}" is deprecated, please use 'spec.ingressClassName' instead`]

export const policyWarnings = (policy: Draft): readonly string[] =>
  (
    [
      ['ingress', 'from'],
      ['egress', 'to'],
    ] as const
  ).flatMap(([rules, peers]) =>
    itemsAt(objectAt(policy, 'spec'), rules).flatMap((rule, i) =>
      itemsAt(rule, peers).flatMap((peer, k) => {
        const block = objectAt(peer, 'ipBlock')
        if (block === undefined) return []
        const at = `spec.${rules}[${i}].${peers}[${k}].ipBlock`
        return [
          ...cidrWarnings(`${at}.cidr`, textAt(block, 'cidr')),
          ...textsAt(block, 'except').flatMap((it, n) => cidrWarnings(`${at}.except[${n}]`, it)),
        ]
      }),
    ),
  )

const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by'
/** Controllers that write addresses well. */
const CAREFUL = ['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io']

export const sliceWarnings = (slice: Draft): readonly string[] =>
  CAREFUL.includes(slice.metadata.labels?.[MANAGED_BY] ?? '')
    ? []
    : itemsAt(slice, 'endpoints').flatMap((it, i) =>
        textsAt(it, 'addresses').flatMap((ip, k) =>
          ipWarnings(`endpoints[${i}].addresses[${k}]`, ip),
        ),
      )

export const newSliceWarnings = (slice: Draft): readonly string[] => [
  ...(textAt(slice, 'addressType') === 'FQDN'
    ? ['spec.addressType: FQDN endpoints are deprecated']
    : []),
  ...sliceWarnings(slice),
]

export const endpointsWarnings = (endpoints: Draft): readonly string[] =>
  endpoints.metadata.labels?.['endpoints.kubernetes.io/managed-by'] === 'endpoint-controller'
    ? []
    : itemsAt(endpoints, 'subsets').flatMap((subset, i) =>
        ['addresses', 'notReadyAddresses'].flatMap((list) =>
          itemsAt(subset, list).flatMap((it, k) =>
            ipWarnings(`subsets[${i}].${list}[${k}].ip`, textAt(it, 'ip')),
          ),
        ),
      )
