import type { Pod, WeightedPodAffinityTerm } from 'kubewright/kinds/core/v1'
import { parseTimestamp } from '../workload/time.ts'
import { type AffinityTerm, affinityTerm } from './affinity-term.ts'
import { type Amounts, DEFAULT_REQUEST, podRequests } from './resources.ts'

/** A port of the host that a pod wants. */
export interface HostPort {
  /** The protocol and the number. */
  readonly port: string
  readonly address: string
}

/** A pod's terms about others, by whether they attract and whether they bind. */
export interface AffinityTerms {
  readonly required: readonly AffinityTerm[]
  readonly requiredAnti: readonly AffinityTerm[]
  readonly preferred: readonly AffinityTerm[]
  readonly preferredAnti: readonly AffinityTerm[]
}

/** A pod and what the scheduler reads off it, once. */
export class PodInfo {
  readonly pod: Pod
  #requests: Amounts | undefined
  #assumed: Amounts | undefined
  #ports: readonly HostPort[] | undefined
  #terms: AffinityTerms | undefined

  constructor(pod: Pod) {
    this.pod = pod
  }

  get uid(): string {
    return this.pod.metadata.uid!
  }

  get priority(): number {
    return this.pod.spec.priority ?? 0
  }

  /** What it asks for. */
  get requests(): Amounts {
    return (this.#requests ??= podRequests(this.pod))
  }

  /** What it is taken to use where it does not say. */
  get assumedRequests(): Amounts {
    return (this.#assumed ??= podRequests(this.pod, DEFAULT_REQUEST))
  }

  get hostPorts(): readonly HostPort[] {
    return (this.#ports ??= hostPortsOf(this.pod))
  }

  get terms(): AffinityTerms {
    return (this.#terms ??= termsOf(this.pod))
  }

  get hasAffinity(): boolean {
    const { podAffinity, podAntiAffinity } = this.pod.spec.affinity ?? {}
    return podAffinity !== undefined || podAntiAffinity !== undefined
  }
}

const ANY_ADDRESS = '0.0.0.0'

function hostPortsOf({ spec }: Pod): readonly HostPort[] {
  const sidecars = (spec.initContainers ?? []).filter((it) => it.restartPolicy === 'Always')
  return [...spec.containers, ...sidecars].flatMap((it) =>
    (it.ports ?? [])
      .filter((port) => port.hostPort)
      .map((port) => ({
        port: `${port.protocol ?? 'TCP'}/${port.hostPort}`,
        address: port.hostIP || ANY_ADDRESS,
      })),
  )
}

/** Whether two ports cannot be had on one node. */
export const collide = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port &&
  (a.address === b.address || a.address === ANY_ADDRESS || b.address === ANY_ADDRESS)

const NO_TERMS: AffinityTerms = Object.freeze({
  required: [],
  requiredAnti: [],
  preferred: [],
  preferredAnti: [],
})

function termsOf(pod: Pod): AffinityTerms {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {}
  if (!podAffinity && !podAntiAffinity) return NO_TERMS
  const weighted = (terms: readonly WeightedPodAffinityTerm[] = []): readonly AffinityTerm[] =>
    terms.map((it) => affinityTerm(pod, it.podAffinityTerm, it.weight))
  const required = (which: typeof podAffinity): readonly AffinityTerm[] =>
    (which?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((it) => affinityTerm(pod, it))
  return {
    required: required(podAffinity),
    requiredAnti: required(podAntiAffinity),
    preferred: weighted(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
    preferredAnti: weighted(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
  }
}

/** Since when a pod runs, milliseconds since the epoch; one that has not begun is as young as can be. */
export const startOf = (pod: Pod): number => parseTimestamp(pod.status?.startTime) ?? Infinity

/** Whether a pod is more important than another: by priority, then by how long it has run (scheduler/util MoreImportantPod). */
export function compareImportance(a: PodInfo, b: PodInfo): number {
  if (a.priority !== b.priority) return b.priority - a.priority
  const [x, y] = [startOf(a.pod), startOf(b.pod)]
  return x === y ? 0 : x - y
}
