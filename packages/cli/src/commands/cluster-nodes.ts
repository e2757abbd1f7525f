import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { InvalidArgumentError } from 'commander'
import type { ClusterOptions, ImageMap } from '@kubewright/cluster/testing'
import type { ClusterNodes } from '../cluster-state.ts'
import { Failure, whyNot } from '../failure.ts'

/** What the command line says of nodes. */
export interface NodeFlags {
  /** Default: one, where there are no process nodes. */
  readonly nodes?: number
  readonly processNodes: number
  readonly images?: string
  readonly podNetwork: PodNetwork
}

type PodNetwork = NonNullable<ClusterOptions['podNetwork']>

/** Reads the value of `--pod-network`. */
export function podNetwork(text: string): PodNetwork {
  if (text === 'namespaces' || text === 'loopback') return text
  throw new InvalidArgumentError('expected namespaces or loopback')
}

/** How many nodes there are of each kind. */
export function nodeCounts({ nodes, processNodes, podNetwork: network }: NodeFlags): ClusterNodes {
  const simulated = nodes ?? (processNodes > 0 ? 0 : 1)
  return { simulated, process: processNodes, ...(processNodes > 0 && { podNetwork: network }) }
}

/** What the nodes of a cluster are. Rejects with a {@link Failure} where the image map is missing, or is none. */
export async function clusterNodes(
  flags: NodeFlags,
): Promise<Pick<ClusterOptions, 'nodes' | 'podNetwork'>> {
  const { simulated, process: processes } = nodeCounts(flags)
  if (processes === 0) {
    if (flags.images !== undefined)
      throw new Failure('--images is for process nodes: say how many with --process-nodes')
    return { nodes: simulated }
  }
  if (flags.images === undefined)
    throw new Failure(
      '--process-nodes needs --images FILE: nothing runs on a process node that its image map does not name (docs/NODES.md)',
    )
  const { processNode } = await import('@kubewright/cluster/testing')
  const images = await readImages(flags.images)
  const real = Array.from({ length: processes }, (_, n) =>
    processNode({ name: `process-${n + 1}`, images }),
  )
  const others = Array.from({ length: simulated }, (_, n) => ({ name: `node-${n + 1}` }))
  return { nodes: [...real, ...others], podNetwork: flags.podNetwork }
}

async function readImages(file: string): Promise<ImageMap> {
  const { parseImageMap } = await import('@kubewright/cluster/testing')
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`the image map ${file} cannot be read: ${whyNot(error)}`, { cause: error })
  })
  try {
    return parseImageMap(text, path.dirname(path.resolve(file)))
  } catch (error) {
    throw new Failure(`${file} is no image map: ${(error as Error).message}`, { cause: error })
  }
}

/** The flags again, for the process that serves. */
export const nodeFlags = ({
  nodes,
  processNodes,
  images,
  podNetwork: network,
}: NodeFlags): readonly string[] => [
  ...(nodes === undefined ? [] : [`--nodes=${nodes}`]),
  ...(processNodes > 0 ? [`--process-nodes=${processNodes}`, `--pod-network=${network}`] : []),
  ...(images === undefined ? [] : [`--images=${images}`]),
]

/** `2 process nodes (pods in namespaces), 1 simulated node`. */
export function nodesText({
  simulated,
  process: processes,
  podNetwork: network,
}: ClusterNodes): string {
  const count = (n: number, what: string): string => `${n} ${what} node${n === 1 ? '' : 's'}`
  return [
    ...(processes > 0
      ? [
          `${count(processes, 'process')} (pods ${network === 'loopback' ? 'at loopback addresses' : 'in namespaces'})`,
        ]
      : []),
    ...(simulated > 0 ? [count(simulated, 'simulated')] : []),
  ].join(', ')
}
