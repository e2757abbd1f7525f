import type { ControllerDefinition } from 'kubewright/controller'
import type { Runnable } from 'kubewright/manager'
import { kubelets } from './kubelet.ts'
import {
  type Heart,
  registerNode,
  RENEW_EVERY,
  renewLease,
  REPORT_EVERY,
  reportNode,
} from './node/heartbeat.ts'
import { type NodeSpec, nodeSpec } from './node/node-object.ts'
import type { ProcessSettings } from './process/options.ts'
import { DEFAULT_DELAYS, type NodeDelays } from './settings.ts'

/** Which nodes to simulate, and how quick they are. */
export interface NodeOptions {
  /** How many, or what each is. Default 1. */
  readonly nodes?: number | readonly NodeOption[]
  /** Default {@link DEFAULT_DELAYS}; parts may be given. */
  readonly delays?: Partial<NodeDelays>
  /** What the nodes report as their kubelet's version. Default `v1.36.3`. */
  readonly version?: string
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

/** The parts of a manager that simulate nodes, all but those whose pods are processes: the kubelets, and what registers the nodes and keeps their leases. */
export function simulatedNodes(
  options: NodeOptions = {},
): readonly (ControllerDefinition | Runnable)[] {
  const { version = 'v1.36.3' } = options
  const specs = nodeSpecs(options)
    .filter(({ option }) => option.process === undefined)
    .map(({ spec }) => spec)
  return [
    kubelets(specs, { ...DEFAULT_DELAYS, ...options.delays }),
    ...specs.map((it) => nodeHeart(it, version)),
  ]
}

/** Registers a node, then beats until the end. A beat that fails is tried again with the next. */
export function nodeHeart(spec: NodeSpec, version: string): Runnable {
  return {
    name: `node ${spec.name}`,
    async run({ client, clock, log, signal }) {
      const heart: Heart = { client, clock, version }
      const node = await registerNode(heart, spec)
      for (let beats = 0; !signal.aborted; beats++) {
        try {
          await renewLease(heart, node)
          if (beats > 0 && (beats * RENEW_EVERY) % REPORT_EVERY === 0) await reportNode(heart, spec)
        } catch (error) {
          if (signal.aborted) return
          log.warn('a heartbeat failed', { error })
        }
        await clock.sleep(RENEW_EVERY, signal).catch(() => {})
      }
    },
  }
}
