import type { Node, NodeCondition, NodeStatus } from 'kubewright/kinds/core/v1'
import { type Draft, timeText } from 'kubewright/machinery'

/** What a simulated node is: its name, its place in the networks, and what it can carry. */
export interface NodeSpec {
  readonly name: string
  /** `10.244.3.0/24`: where its pods' addresses come from. */
  readonly podCIDR: string
  readonly address: string
  readonly labels: Readonly<Record<string, string>>
  readonly capacity: Readonly<Record<string, string>>
}

/** What a simulated node offers unless told otherwise. */
export const DEFAULT_CAPACITY: Readonly<Record<string, string>> = Object.freeze({
  cpu: '32',
  memory: '256Gi',
  'ephemeral-storage': '1Ti',
  pods: '110',
})

/** The node number `index` (from 0) of a cluster, with the labels that a kubelet gives itself. */
export function nodeSpec(
  index: number,
  name: string,
  labels: Readonly<Record<string, string>> = {},
  capacity: Readonly<Record<string, string>> = {},
): NodeSpec {
  return {
    name,
    podCIDR: `10.${podNetwork(Math.floor(index / 256))}.${index % 256}.0/24`,
    address: `10.89.${Math.floor(index / 250)}.${(index % 250) + 2}`,
    labels: {
      'kubernetes.io/hostname': name,
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
      'beta.kubernetes.io/os': 'linux',
      'beta.kubernetes.io/arch': 'amd64',
      ...labels,
    },
    capacity: { ...DEFAULT_CAPACITY, ...capacity },
  }
}

/** The second number of pods' addresses: from 244 on, for the first twelve networks of 256 nodes, then from 128 on. */
const podNetwork = (network: number): number => (network < 12 ? 244 + network : 116 + network)

const HEALTH: readonly (readonly [
  type: string,
  status: string,
  reason: string,
  message: string,
])[] = [
  [
    'MemoryPressure',
    'False',
    'KubeletHasSufficientMemory',
    'kubelet has sufficient memory available',
  ],
  ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
  ['Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'],
]

function conditions(current: Node | undefined, now: number): readonly NodeCondition[] {
  return HEALTH.map(([type, status, reason, message]) => {
    const before = current?.status?.conditions?.find((it) => it.type === type)
    const since = before?.status === status ? before.lastTransitionTime : undefined
    const time = timeText(now)
    return {
      type,
      status,
      lastHeartbeatTime: time,
      lastTransitionTime: since ?? time,
      reason,
      message,
    }
  })
}

/** The status that a node posts at `now` (milliseconds); what others wrote into it stays. */
export function nodeStatus(
  spec: NodeSpec,
  kubeletVersion: string,
  current: Node | undefined,
  now: number,
): NodeStatus {
  const others = (current?.status?.conditions ?? []).filter(
    (it) => !HEALTH.some(([type]) => type === it.type),
  )
  return {
    ...current?.status,
    capacity: spec.capacity,
    allocatable: spec.capacity,
    conditions: [...conditions(current, now), ...others],
    addresses: [
      { type: 'InternalIP', address: spec.address },
      { type: 'Hostname', address: spec.name },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: {
      machineID: `simulated-${spec.name}`,
      systemUUID: `simulated-${spec.name}`,
      bootID: `simulated-${spec.name}`,
      kernelVersion: '6.6.0-simulated',
      osImage: 'kubewright simulated node',
      containerRuntimeVersion: 'containerd://2.1.0-simulated',
      kubeletVersion,
      kubeProxyVersion: '',
      operatingSystem: 'linux',
      architecture: 'amd64',
    },
  }
}

/** A node as it registers itself. */
export function nodeDraft(spec: NodeSpec, kubeletVersion: string, now: number): Draft<Node> {
  return {
    metadata: {
      name: spec.name,
      labels: spec.labels,
      annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
    },
    spec: { podCIDR: spec.podCIDR, podCIDRs: [spec.podCIDR] },
    status: nodeStatus(spec, kubeletVersion, undefined, now),
  }
}
