import { lstatSync, mkdirSync, statSync } from 'node:fs'
import type { Socket as UdpSocket } from 'node:dgram'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { childrenOf, endOf, runningChild, sendSignal, startChild } from './child.ts'
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
  type SandboxSpec,
} from './ground.ts'
import { launchScript, MISSING, type PlannedMount, READY, type Tools } from './launch-script.ts'
import { networkScript, podNetworkScript } from './network.ts'
import { resolveIn } from './resolve-in.ts'
import { runScript } from './run-script.ts'
import { findTools } from './tools.ts'
import { ttyCommand } from './tty.ts'

/** Which addresses the network of a cluster has. */
export interface NetworkPlan {
  /** Of pods (`10.244.0.0/16`), and of services. */
  readonly pods: string
  readonly services: string
  /** Addresses of the nodes. */
  readonly nodes: readonly string[]
  /** A folder for what is needed while the cluster runs. */
  readonly folder: string
}

/** How the cluster's namespaces are made and entered. */
interface Way {
  readonly make: readonly string[]
  readonly enter: readonly string[]
  readonly isRoot: boolean
  /** Whether there are users beside the cluster's own. */
  readonly hasUsers: boolean
}

const NAMESPACES = ['--net', '--mount', '--pid', '--ipc', '--fork', '--kill-child']
const AS_USER = ['-U', '--preserve-credentials']

/** In order: as root of the machine; as root among the users that the machine lends; as root of oneself alone. */
const WAYS: readonly Way[] = [
  { make: NAMESPACES, enter: [], isRoot: true, hasUsers: true },
  {
    make: ['--user', '--map-root-user', '--map-auto', ...NAMESPACES],
    enter: AS_USER,
    isRoot: false,
    hasUsers: true,
  },
  {
    make: ['--user', '--map-root-user', ...NAMESPACES],
    enter: AS_USER,
    isRoot: false,
    hasUsers: false,
  },
]

/**
 * Namespaces of the cluster's own: one network in which pods, services and nodes have their addresses, one of processes that ends with
 * the cluster, and for every container a file system and processes of its own. Rejects with a sentence where this machine grants none.
 */
export async function namespaceGround(network: NetworkPlan): Promise<Ground> {
  const tools = findTools()
  const problems: string[] = []
  for (const way of WAYS) {
    if (way.isRoot !== (process.getuid?.() === 0)) continue
    try {
      const gateway = await Gateway.start(['unshare', ...way.make])
      return await prepared(new NamespaceGround(gateway, way, tools, network))
    } catch (error) {
      problems.push((error as Error).message)
    }
  }
  throw new Error(
    `this machine grants the cluster no namespaces of its own (${problems.join('; ') || 'they are a matter of Linux'}): ` +
      `start it as root or where user namespaces are allowed, or give pods loopback addresses with podNetwork: 'loopback' (--pod-network loopback)`,
  )
}

async function prepared(ground: NamespaceGround): Promise<Ground> {
  try {
    await ground.prepare()
    return ground
  } catch (error) {
    await ground.close()
    throw error
  }
}

class NamespaceGround implements Ground {
  readonly kind = 'namespaces'
  readonly gateway: Gateway
  readonly way: Way
  readonly tools: Tools
  readonly network: NetworkPlan
  #pods = 0

  constructor(gateway: Gateway, way: Way, tools: Tools, network: NetworkPlan) {
    this.gateway = gateway
    this.way = way
    this.tools = tools
    this.network = network
  }

  /** A folder with the devices that containers have; only in the cluster's own namespace there is something in it. */
  get devices(): string {
    return join(this.network.folder, 'dev')
  }

  async prepare(): Promise<void> {
    mkdirSync(this.devices, { recursive: true })
    await this.run(networkScript(this.network, this.devices), ['-n', '-m'])
  }

  /** Runs a script in namespaces of the cluster. Rejects with what it said when it fails. */
  run(script: string, spaces: readonly string[], pid: number = this.gateway.pid): Promise<string> {
    return runScript([...this.enter(pid, spaces), '/bin/sh', '-euc', script])
  }

  /** Stands before what is to run in namespaces of a process. */
  enter(pid: number, spaces: readonly string[]): readonly string[] {
    return ['nsenter', '-t', String(pid), ...this.way.enter, ...spaces, '--']
  }

