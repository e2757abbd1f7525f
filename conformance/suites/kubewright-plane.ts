import { readFile } from 'node:fs/promises'
import type { ApiServerOptions } from '@kubewright/cluster/apiserver'
import { stockControllers, type StockOptions } from '@kubewright/cluster/controllers'
import {
  type ImageMap,
  makeProcessNodes,
  processNode,
  simulateNodes,
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

/** The nodes of a plane: what the server has to know of them, and what is to run. */
export interface PlaneNodes {
  readonly server: ApiServerOptions
  /** `port`: where the server listens on this machine. */
  readonly parts: (port: number) => Parts
  readonly close: () => Promise<void>
}

type Parts = readonly (ControllerDefinition | Runnable)[]

/** Makes the nodes of a plane, simulated ones or such whose pods are processes of this machine. */
export async function nodesOf({ nodes, images }: PlaneOptions): Promise<PlaneNodes> {
  if (!images) {
    const simulated = simulateNodes({ nodes })
    const { findKubelet, parts } = simulated
    return { server: { findKubelet }, parts: () => parts, close: async () => {} }
  }
  const all = Array.from({ length: nodes }, () => processNode({ images }))
  const made = await makeProcessNodes({ nodes: all, clock: systemClock })
  if (!made) throw new Error('images say what pods do on nodes, and there is to be no node')
  return {
    server: made.server,
    parts: (port) => made.parts(() => ({ host: '127.0.0.1', port })),
    close: () => made.close(),
  }
}

/** Kubewright's controllers, and its scheduler where there is to be one, with the parts of nodes; not started yet. */
export async function planeOf(
  options: PlaneOptions,
  nodes: Parts,
  more: Pick<StockOptions, 'signToken'> = {},
): Promise<Manager> {
  const { authority, scheduler } = options
  const rootCertificate = await readFile(options.rootCertificate, 'utf8')
  // As kube-controller-manager signs with its --cluster-signing-*-file.
  const signer = {
    certificate: await readFile(authority.certificate, 'utf8'),
    key: await readFile(authority.key, 'utf8'),
  }
  const stock = stockControllers({
    ...more,
    rootCertificate: () => rootCertificate,
    signingAuthority: () => signer,
    // Nodes of these suites may be objects alone: nobody renews their leases (as for the real one).
    nodeGrace: { monitor: 87_600 * 3_600_000 },
  })
  return manager()
    .add(...stock.filter((it) => scheduler || it.name !== 'default-scheduler'))
    .add(...nodes)
}
