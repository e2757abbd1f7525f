import { mkdirSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Clock } from 'kubewright/base'
import type { ControllerDefinition } from 'kubewright/controller'
import type { Pod, Service } from 'kubewright/kinds/core/v1'
import type { Runnable } from 'kubewright/manager'
import type { FindKubelet, Kubelet } from '../../apiserver/index.ts'
import { kubelet } from '../kubelet-api/kubelet.ts'
import type { KubeletHost } from '../kubelet-api/pod-access.ts'
import type { NodeSpec } from '../node/node-object.ts'
import { nodeHeart, nodeSpecs, type NodeOptions } from '../nodes.ts'
import type { Ground } from './ground/ground.ts'
import { loopbackGround } from './ground/loopback-ground.ts'
import { namespaceGround } from './ground/namespace-ground.ts'
import { DEFAULT_LOG_LIMITS } from './log/log-file.ts'
import { clusterDns } from './network/dns-server.ts'
import { serviceProxy } from './network/service-proxy.ts'
import type { ProcessSettings } from './options.ts'
import { DEFAULT_PROCESS_DELAYS } from './pod/input.ts'
import { ProcessAccess } from './process-access.ts'
import { clusterUsage } from './process-usage.ts'
import { type ProcessMachine, processKubelets, type Residents } from './process-kubelets.ts'
import { CLUSTER_RANGE, LOOPBACK_RANGE, loopbackSpec } from './ranges.ts'

/** The process nodes of a cluster, with the ground that they stand on. */
export interface ProcessNodes {
  /** What the API server has to know of them. */
  readonly server: {
    readonly serviceRange: string
    readonly allowLoopbackEndpoints?: boolean
    readonly dial?: (host: string, port: number) => Promise<Socket> | undefined
  }
  readonly ground: Ground
  /** The kubelets as an API server asks them. */
  readonly findKubelet: FindKubelet
  readonly hosts: readonly KubeletHost[]
  /** The parts of a manager that are their kubelets. `apiServer` is where pods reach the API server. */
  parts(apiServer: () => ApiServerPlace | undefined): readonly (ControllerDefinition | Runnable)[]
  /** Ends every process, and removes what was made for this cluster alone. */
  close(): Promise<void>
}

/** Where the API server listens on this machine. */
export interface ApiServerPlace {
  readonly host: string
  readonly port: number
}

/** What process nodes take from the cluster that they are of. */
export interface ProcessNodesOptions extends NodeOptions {
  readonly dataDir?: string
  readonly clock: Clock
}

/** How long processes have to end when a cluster that goes on later ends, ms. */
const GRACE = 5000

/** Makes the ground for the process nodes among a cluster's nodes. Rejects with a sentence where this machine has none to offer. */
export async function openProcessNodes(options: ProcessNodesOptions): Promise<ProcessNodes> {
  const found = nodeSpecs(options).filter(({ option }) => option.process !== undefined)
  const { version = 'v1.36.3', podNetwork = 'namespaces' } = options
  const home = homeOf(options.dataDir)
  const residents: Residents = new Map()
  const isLoopback = podNetwork === 'loopback'
  const ranges = isLoopback ? LOOPBACK_RANGE : CLUSTER_RANGE
  const machines = found.map(({ spec, option, index }) =>
    machineOf(isLoopback ? loopbackSpec(spec, index) : spec, option.process!, home.folder),
  )
  const nodes = machines.map((it) => it.spec.address)
  const ground = isLoopback
    ? await loopbackGround()
    : await namespaceGround({ ...ranges, nodes, folder: home.folder })
  const access = new ProcessAccess(residents, ground, options.clock)
  const startedAt = options.clock.now()
  const hosts = machines.map(({ spec }): KubeletHost => {
    const node = spec.name
    const now = (): number => options.clock.now()
    const pods = (): readonly Pod[] =>
      [...residents.values()].filter((it) => it.machine.spec.name === node).map((it) => it.pod)
    return { node, startedAt, pods, access, overhead: () => clusterUsage(startedAt, now()), now }
  })
  const kubelets = new Map<string, Kubelet>(hosts.map((it) => [it.node, kubelet(it)]))
  return {
    ground,
    hosts,
    findKubelet: (node) => kubelets.get(node),
    server: {
      serviceRange: ranges.services,
      ...(isLoopback
        ? { allowLoopbackEndpoints: true }
        : {
            dial: (host: string, port: number) =>
              isOfCluster(host) ? ground.dial(host, port) : undefined,
          }),
    },
    parts: (apiServer) => {
      const service = (it: Service): Service => (isLoopback ? reachable(it, apiServer()) : it)
      const { nameserver } = ranges
      return [
        processKubelets(machines, { ground, service, nameserver }, residents),
        ...machines.map((it) => nodeHeart(it.spec, version)),
        serviceProxy({
          ground,
          nodes,
          apiServer,
          taken: isLoopback ? [] : [nameserver],
          isOfCluster: (host) => isLoopback || isOfCluster(host),
        }),
        // The machine's own resolver is asked by processes that share its files.
        ...(isLoopback ? [] : [clusterDns(ground, nameserver)]),
      ]
    },
    close: async () => {
      const keepFolder = options.dataDir !== undefined
      if (keepFolder) await endGently(residents, options.clock)
      await ground.close()
      await Promise.all([...residents.values()].map((it) => it.runner.close({ keepFolder })))
      if (home.isOwn) await rm(home.folder, { recursive: true, force: true })
    },
  }
}

/** Whether an address is one of a cluster's own network: a pod's, a service's or a node's. */
const isOfCluster = (host: string): boolean =>
  /^10\.(?:244|89|9[6-9]|10\d|11[01])\.\d+\.\d+$/.test(host)

interface Home {
  readonly folder: string
  /** Made for this cluster alone. */
  readonly isOwn: boolean
}

function homeOf(dataDir: string | undefined): Home {
  if (dataDir === undefined)
    return { folder: mkdtempSync(join(tmpdir(), 'kubewright-nodes-')), isOwn: true }
  // Other processes have other working directories.
  const folder = resolve(dataDir, 'nodes')
  mkdirSync(folder, { recursive: true })
  return { folder, isOwn: false }
}

function machineOf(spec: NodeSpec, settings: ProcessSettings, home: string): ProcessMachine {
  const folder = resolve(settings.folder ?? join(home, spec.name))
  return {
    spec,
    images: settings.images,
    folder,
    hostRoot: resolve(settings.hostRoot ?? join(folder, 'host')),
    claimsFolder: join(home, 'claims'),
    delays: { ...DEFAULT_PROCESS_DELAYS, ...settings.delays },
    limits: { ...DEFAULT_LOG_LIMITS, ...settings.logs },
  }
}

/** The API server is where it listens: its service's address leads there only where there is a proxy for it. */
function reachable(service: Service, place: ApiServerPlace | undefined): Service {
  const { namespace, name } = service.metadata
  if (!place || namespace !== 'default' || name !== 'kubernetes') return service
  const [port] = service.spec?.ports ?? []
  return {
    ...service,
    spec: { ...service.spec, clusterIP: place.host, ports: [{ ...port, port: place.port }] },
  }
}

async function endGently(residents: Residents, clock: Clock): Promise<void> {
  const running = [...residents.values()].flatMap((it) => it.runner.running())
  for (const it of running) it.signal('SIGTERM')
  const waiting = new AbortController()
  await Promise.race([
    Promise.all(running.map((it) => it.ended)),
    clock.sleep(GRACE, waiting.signal).catch(() => {}),
  ])
  waiting.abort()
}
