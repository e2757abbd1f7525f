/**
 * Nodes, simulated and real. On a simulated node pods live and no process is ever started; on a process node (process/) their
 * containers are programs of this machine. Pure: what a command line would do (container/, shell/), how pods are to behave (behaviour/), and
 * the machine that takes one pod from Pending to its end (pod/stage.ts). The shell (kubelet.ts, node/hearts.ts) is a controller of pods and a
 * heartbeat, and runs against any API server. In the other direction kubelet-api/ answers what an API server asks of a kubelet, out of a
 * PodAccess: that of simulated pods is in simulated/. metrics-api/ tells what all of them use.
 */
// Simulated nodes
export {
  type NodeOptions,
  type NodeOption,
  type SimulatedNodes,
  simulateNodes,
  simulatedNodes,
} from './nodes.ts'
export { KUBELET } from './kubelet.ts'
export { type NodeDelays, DEFAULT_DELAYS } from './settings.ts'
export { type NodeSpec, DEFAULT_CAPACITY } from './node/node-object.ts'
// Nodes whose pods are processes
export {
  type PodNetwork,
  type ProcessNodeOptions,
  type ProcessSettings,
  processNode,
} from './process/options.ts'
export { type ImageMap, type ImageProgram } from './process/image/image-map.ts'
export { parseImageMap } from './process/image/parse-image-map.ts'
export { makeProcessNodes } from './process/make-process-nodes.ts'
export type { ProcessNodes, ApiServerPlace } from './process/process-nodes.ts'
// How pods behave: by annotations, and by rules
export {
  EXIT_AFTER,
  EXIT_CODE,
  EXIT_REASON,
  EXIT_TIMES,
  PULL_ERROR,
  PULL_DELAY,
  READY,
  READY_AFTER,
  LIVENESS_FAILS_AFTER,
  STARTUP_FAILS,
  STOP_AFTER,
  USAGE_CPU,
  USAGE_MEMORY,
  LOG,
} from './behaviour/annotations.ts'
export { type PodRule, type PodMatch, type Delay, whenPod } from './behaviour/rule.ts'
export { type ExecOf, type UsageOf, type SimulatedUsage } from './behaviour/behaviour.ts'
// Other objects' lives, in stages
export { type Stage, type StageNext, stage } from './stages/stage.ts'
export { stageControllers } from './stages/run-stages.ts'
// The machine
export { type PodInput, type PodStep } from './pod/input.ts'
export { stepPod } from './pod/stage.ts'
export {
  type PodState,
  type PodEvent,
  type ContainerRun,
  type ContainerPhase,
} from './pod/state.ts'
// What reaches into the pods of a node: logs, commands, ports, usage; a kubelet answers with it
export { kubelet } from './kubelet-api/kubelet.ts'
export {
  type PodAccess,
  type PodRef,
  type ContainerRef,
  type LogOptions,
  type ContainerStreams,
  type TerminalSize,
  type Usage,
  type ContainerUsage,
  type PodUsage,
  type KubeletHost,
} from './kubelet-api/pod-access.ts'
export { type LogRecord, ContainerLog, selectLog } from './kubelet-api/log.ts'
// What nodes use, as autoscalers and `kubectl top` read it
export { type MetricsSource, metricsApi } from './metrics-api/metrics-api.ts'
export { METRICS_SERVICE, metricsRegistration } from './metrics-api/register.ts'
