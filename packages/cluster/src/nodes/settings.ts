/**
 * How long things take on a simulated node, in milliseconds. The defaults are short enough for tests on a real clock and long enough
 * for every state of a pod to be seen by a watch.
 */
export interface NodeDelays {
  /** From a pod's first status to its network. Default 5. */
  readonly sandbox: number
  /** Pulling an image that the node does not have. Default 10. */
  readonly pull: number
  /** How long a container runs at least, so that it can be seen running. Default 20. */
  readonly run: number
  /** From the start of a container with a readiness probe until it is ready. Default 20. */
  readonly ready: number
  /** From the end of a container until it is started again or waits for that. Default 10. */
  readonly restart: number
  /** From the stop signal until the containers have ended; never longer than the pod's grace period. Default 5. */
  readonly stop: number
  /** The first wait of CrashLoopBackOff and ImagePullBackOff; each next one is twice as long. Default 10 000. */
  readonly backOff: number
  /** The longest such wait. Default 300 000. */
  readonly maxBackOff: number
}

export const DEFAULT_DELAYS: NodeDelays = Object.freeze({
  sandbox: 5,
  pull: 10,
  run: 20,
  ready: 20,
  restart: 10,
  stop: 5,
  backOff: 10_000,
  maxBackOff: 300_000,
})