  async makeSandbox(spec: SandboxSpec): Promise<Sandbox> {
    const sandbox = new NamespaceSandbox(this, spec, ++this.#pods)
    await sandbox.prepare()
    return sandbox
  }

  dial = (host: string, port: number): Promise<Socket> => this.gateway.dial(host, port)

  listen(
    host: string,
    port: number,
    onConnection: (socket: Socket) => void,
  ): Promise<AsyncDisposable> {
    return this.gateway.listen(host, port, onConnection)
  }

  bindUdp(host: string, port: number): Promise<UdpSocket> {
    return this.gateway.bindUdp(host, port)
  }

  close(): Promise<void> {
    return this.gateway.close()
  }
}

class NamespaceSandbox implements Sandbox {
  readonly #ground: NamespaceGround
  readonly #spec: SandboxSpec
  readonly #number: number
  readonly #running = new Set<RunningProcess>()
  /** The process that keeps the pod's namespaces. */
  #keeper: { readonly pid: number; readonly process: RunningProcess } | undefined

  constructor(ground: NamespaceGround, spec: SandboxSpec, number: number) {
    this.#ground = ground
    this.#spec = spec
    this.#number = number
  }

  async prepare(): Promise<void> {
    const { hostname, hostNetwork, address } = this.#spec
    const spaces = ['--ipc', '--uts', ...(hostNetwork ? [] : ['--net'])]
    const script =
      'hostname "$1" 2>/dev/null || true; read -r pid rest < /proc/self/stat; echo "$pid"; exec sleep infinity'
    const child = await startChild({
      argv: [
        ...this.#ground.enter(this.#ground.gateway.pid, ['-n', '-m', '-p', '-i']),
        'unshare',
        ...spaces,
        '/bin/sh',
        '-euc',
        script,
        'pod',
        hostNetwork ? '' : hostname,
      ],
      variables: new Map([['PATH', '/usr/sbin:/usr/bin:/sbin:/bin']]),
      stdin: false,
    })
    const pid = await firstNumber(child.stdout!, child.stderr!)
    const process = runningChild(
      child,
      () => pid,
      () => sendSignal(pid, 'SIGKILL'),
    )
    this.#keeper = { pid, process }
    if (!hostNetwork)
      await this.#ground.run(podNetworkScript(pid, address, this.#number), ['-n', '-m'])
  }

