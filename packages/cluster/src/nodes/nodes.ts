import { type Clock, systemClock } from 'kubewright/base'
import type { ControllerDefinition } from 'kubewright/controller'
import type { Runnable } from 'kubewright/manager'
import type { FindKubelet, Kubelet } from '../apiserver/index.ts'
import type { PodRule } from './behaviour/rule.ts'
import { Rules } from './behaviour/rules.ts'
import { kubelet } from './kubelet-api/kubelet.ts'
import type { KubeletHost } from './kubelet-api/pod-access.ts'
import { isStopped, Kubelets } from './kubelet.ts'
import { nodeHearts } from './node/hearts.ts'
import { type NodeSpec, nodeSpec } from './node/node-object.ts'
import type { PodNetwork, ProcessSettings } from './process/options.ts'
import { DEFAULT_DELAYS, type NodeDelays } from './settings.ts'
import { stageControllers } from './stages/run-stages.ts'
import type { Stage } from './stages/stage.ts'

/** Which nodes to simulate, and how quick they are. */
export interface NodeOptions {
  /** How many, or what each is. Default 1. */
  readonly nodes?: number | readonly NodeOption[]
  /** Default {@link DEFAULT_DELAYS}; parts may be given. */
  readonly delays?: Partial<NodeDelays>
  /** How the pods of process nodes reach one another. Default `namespaces`. */
  readonly podNetwork?: PodNetwork
  /** What the nodes report as their kubelet's version. Default `v1.36.3`. */
  readonly version?: string
  /** How pods on simulated nodes behave, beside what their annotations say. */
  readonly pods?: readonly PodRule[]
  /** How other objects live, custom resources for example: `stage({ … })` gives one. */
  readonly stages?: readonly Stage[]
}

/** One node. The name defaults to `node-1`, `node-2` …. */
export interface NodeOption {
  readonly name?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly capacity?: Readonly<Record<string, string>>
  /** Makes its pods processes of this machine: `processNode()` gives it. Default: they are simulated. */
  readonly process?: ProcessSettings
}

/** A node as it was asked for, and what that makes of it. */
export interface PlannedNode {
  readonly spec: NodeSpec
  readonly option: NodeOption
  readonly index: number
}

/** What each of a cluster's nodes is. */
export function nodeSpecs({ nodes = 1 }: NodeOptions): readonly PlannedNode[] {
  const wanted: readonly NodeOption[] =
    typeof nodes === 'number' ? Array.from({ length: nodes }, () => ({})) : nodes
  return wanted.map((option, index) => {
    const { name = `node-${index + 1}`, labels, capacity } = option
    return { spec: nodeSpec(index, name, labels, capacity), option, index }
  })
}

/** Nodes in this process. */
export interface SimulatedNodes {
  /** What a manager runs: their kubelets, and what registers them and keeps their leases. */
  readonly parts: readonly (ControllerDefinition | Runnable)[]
  /** Their kubelets as an API server asks them. */
  readonly findKubelet: FindKubelet
  readonly hosts: readonly KubeletHost[]
  /** Lets pods behave in some way from now on. What it answers with ends that. */
  readonly simulate: (...rules: readonly PodRule[]) => Disposable
}

/** Makes nodes to simulate, all but those whose pods are processes: nothing happens before a manager runs their parts, with the same clock. */
export function simulateNodes(
  options: NodeOptions = {},
  clock: Clock = systemClock,
): SimulatedNodes {
  const { version = 'v1.36.3', pods = [], stages = [] } = options
  const specs = nodeSpecs(options)
    .filter(({ option }) => option.process === undefined)
    .map(({ spec }) => spec)
  const rules = new Rules(pods)
  const delays = { ...DEFAULT_DELAYS, ...options.delays }
  const kubelets = new Kubelets({ specs, delays, rules, clock })
  const serving = new Map<string, Kubelet>(
    [...kubelets.hosts].map(([name, host]) => [name, kubelet(host)]),
  )
  const hearts = specs.length > 0 ? [nodeHearts(specs, version, isStopped)] : []
  return {
    parts: [kubelets.controller, ...hearts, ...stageControllers(stages)],
    findKubelet: (node) => serving.get(node),
    hosts: [...kubelets.hosts.values()],
    simulate: (...more) => rules.add(...more),
  }
}

/** The parts of a manager that simulate nodes, against any API server: the kubelets, and what registers the nodes and keeps their leases. */
export const simulatedNodes = (
  options: NodeOptions = {},
): readonly (ControllerDefinition | Runnable)[] => simulateNodes(options).parts

/** Registers a node, then beats until the end. A beat that fails is tried again with the next. */
export const nodeHeart = (spec: NodeSpec, version: string): Runnable => nodeHearts([spec], version)
