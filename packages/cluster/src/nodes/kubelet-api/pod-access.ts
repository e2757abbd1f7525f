import type { Duplex, Readable, Writable } from 'node:stream'
import type { Pod } from 'kubewright/kinds/core/v1'

/** Which pod of a node is meant; by its uid, and not another of the same name. */
export interface PodRef {
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/** Which container of a pod is meant: a main, init or ephemeral one. */
export interface ContainerRef extends PodRef {
  readonly container: string
}

/**
 * What reaches into the pods of one node: all that a kubelet asks its container runtime for. An implementation may take it for granted
 * that the pod is on its node and has a container of that name; for `exec` and `attach` also that its status says that it runs.
 *
 * Whatever fails is an Error with a sentence, which clients see as it stands.
 */
export interface PodAccess {
  /**
   * What a container has written, as it stands in the answer to `kubectl logs` ({@link selectLog} makes it of records). The promise
   * rejects when there is nothing to read from (a container that has not started, a previous run that never was); once it has resolved, the answer is 200. With
   * `follow` the bytes go on until the container ends, or the signal aborts.
   */
  logs(
    of: ContainerRef,
    options: LogOptions,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>>
  /**
   * Runs a command in a container. Resolves with its exit code, once it has ended and all that it wrote has been written to the streams.
   * Rejects when the command cannot be started. The signal aborts when the client has gone: the command is to be killed then.
   */
  exec(
    of: ContainerRef,
    command: readonly string[],
    streams: ContainerStreams,
    signal: AbortSignal,
  ): Promise<number>
  /** Joins the process of a container, from now on. Resolves when it has ended, or the signal aborts (it lives on then). */
  attach(of: ContainerRef, streams: ContainerStreams, signal: AbortSignal): Promise<void>
  /** Connects to a port of a pod. Rejects when nobody listens there. The connection is destroyed when its client has gone. */
  dial(of: PodRef, port: number, signal: AbortSignal): Promise<Duplex>
  /** What the containers of a pod use now, those that run; undefined when nothing is known of the pod (yet). */
  usage(of: PodRef): PodUsage | undefined
}

/** What of a log is asked for (core/v1 PodLogOptions); what is absent is not restricted. */
export interface LogOptions {
  readonly follow: boolean
  /** The log of the run before the present one. */
  readonly previous: boolean
  /** Whether each line begins with its time and a blank. */
  readonly timestamps: boolean
  /** Only what was written at this moment or later, milliseconds since the epoch. */
  readonly since?: number
  /** How many lines of what is there are shown, counted from the end; what follows comes in full. */
  readonly tailLines?: number
  /** How many bytes the answer has at most, times included. */
  readonly limitBytes?: number
}

/** The streams of a command or an attached process; those that nobody asked for are absent. */
export interface ContainerStreams {
  /** Ends when the client half-closes it (`echo x | kubectl exec -i`). */
  readonly stdin?: Readable
  /** Waits where the client does not read: heed `write`'s answer, or use `pipeline`. Ended here or by the implementation, either will do. */
  readonly stdout?: Writable
  /** Absent with a `tty`, which has one output. */
  readonly stderr?: Writable
  /** Whether the process gets a terminal. */
  readonly tty: boolean
  /** The sizes of the terminal, the first at once where the client has one; ends with the connection. Without a `tty` there are none. */
  readonly resize: AsyncIterable<TerminalSize>
}

/** In characters. */
export interface TerminalSize {
  readonly width: number
  readonly height: number
}

/** What a pod uses, as `/stats/summary`, `/metrics/resource` and metrics.k8s.io tell it. */
export interface PodUsage {
  readonly containers: readonly ContainerUsage[]
}

export interface ContainerUsage extends Usage {
  readonly name: string
  /** When its process began, milliseconds since the epoch. */
  readonly startedAt: number
}

/** What something used at a moment. */
export interface Usage {
  /** When this was measured, milliseconds since the epoch. */
  readonly at: number
  /** Over how much time `cpuCores` was measured, milliseconds. */
  readonly window: number
  /** Cores in use, on average over the window: 0.25 is 250m. */
  readonly cpuCores: number
  /** Seconds of one core that have been used since the start; never less than before. */
  readonly cpuSeconds: number
  /** Memory that cannot be taken away under pressure, bytes: what limits and the HPA count. */
  readonly workingSetBytes: number
}

/** What serves as the kubelet of one node: its pods, and the way into them. */
export interface KubeletHost {
  /** The node's name. */
  readonly node: string
  /** When the node started, milliseconds since the epoch. */
  readonly startedAt: number
  /** The pods that are bound to the node, as it last saw them. */
  pods(): readonly Pod[]
  readonly access: PodAccess
  /** What the node uses beside its pods' containers: the machine itself. */
  overhead(): Usage
  /** Milliseconds since the epoch. */
  now(): number
}
