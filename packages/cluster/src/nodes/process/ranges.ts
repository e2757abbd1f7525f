import type { NodeSpec } from '../node/node-object.ts'

/** The addresses of a cluster's pods and services. */
export interface AddressRanges {
  readonly pods: string
  readonly services: string
  /** The service that answers for names. */
  readonly nameserver: string
}

/** As kubeadm and most others have them. */
export const CLUSTER_RANGE: AddressRanges = Object.freeze({
  nameserver: '10.96.0.10',
  pods: '10.244.0.0/16',
  services: '10.96.0.0/12',
})

/** Addresses of the machine's own loopback, that pods have without a network of their own. */
export const LOOPBACK_RANGE: AddressRanges = Object.freeze({
  nameserver: '127.96.0.10',
  pods: '127.244.0.0/16',
  services: '127.96.0.0/16',
})

/** A node whose pods have loopback addresses: the same as ever, in another range. */
export function loopbackSpec(spec: NodeSpec, index: number): NodeSpec {
  return { ...spec, podCIDR: `127.244.${index}.0/24`, address: `127.244.${index}.1` }
}
