import type { ChildProcess } from 'node:child_process'
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { childrenOf, endOf, familyOf, runningChild, sendSignal, startChild } from './child.ts'
import { findProgram } from './find-program.ts'
import { Gateway } from './gateway-process.ts'
import {
  type ExecSpec,
  type Ground,
  LaunchError,
  type LaunchSpec,
  noSuchProgram,
  type RunningContainer,
  type RunningProcess,
  type Sandbox,
} from './ground.ts'
import { identityPrefix } from './identity-prefix.ts'
import { relocate } from './relocate.ts'
import { ttyCommand } from './tty.ts'

/**
 * The machine itself: containers are processes beside all others, pods have addresses of 127.0.0.0/8, and volumes are where
 * {@link relocate} says. A process namespace is used where the machine grants one, so that the kernel ends what is left.
 */
export async function loopbackGround(): Promise<Ground> {
  const { gateway, enter } = await startGateway()
  return {
    kind: 'loopback',
    makeSandbox: async () => new LoopbackSandbox(gateway, enter),
    dial,
    listen,
    bindUdp,
    close: () => gateway.close(),
  }
}

/** Stands before what is to run in the gateway's process namespace; undefined where there is none. */
type Enter = readonly string[] | undefined

const IN_NAMESPACE = ['--pid', '--fork', '--kill-child']

/** The first way that the machine grants: as root, as a user who may have a namespace of users, or with nothing but the gateway's care. */
async function startGateway(): Promise<{ readonly gateway: Gateway; readonly enter: Enter }> {
  const ways: readonly (readonly [prefix: readonly string[], enter: readonly string[]])[] = [
    [['unshare', ...IN_NAMESPACE], []],
    [
      ['unshare', '--user', '--map-current-user', ...IN_NAMESPACE],
      ['-U', '--preserve-credentials'],
    ],
  ]
  for (const [prefix, more] of ways) {
    const gateway = await Gateway.start(prefix).catch(() => undefined)
    if (gateway) return { gateway, enter: ['nsenter', '-t', String(gateway.pid), ...more, '-p'] }
  }
  return { gateway: await Gateway.start([]), enter: undefined }
}

async function dial(host: string, port: number): Promise<Socket> {
  const socket = connect(port, host)
  await once(socket, 'connect')
  return socket
}

async function listen(
  host: string,
  port: number,
  onConnection: (socket: Socket) => void,
): Promise<AsyncDisposable> {
  const server = createServer(onConnection)
  server.listen(port, host)
  await once(server, 'listening')
  return { [Symbol.asyncDispose]: async () => void server.close() }
}

async function bindUdp(address: string, port: number): Promise<UdpSocket> {
  const socket = createSocket('udp4')
  socket.bind({ address, port, exclusive: true })
  await once(socket, 'listening')
  return socket
}

class LoopbackSandbox implements Sandbox {
  readonly #gateway: Gateway
  readonly #enter: Enter
  readonly #running = new Set<RunningProcess>()

  constructor(gateway: Gateway, enter: Enter) {
    this.#gateway = gateway
    this.#enter = enter
  }

  async launch(spec: LaunchSpec): Promise<RunningContainer> {
    if (spec.image.root !== undefined)
      throw new LaunchError(
        'CreateContainerError',
        `the image map gives ${spec.image.root} as the image's root, and without namespaces of its own a container cannot have one`,
      )
    const moved = relocated(spec)
    const running = await this.#start(spec, moved)
    // A copy would keep the number that it has at this moment, and it may not have one yet.
    return Object.assign(running, {
      exec: (it: ExecSpec) => this.#start(spec, { ...moved, ...execOf(it, spec) }),
    })
  }

  async close(): Promise<void> {
    const ending = [...this.#running]
    for (const it of ending) it.kill()
    await Promise.all(ending.map((it) => it.ended))
  }

  async #start(
    spec: LaunchSpec,
    moved: Moved,
  ): Promise<RunningProcess & { readonly pid: number | undefined }> {
    mkdirSync(moved.cwd, { recursive: true })
    const [name, ...args] = moved.argv
    const program = findProgram(name, moved.variables.get('PATH') ?? '', moved.cwd)
    if (program === undefined) throw noSuchProgram(name)
    const line = [...identityPrefix(spec), ...ttyCommand([program, ...args], moved.tty)]
    const argv = [...(this.#enter ?? []), ...line]
    const child = await startChild({ ...moved, argv }).catch((cause: Error) => {
      throw new LaunchError('CreateContainerError', cause.message, { cause })
    })
    const leader = child.pid!
    if (!this.#enter) this.#gateway.watch(leader)
    const pidOf = (): number | undefined => (this.#enter ? childrenOf(leader)[0] : leader)
    const running = runningChild(child, pidOf, () => killFamily(leader))
    this.#running.add(running)
    void this.#end(child, running)
    return Object.defineProperty({ ...running, pid: undefined as number | undefined }, 'pid', {
      get: pidOf,
      enumerable: true,
    })
  }

  /** As the end of a container's first process ends the container. */
  async #end(child: ChildProcess, running: RunningProcess): Promise<void> {
    await endOf(child)
    this.#running.delete(running)
    if (!this.#enter) this.#gateway.forget(child.pid!)
    sendSignal(-child.pid!, 'SIGKILL')
  }
}

function killFamily(leader: number): void {
  for (const pid of familyOf(leader)) sendSignal(pid, 'SIGKILL')
  sendSignal(-leader, 'SIGKILL')
}

interface Moved {
  readonly argv: readonly [program: string, ...args: string[]]
  readonly variables: ReadonlyMap<string, string>
  readonly cwd: string
  readonly stdin: boolean
  readonly tty: boolean
}

function relocated({ argv, variables, workingDir, mounts, folder, stdin, tty }: LaunchSpec): Moved {
  const [program, ...args] = argv
  return {
    argv: [relocate(program, mounts), ...args.map((it) => relocate(it, mounts))],
    variables: new Map([...variables].map(([name, value]) => [name, relocate(value, mounts)])),
    cwd: workingDir === undefined ? folder : relocate(workingDir, mounts),
    stdin,
    tty,
  }
}

function execOf(
  spec: ExecSpec,
  { mounts }: LaunchSpec,
): Pick<Moved, 'argv' | 'variables' | 'stdin' | 'tty'> {
  const [program, ...args] = spec.argv
  return {
    argv: [relocate(program, mounts), ...args.map((it) => relocate(it, mounts))],
    variables: new Map([...spec.variables].map(([name, value]) => [name, relocate(value, mounts)])),
    stdin: spec.stdin,
    tty: spec.tty,
  }
}
