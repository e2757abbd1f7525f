import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { freePort } from '../../benchmarks/server.ts'
import { kubeconfigText, type Tokens } from './identities.ts'
import type { Processes } from './processes.ts'

/** Files of an authority. */
export interface Authority {
  readonly certificate: string
  readonly key: string
}

/** Where a control plane has its programs and files, where its server listens on loopback, and who works in it. */
export interface Place {
  readonly bin: string
  readonly folder: string
  readonly port: number
  readonly tokens: Tokens
}

/** Where the server of a control plane is reached. */
export const urlOf = ({ port }: Pick<Place, 'port'>): string => `https://127.0.0.1:${port}`

/** Writes the kubeconfig of someone, by his token; answers with its path. */
export async function writeKubeconfig(place: Place, name: string, token: string): Promise<string> {
  const file = path.join(place.folder, `${name}.kubeconfig`)
  const authority = await readFile(path.join(place.folder, 'ca.crt'), 'utf8')
  await writeFile(file, kubeconfigText(urlOf(place), authority, token), { mode: 0o600 })
  return file
}

/** The flags by which a controller finds its server and answers on loopback. */
const componentFlags = (kubeconfig: string, port: number): readonly string[] => [
  `--kubeconfig=${kubeconfig}`,
  `--authentication-kubeconfig=${kubeconfig}`,
  `--authorization-kubeconfig=${kubeconfig}`,
  '--bind-address=127.0.0.1',
  `--secure-port=${port}`,
  '--leader-elect=false',
]

/** What kube-controller-manager has to know of the server. */
export interface ControllerOptions {
  /** Flags of kube-apiserver. */
  readonly flags?: readonly string[]
  /** Who signs certificates. Default: the authority in the folder. */
  readonly authority?: Authority
}

/** Starts kube-controller-manager against the server of a place. */
export async function startControllers(
  processes: Processes,
  place: Place,
  { authority, flags = [] }: ControllerOptions,
): Promise<void> {
  const { bin, folder, tokens } = place
  const kubeconfig = await writeKubeconfig(place, 'controllers', tokens.controllerManager)
  const range = flags.find((it) => it.startsWith('--service-cluster-ip-range='))
  processes.start({
    name: 'kube-controller-manager',
    file: path.join(bin, 'kube-controller-manager'),
    args: [
      ...componentFlags(kubeconfig, await freePort()),
      `--service-account-private-key-file=${folder}/sa.key`,
      `--root-ca-file=${folder}/ca.crt`,
      `--cluster-signing-cert-file=${authority?.certificate ?? `${folder}/ca.crt`}`,
      `--cluster-signing-key-file=${authority?.key ?? `${folder}/ca.key`}`,
      '--use-service-account-credentials',
      // Nodes of these suites are objects alone: nobody renews their leases.
      '--node-monitor-grace-period=87600h',
      range ?? '--service-cluster-ip-range=10.0.0.0/16',
    ],
  })
}

/** Starts kube-scheduler against the server of a place. */
export async function startScheduler(processes: Processes, place: Place): Promise<void> {
  const kubeconfig = await writeKubeconfig(place, 'scheduler', place.tokens.scheduler)
  processes.start({
    name: 'kube-scheduler',
    file: path.join(place.bin, 'kube-scheduler'),
    args: componentFlags(kubeconfig, await freePort()),
  })
}
