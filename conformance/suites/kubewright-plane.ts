import { readFile } from 'node:fs/promises'
import { stockControllers } from '@kubewright/cluster/controllers'
import {
  type ImageMap,
  makeProcessNodes,
  type ProcessNodes,
  processNode,
  simulatedNodes,
} from '@kubewright/cluster/nodes'
import { systemClock } from 'kubewright/base'
import type { ControllerDefinition } from 'kubewright/controller'
import { type Manager, manager, type Runnable } from 'kubewright/manager'
import type { Authority } from '../reference/components.ts'

/** How much of kubewright's control plane works for a server. */
export interface PlaneOptions {
  /** The file of the authority that the server's own certificate is by. */
  readonly rootCertificate: string
  /** Files of the authority that signs certificates. */
  readonly authority: Authority
  readonly nodes: number
  readonly scheduler: boolean
  /** What images mean on the nodes, whose pods are then processes of this machine. Default: pods are simulated. */
  readonly images?: ImageMap
}

/** The nodes of a plane whose pods are processes, with what the server has to know of them; undefined where pods are simulated. */
export async function processNodesOf({
  nodes,
  images,
}: PlaneOptions): Promise<ProcessNodes | undefined> {
  if (!images) return undefined
  const all = Array.from({ length: nodes }, () => processNode({ images }))
  return makeProcessNodes({ nodes: all, clock: systemClock })
}

/** Kubewright's controllers, its scheduler where there is to be one, and its nodes; not started yet. `kubelets`: what stands for simulated nodes. */
export async function planeOf(
  options: PlaneOptions,
  kubelets: readonly (ControllerDefinition | Runnable)[] = simulatedNodes({ nodes: options.nodes }),
): Promise<Manager> {
  const { authority, nodes, scheduler } = options
  const rootCertificate = await readFile(options.rootCertificate, 'utf8')
  // As kube-controller-manager signs with its --cluster-signing-*-file.
  const signer = {
    certificate: await readFile(authority.certificate, 'utf8'),
    key: await readFile(authority.key, 'utf8'),
  }
  const stock = stockControllers({
    rootCertificate: () => rootCertificate,
    signingAuthority: () => signer,
    // Nodes of these suites may be objects alone: nobody renews their leases (as for the real one).
    nodeGrace: { monitor: 87_600 * 3_600_000 },
  })
  return manager()
    .add(...stock.filter((it) => scheduler || it.name !== 'default-scheduler'))
    .add(...(nodes > 0 ? kubelets : []))
}
