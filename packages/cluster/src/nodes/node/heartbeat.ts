import { Lease } from 'kubewright/kinds/coordination.k8s.io/v1'
import { Node } from 'kubewright/kinds/core/v1'
import type { Client } from 'kubewright/client'
import type { Clock } from 'kubewright/base'
import {
  isAlreadyExists,
  isConflict,
  isNotFound,
  microTimeText,
  ownerReference,
} from 'kubewright/machinery'
import { nodeDraft, type NodeSpec, nodeStatus } from './node-object.ts'

const LEASES = 'kube-node-lease'
const LEASE_SECONDS = 40
/** How often a lease is renewed, milliseconds (KubeletConfiguration nodeLeaseDurationSeconds / 4). */
export const RENEW_EVERY = 10_000
/** How often an unchanged status is posted, milliseconds (KubeletConfiguration nodeStatusReportFrequency). */
export const REPORT_EVERY = 300_000

/** What a node needs to show that it is there. */
export interface Heart {
  readonly client: Client
  readonly clock: Clock
  readonly version: string
}

/** Makes the node's object when there is none, and posts its status. */
export async function registerNode(
  { client, clock, version }: Heart,
  spec: NodeSpec,
): Promise<Node> {
  const now = clock.now()
  const as = { fieldOwner: 'kubelet' }
  let node: Node
  try {
    node = await client.create(Node, nodeDraft(spec, version, now), as)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    node = await client.get(Node, spec.name)
  }
  const status = nodeStatus(spec, version, node, now)
  const body = { metadata: { uid: node.metadata.uid }, status }
  return client.patch(Node, spec.name, { type: 'merge', body }, { ...as, subresource: 'status' })
}

/** Posts the node's status again; a node that somebody deleted registers anew. */
export async function reportNode(heart: Heart, spec: NodeSpec): Promise<void> {
  const { client, clock, version } = heart
  const node = await client.find(Node, spec.name)
  if (!node) return void (await registerNode(heart, spec))
  const body = { status: nodeStatus(spec, version, node, clock.now()) }
  const options = { fieldOwner: 'kubelet', subresource: 'status' }
  await client.patch(Node, spec.name, { type: 'merge', body }, options)
}

/** Renews the node's lease, or makes it. */
export async function renewLease({ client, clock }: Heart, node: Node): Promise<void> {
  const name = node.metadata.name!
  const key = { namespace: LEASES, name }
  const spec = {
    holderIdentity: name,
    leaseDurationSeconds: LEASE_SECONDS,
    renewTime: microTimeText(clock.now()),
  }
  const as = { fieldOwner: 'kubelet' }
  try {
    await client.patch(Lease, key, { type: 'merge', body: { spec } }, as)
  } catch (error) {
    if (!isNotFound(error)) throw error
    const metadata = { ...key, ownerReferences: [ownerReference(Node, node)] }
    await client.create(Lease, { metadata, spec }, as).catch(unlessThere)
  }
}

function unlessThere(error: unknown): void {
  if (!isAlreadyExists(error) && !isConflict(error)) throw error
}
