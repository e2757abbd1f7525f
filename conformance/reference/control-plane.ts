import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { freePort } from '../../benchmarks/server.ts'
import { buildReference, type ReferenceProgram } from './build.ts'
import {
  type Authority,
  type Place,
  startControllers,
  startScheduler,
  urlOf,
  writeKubeconfig,
} from './components.ts'
import { type Tokens, writeIdentities } from './identities.ts'
import { startNodes } from './nodes.ts'
import { Processes } from './processes.ts'

/** How much of a control plane: the server alone, with its controllers, or with the scheduler too. */
export type Extent = 'apiserver' | 'kcm' | 'full'

/** What a reference control plane is told. */
export interface ControlPlaneOptions {
  readonly extent: Extent
  /** Simulated nodes, run by kwok. Default 0. */
  readonly nodes?: number
  /** Where its files and logs lie, absolute. */
  readonly folder: string
  /** Where the server listens on 127.0.0.1. Default: any free port. */
  readonly port?: number
  /** Flags of kube-apiserver that take the place of those of the same name here, or come beside them: `--name=value`. */
  readonly flags?: readonly string[]
  /** The authority of client certificates, and of those that the controller manager signs. Default: the one made here. */
  readonly authority?: Authority
}

/** A running reference control plane. */
export interface ControlPlane {
  readonly url: string
  readonly port: number
  /** A file. */
  readonly kubeconfig: string
  readonly tokens: Tokens
  /** Rejects with a sentence when one of its processes ends by itself. */
  readonly failed: Promise<never>
  readonly close: () => Promise<void>
}

const PROGRAMS: Readonly<Record<Extent, readonly ReferenceProgram[]>> = {
  apiserver: ['etcd', 'kube-apiserver'],
  kcm: ['etcd', 'kube-apiserver', 'kube-controller-manager'],
  full: ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'],
}

/**
 * Starts kube-apiserver v1.36.3 with etcd and, as asked, its controllers, its scheduler and simulated nodes, all on loopback. The
 * programs are built from their Go modules the first time. Rejects with a sentence where one does not come up.
 */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { extent, nodes = 0, folder } = options
  const bin = await buildReference([
    ...PROGRAMS[extent],
    ...(nodes > 0 ? (['kwok', 'kubectl'] as const) : []),
  ])
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const tokens = await writeIdentities(folder)
  const place = { bin, folder, port: options.port ?? (await freePort()), tokens }
  const processes = new Processes(folder)
  try {
    const kubeconfig = await startServer(processes, place, options)
    if (extent !== 'apiserver') await startControllers(processes, place, options)
    if (extent === 'full') await startScheduler(processes, place)
    if (nodes > 0) await startNodes(processes, bin, folder, kubeconfig, nodes)
    return {
      url: urlOf(place),
      port: place.port,
      kubeconfig,
      tokens,
      failed: processes.failed,
      close: () => processes.stop(),
    }
  } catch (error) {
    await processes.stop()
    throw error
  }
}

async function startServer(
  processes: Processes,
  place: Place,
  { flags = [], authority }: ControlPlaneOptions,
): Promise<string> {
  const { bin, folder, tokens } = place
  const [client, peer] = [await freePort(), await freePort()]
  const clientUrl = `http://127.0.0.1:${client}`
  const peerUrl = `http://127.0.0.1:${peer}`
  processes.start({
    name: 'etcd',
    file: path.join(bin, 'etcd'),
    args: [
      `--data-dir=${folder}/etcd`,
      '--unsafe-no-fsync',
      `--listen-client-urls=${clientUrl}`,
      `--advertise-client-urls=${clientUrl}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=default=${peerUrl}`,
      '--log-level=error',
    ],
  })
  processes.start({
    name: 'kube-apiserver',
    file: path.join(bin, 'kube-apiserver'),
    args: withFlags(
      [`--etcd-servers=${clientUrl}`, ...serverFlags(place, authority?.certificate)],
      flags,
    ),
  })
  await processes.until(`${urlOf(place)}/readyz`, tokens.admin)
  return writeKubeconfig(place, 'admin', tokens.admin)
}

/** The flags of a kube-apiserver whose identities lie in a folder, but for where its etcd is. */
export const serverFlags = (
  { folder, port }: { readonly folder: string; readonly port: number },
  authority?: string,
): readonly string[] => [
  '--bind-address=127.0.0.1',
  // Endpoints may not have loopback addresses; nothing connects to this one (RFC 5737).
  '--advertise-address=192.0.2.1',
  `--secure-port=${port}`,
  `--tls-cert-file=${folder}/apiserver.crt`,
  `--tls-private-key-file=${folder}/apiserver.key`,
  `--client-ca-file=${authority ?? `${folder}/ca.crt`}`,
  `--token-auth-file=${folder}/tokens.csv`,
  '--authorization-mode=Node,RBAC',
  '--allow-privileged=true',
  '--service-cluster-ip-range=10.0.0.0/16',
  '--service-account-issuer=https://kubernetes.default.svc',
  `--service-account-key-file=${folder}/sa.pub`,
  `--service-account-signing-key-file=${folder}/sa.key`,
  `--requestheader-client-ca-file=${folder}/ca.crt`,
  '--requestheader-allowed-names=front-proxy',
  '--requestheader-username-headers=X-Remote-User',
  '--requestheader-group-headers=X-Remote-Group',
  '--requestheader-extra-headers-prefix=X-Remote-Extra-',
  `--proxy-client-cert-file=${folder}/front-proxy.crt`,
  `--proxy-client-key-file=${folder}/front-proxy.key`,
]

/** Flags with others in the place of those of the same name: lists would grow where a flag is given twice. */
export function withFlags(flags: readonly string[], others: readonly string[]): readonly string[] {
  const name = (flag: string): string => flag.replace(/=.*/s, '')
  const replaced = new Set(others.map(name))
  return [...flags.filter((it) => !replaced.has(name(it))), ...others]
}
