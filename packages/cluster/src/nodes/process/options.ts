import type { NodeOption } from '../nodes.ts'
import type { ImageMap } from './image/image-map.ts'
import { checkImageMap } from './image/parse-image-map.ts'
import type { LogLimits } from './log/log-file.ts'
import type { ProcessDelays } from './pod/input.ts'

/** What a node is whose pods become processes of this machine. */
export interface ProcessNodeOptions extends NodeOption {
  /** What images mean here; nothing runs that it does not name. */
  readonly images: ImageMap
  /** Where pods' volumes, logs and working directories lie. Default: in the cluster's data folder, or a folder that goes with the cluster. */
  readonly folder?: string
  /** What paths of hostPath and local volumes begin at: `/data` is `<hostRoot>/data`. Default: `host` in the node's folder. */
  readonly hostRoot?: string
  /** How long it waits before it tries again; parts may be given. */
  readonly delays?: Partial<ProcessDelays>
  /** When logs begin a new file; parts may be given. */
  readonly logs?: Partial<LogLimits>
}

/**
 * How the pods of process nodes reach one another. `namespaces`: pods and services have ordinary addresses in a network of the cluster's
 * own, and every container has a file system of its own; needs Linux, and root or user namespaces. `loopback`: pods are processes beside
 * all others, with addresses of 127.0.0.0/8, and the API server takes such addresses in Endpoints, which it refuses otherwise.
 */
export type PodNetwork = 'namespaces' | 'loopback'

/** The part of a {@link NodeOption} that makes it a process node. */
export type ProcessSettings = Omit<ProcessNodeOptions, keyof NodeOption>

/** A node whose pods become processes of this machine: `startCluster({ nodes: [processNode({ images })] })`. Throws a sentence for a map that is none. */
export function processNode(options: ProcessNodeOptions): NodeOption {
  const { name, labels, capacity, ...settings } = options
  const process: ProcessSettings = { ...settings, images: checkImageMap(settings.images) }
  return {
    ...(name !== undefined && { name }),
    ...(labels && { labels }),
    ...(capacity && { capacity }),
    process,
  }
}
