import type { Clock, Logger, Random } from 'kubewright/base'
import type { ApiServerOptions, Snapshot } from '../apiserver/index.ts'
import type { ProvisionerOptions } from '../controllers/index.ts'
import type { NodeOptions } from '../nodes/index.ts'

/** What kind of a cluster to start. Without any option: in memory, without a port, with all controllers and one node. */
export interface ClusterOptions extends NodeOptions, ProvisionerOptions {
  /** Keeps the objects in this folder, over restarts. Default: in memory. */
  readonly dataDir?: string
  /**
   * What to begin with, instead of an empty cluster: everything but its past, so that watches and lists at older versions are answered
   * with a 410. With a `dataDir`, that must be new. Default: an empty cluster.
   */
  readonly from?: Snapshot
  /**
   * How far beyond that of `from` the resourceVersion begins. Where clients may have seen later versions than the snapshot has, because
   * the cluster that it was taken of went on, name a number that takes it beyond them (`etcdutl snapshot restore --bump-revision`).
   * Default 0.
   */
  readonly bumpRevision?: number
  /** Where to listen on 127.0.0.1; 0 takes any free port. Default: nowhere, `client` needs no socket. */
  readonly port?: number
  /**
   * Which controllers run, as `kube-controller-manager --controllers` has it: `['*', '-deployment']`, `['garbage-collector']`;
   * `kube-scheduler` is one of them, and the nodes are there with any. `false` leaves the server alone, without controllers and nodes:
   * nothing happens by itself. Default true: all.
   */
  readonly controllers?: boolean | readonly string[]
  /** Whether what nodes and pods use can be read from metrics.k8s.io, for `kubectl top` and autoscalers. Default true; with controllers alone. */
  readonly metrics?: boolean
  /** Time for all of the cluster; a test may turn a fakeClock. */
  readonly clock?: Clock
  readonly random?: Random
  readonly logger?: Logger
  /** More for the server: authorization, tokens, admission. */
  readonly server?: ApiServerOptions
}

/** Throws a sentence where an option is none, or has a value that cannot be: what a program in JavaScript may get wrong. */
export function checkOptions(options: ClusterOptions): void {
  for (const [name, value] of Object.entries(options)) {
    const check = CHECKS[name as keyof ClusterOptions]
    if (!check)
      throw new TypeError(
        `startCluster knows no option ${JSON.stringify(name)}: it takes ${Object.keys(CHECKS).join(', ')}`,
      )
    const wanted = value === undefined ? undefined : check(value)
    if (wanted !== undefined)
      throw new TypeError(`${name} is ${shown(value)}, and must be ${wanted}`)
  }
  if (options.bumpRevision !== undefined && !options.from)
    throw new TypeError('bumpRevision says how far beyond a snapshot to begin: it needs from')
  if (options.dataDir !== undefined && options.server?.storage)
    throw new TypeError(
      'dataDir and server.storage both say where objects lie: leave one of them out',
    )
}

/** What a value must be instead; undefined where it will do. */
type Check = (value: unknown) => string | undefined

const whole =
  (most: number): Check =>
  (it) =>
    typeof it === 'number' && Number.isInteger(it) && it >= 0 && it <= most
      ? undefined
      : `a whole number from 0 to ${most}`

const has =
  (what: string, ...members: readonly string[]): Check =>
  (it) =>
    members.every((name) => typeof (it as Record<string, unknown> | null)?.[name] === 'function')
      ? undefined
      : `${what}, with ${members.join(' and ')}`

const isObject: Check = (it) =>
  typeof it === 'object' && it !== null ? undefined : 'an object of options'

const CHECKS: Readonly<Record<keyof ClusterOptions, Check>> = {
  dataDir: (it) => (typeof it === 'string' && it !== '' ? undefined : 'the path of a folder'),
  from: (it) =>
    Array.isArray((it as { items?: unknown } | null)?.items)
      ? undefined
      : 'a snapshot, as cluster.snapshot() or decodeSnapshot() gives it',
  bumpRevision: whole(Number.MAX_SAFE_INTEGER),
  port: whole(65_535),
  controllers: (it) =>
    typeof it === 'boolean' || (Array.isArray(it) && it.every((one) => typeof one === 'string'))
      ? undefined
      : 'true, false, or a list of names',
  metrics: (it) => (typeof it === 'boolean' ? undefined : 'true or false'),
  clock: has('a Clock', 'now', 'after', 'sleep'),
  random: has('a Random', 'next', 'uuid'),
  logger: has('a Logger', 'info', 'warn', 'error'),
  server: isObject,
  volumeRoot: (it) =>
    typeof it === 'string' && it.startsWith('/') ? undefined : 'the absolute path of a folder',
  defaultStorageClass: (it) =>
    typeof it === 'string' && it !== '' ? undefined : 'the name of a storage class',
  nodes: (it) =>
    Array.isArray(it)
      ? undefined
      : whole(5_000)(it) && 'how many nodes (0 to 5000), or a list of what each is',
  podNetwork: (it) =>
    it === 'namespaces' || it === 'loopback' ? undefined : "'namespaces' or 'loopback'",
  delays: isObject,
  pods: (it) =>
    Array.isArray(it) && it.every((one: { says?: unknown } | null) => one?.says !== undefined)
      ? undefined
      : 'a list of rules, as whenPod() begins them',
  stages: (it) => (Array.isArray(it) ? undefined : 'a list of stages, as stage() gives them'),
  version: (it) => (typeof it === 'string' ? undefined : 'a version such as v1.36.3'),
}

function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function'
  if (typeof value === 'object' && value !== null) return 'an object'
  return JSON.stringify(value) ?? String(value)
}
