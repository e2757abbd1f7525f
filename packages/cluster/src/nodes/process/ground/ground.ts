import type { Socket as UdpSocket } from 'node:dgram'
import type { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'

/**
 * Where the processes of a cluster's pods run: the machine itself, with loopback addresses (loopback-ground.ts), or namespaces of their
 * own (namespaces/). Ending it, or the end of this process however it comes, ends every process that was started on it.
 */
export interface Ground {
  readonly kind: 'loopback' | 'namespaces'
  /** Makes the place of one pod. Rejects with a sentence where the machine does not grant it. */
  makeSandbox(spec: SandboxSpec): Promise<Sandbox>
  /** Connects to a pod or service. Rejects with Node's own error: ECONNREFUSED and its like. */
  dial(host: string, port: number): Promise<Socket>
  /** Takes connections at an address of the cluster's. */
  listen(
    host: string,
    port: number,
    onConnection: (socket: Socket) => void,
  ): Promise<AsyncDisposable>
  /** A socket for datagrams at an address of the cluster's; port 0 is any. */
  bindUdp(host: string, port: number): Promise<UdpSocket>
  close(): Promise<void>
}

/** A pod's place: its name in its network, and its address. */
export interface SandboxSpec {
  readonly uid: string
  readonly hostname: string
  readonly address: string
  /** Whether it uses its node's network. */
  readonly hostNetwork: boolean
}

/** Where the containers of one pod run. */
export interface Sandbox {
  /** Starts a container. Rejects with a {@link LaunchError}. */
  launch(spec: LaunchSpec): Promise<RunningContainer>
  /** Ends what still runs in it. */
  close(): Promise<void>
}

/** A process to start, with nothing left to be found out. */
export interface LaunchSpec {
  readonly argv: readonly [program: string, ...args: string[]]
  readonly variables: ReadonlyMap<string, string>
  /** Undefined: `/`, or the container's own folder where there are no mount namespaces. */
  readonly workingDir: string | undefined
  readonly identity: Identity
  readonly mounts: readonly Mount[]
  /** The container's own folder on this machine: it is there, and goes with it. */
  readonly folder: string
  readonly image: ImageRoot
  readonly security: SecurityLimits
  readonly stdin: boolean
  readonly tty: boolean
}

/** What a container has for a root. */
export interface ImageRoot {
  /** An unpacked image; undefined: the machine's own programs. */
  readonly root: string | undefined
  readonly files: readonly string[]
  readonly programs: Readonly<Record<string, string>>
}

/** As whom a process runs: numbers of this machine. */
export interface Identity {
  readonly uid: number
  readonly gid: number
  readonly groups: readonly number[]
}

/** A folder or file of this machine, and where the container has it. */
export interface Mount {
  readonly from: string
  readonly to: string
  readonly readOnly: boolean
}

/** What a process may not do. */
export interface SecurityLimits {
  readonly privileged: boolean
  readonly readOnlyRoot: boolean
  readonly noNewPrivileges: boolean
  /** Capabilities beyond and below those of a container by default, without `CAP_`, or `ALL`. */
  readonly add: readonly string[]
  readonly drop: readonly string[]
}

/** A process that was started, or one that was started beside it. */
export interface RunningProcess {
  readonly stdin: Writable | undefined
  readonly stdout: Readable
  readonly stderr: Readable
  readonly ended: Promise<ProcessEnd>
  /** The process below which its terminal is found, where it has one. */
  readonly terminal: number | undefined
  /** Sends a signal (`SIGTERM`) to the process; nothing happens when it has ended. */
  signal(name: string): void
  /** Ends it and all that it started. */
  kill(): void
}

/** A container's first process. */
export interface RunningContainer extends RunningProcess {
  /** Its number on this machine; undefined once it has ended. */
  readonly pid: number | undefined
  /** Starts another process in the container. Rejects with a {@link LaunchError}. */
  exec(spec: ExecSpec): Promise<RunningProcess>
}

/** A process beside a container's first. */
export interface ExecSpec {
  readonly argv: readonly [program: string, ...args: string[]]
  readonly variables: ReadonlyMap<string, string>
  readonly stdin: boolean
  readonly tty: boolean
}

/** With which code a process ended; 128 and the signal's number where a signal ended it. */
export interface ProcessEnd {
  readonly exitCode: number
  readonly signal?: string
}

/** A process did not start. */
export class LaunchError extends Error {
  override readonly name = 'LaunchError'
  /** `StartError`: its program is none; `CreateContainerError`: the machine did not grant what it needs. */
  readonly reason: 'StartError' | 'CreateContainerError'

  constructor(reason: LaunchError['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** What containerd says of a program that is not there. */
export function noSuchProgram(program: string): LaunchError {
  const why = program.includes('/')
    ? `stat ${program}: no such file or directory`
    : 'executable file not found in $PATH'
  return new LaunchError(
    'StartError',
    `failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: ` +
      `unable to start container process: error during container init: exec: ${JSON.stringify(program)}: ${why}`,
  )
}