  async launch(spec: LaunchSpec): Promise<RunningContainer> {
    const { way, tools } = this.#ground
    if (!way.hasUsers && spec.identity.uid !== 0)
      throw new LaunchError(
        'CreateContainerError',
        `the container is to run as user ${spec.identity.uid}, and this machine lends its user no others (/etc/subuid, newuidmap)`,
      )
    const whole = spec.image.root
    const script = launchScript({
      spec,
      tools,
      mounts: plannedMounts(spec),
      folders: whole === undefined ? SEEN.filter(isFolder) : [],
      links: whole === undefined ? SEEN.filter(isLink) : [],
      workingDir: resolveIn(whole ?? '/', spec.workingDir ?? '/'),
      devices: this.#ground.devices,
      isRoot: way.isRoot,
    })
    // `timeout` without a time waits for the first process of the new namespace, and ends as it did.
    const line = [
      'unshare',
      '--mount',
      '--pid',
      'timeout',
      '--foreground',
      '0',
      '/bin/sh',
      '-c',
      script,
    ]
    const { pid, running } = await this.#start([...this.#enterPod(), ...line], spec)
    return Object.defineProperty(
      {
        ...running,
        pid: undefined as number | undefined,
        exec: (it: ExecSpec) => this.#exec(pid, it, spec),
      },
      'pid',
      { get: () => (this.#running.has(running) ? pid : undefined), enumerable: true },
    )
  }

  async close(): Promise<void> {
    const ending = [...this.#running]
    for (const it of ending) it.kill()
    await Promise.all(ending.map((it) => it.ended))
    this.#keeper?.process.kill()
    await this.#keeper?.process.ended
  }

  #enterPod(): readonly string[] {
    if (!this.#keeper) throw new Error('the pod has no network yet')
    return this.#ground.enter(this.#keeper.pid, ['-n', '-m', '-p', '-i', '-u'])
  }

  async #start(
    argv: readonly string[],
    spec: LaunchSpec,
  ): Promise<{ readonly pid: number; readonly running: RunningProcess }> {
    const child = await startChild({
      argv: ttyCommand(argv, spec.tty),
      variables: spec.variables,
      stdin: spec.stdin,
      status: true,
    }).catch((cause: Error) => {
      throw new LaunchError('CreateContainerError', cause.message, { cause })
    })
    const said = await answerOf(child.stdio[3] as NodeJS.ReadableStream)
    const [, number] = READY_LINE.exec(said) ?? []
    if (number === undefined) {
      child.kill('SIGKILL')
      if (said.includes(MISSING)) throw noSuchProgram(spec.argv[0])
      throw new LaunchError(
        'CreateContainerError',
        `the container's root cannot be made: ${said.trim()}`,
      )
    }
    const pid = Number(number)
    const running = runningChild(
      child,
      () => pid,
      () => sendSignal(pid, 'SIGKILL'),
    )
    this.#running.add(running)
    void endOf(child).finally(() => this.#running.delete(running))
    return { pid, running }
  }

  async #exec(
    pid: number,
    { argv, variables, stdin, tty }: ExecSpec,
    { identity }: LaunchSpec,
  ): Promise<RunningProcess> {
    const as = identity.uid === 0 ? [] : ['-S', String(identity.uid), '-G', String(identity.gid)]
    const enter = this.#ground.enter(pid, ['-n', '-m', '-p', '-i', '-u', '-r', '-w', ...as])
    const child = await startChild({ argv: ttyCommand([...enter, ...argv], tty), variables, stdin })
    const leader = child.pid!
    const pidOf = (): number | undefined => deepest(leader)
    const running = runningChild(child, pidOf, () => {
      const inner = pidOf()
      if (inner !== undefined && inner !== leader) sendSignal(inner, 'SIGKILL')
      sendSignal(-leader, 'SIGKILL')
    })
    this.#running.add(running)
    void endOf(child).finally(() => this.#running.delete(running))
    return running
  }
}

/** The process that the chain before it was for. */
function deepest(pid: number): number {
  const [next] = childrenOf(pid)
  return next === undefined ? pid : deepest(next)
}

/** What a container sees of the machine where its image has no root of its own. */
const SEEN: readonly string[] = [
  'bin',
  'etc',
  'lib',
  'lib32',
  'lib64',
  'libx32',
  'opt',
  'sbin',
  'usr',
  'var',
  'nix',
].map((it) => `/${it}`)

/** What it has anew, though it is below something that it sees. */
const OWN = /^\/(?:var\/tmp|var\/run|run|tmp)(?:\/|$)/

const isFolder = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
const isLink = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false

function plannedMounts({ argv, image, mounts }: LaunchSpec): readonly PlannedMount[] {
  const root = image.root ?? '/'
  const [program] = argv
  const files = [
    ...image.files,
    ...(image.root === undefined && program.startsWith('/') ? [program] : []),
  ]
  const shown = files
    .filter((it) => image.root !== undefined || !isSeen(it))
    .map((it) => ({ from: it, to: it, readOnly: true }))
  const order = [...shown, ...mounts].toSorted((a, b) => depth(a.to) - depth(b.to))
  return order.flatMap((it) => {
    const there = statSync(it.from, { throwIfNoEntry: false })
    // A program that is not there is told of as one.
    if (!there) return []
    return [{ ...it, to: resolveIn(root, it.to), isFolder: there.isDirectory() }]
  })
}

const isSeen = (path: string): boolean =>
  SEEN.some((it) => path.startsWith(`${it}/`)) && !OWN.test(path)

const depth = (path: string): number => path.split('/').filter(Boolean).length

/** What a launch script says, up to the word that it is ready or its end: others hold the descriptor open for longer. */
async function answerOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = ''
  for await (const chunk of stream) {
    text += String(chunk)
    if (READY_LINE.test(text)) break
  }
  return text
}

const READY_LINE = new RegExp(`^${READY} (\\d+)\n`, 'm')

/** The number that a process says first. Rejects with what it complained of instead. */
async function firstNumber(
  stdout: NodeJS.ReadableStream,
  stderr: NodeJS.ReadableStream,
): Promise<number> {
  let problem = ''
  stderr.on('data', (chunk) => (problem += String(chunk)))
  let text = ''
  for await (const chunk of stdout) {
    text += String(chunk)
    if (text.includes('\n')) break
  }
  const number = Number(text.trim())
  if (Number.isInteger(number) && number > 0) return number
  throw new Error(problem.trim() || 'the process that keeps its namespaces did not start')
}
