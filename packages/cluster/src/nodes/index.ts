/**
 * Simulated nodes: pods are bound to them and live there, and no process is ever started. Pure: what a command line would do
 * (container/), and the machine that takes one pod from Pending to its end (pod/stage.ts). The shell (kubelet.ts, nodes.ts) is a
 * controller of pods and a heartbeat, and runs against any API server.
 */
// Simulated nodes
export { type NodeOptions, type NodeOption, simulatedNodes } from './nodes.ts'
export { type NodeDelays, DEFAULT_DELAYS } from './settings.ts'
export { type NodeSpec, DEFAULT_CAPACITY } from './node/node-object.ts'
// What a pod may say about how it is simulated
export { EXIT_AFTER, EXIT_CODE } from './container/exit-plan.ts'
export { PULL_ERROR } from './container/image.ts'
export { READY } from './pod/container.ts'
// The machine
export { type PodInput, type PodStep, stepPod } from './pod/stage.ts'
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
