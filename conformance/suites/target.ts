import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ImageMap } from '@kubewright/cluster/nodes'
import { freePort } from '../../benchmarks/server.ts'
import { buildReference } from '../reference/build.ts'
import {
  type Authority,
  startControllers,
  startScheduler,
  urlOf,
  writeKubeconfig,
} from '../reference/components.ts'
import {
  type Extent,
  serverFlags,
  startControlPlane,
  withFlags,
} from '../reference/control-plane.ts'
import { ADMIN_TOKEN, type Tokens, writeIdentities } from '../reference/identities.ts'
import { startNodes } from '../reference/nodes.ts'
import { answersOk, Processes } from '../reference/processes.ts'
import type { ControllersOptions } from './kubewright-controllers.ts'
import type { PlaneOptions } from './kubewright-plane.ts'

/** Whose part of a control plane: the real one's, or kubewright's. */
export type Maker = 'oracle' | 'kubewright'

/** Whose answers are looked at: the real server's, kubewright's, or those of some server that a kubeconfig names. */
export type ServerName = Maker | 'given'

/** What a suite needs of a server. */
export interface TargetNeeds {
  readonly controllers: boolean
  readonly nodes: number
  /** What images mean: pods on the nodes are then processes of this machine, which only kubewright's nodes offer. Default: pods are simulated. */
  readonly images?: ImageMap
  /** Whether pods are scheduled. Default: where there are nodes. */
  readonly scheduler?: boolean
  /** Flags of kube-apiserver. */
  readonly flags?: readonly string[]
  /** Files of the authority that client certificates are by, and that signs requests for some. */
  readonly authority?: Authority
}

/** A server to be tested. Its administrator's token is `admin-token` unless it was given. */
export interface Target {
  readonly kubeconfig: string
  readonly url: string
  /** Rejects with a sentence when it ends by itself. */
  readonly failed: Promise<never>
  readonly close: () => Promise<void>
}

/** Starts a server of a suite, with the controllers, scheduler and nodes of one or the other; its files and logs lie in `folder`. */
export async function startTarget(
  server: Maker,
  controllers: Maker,
  needs: TargetNeeds,
  folder: string,
): Promise<Target> {
  const target = await startParts(server, controllers, needs, folder)
  if (!needs.controllers) return target
  // Without it no pod can be made.
  const account = `${target.url}/api/v1/namespaces/default/serviceaccounts/default`
  try {
    await Promise.race([answersOk(account, ADMIN_TOKEN), target.failed])
    return target
  } catch (error) {
    await target.close()
    throw error
  }
}

async function startParts(
  server: Maker,
  controllers: Maker,
  needs: TargetNeeds,
  folder: string,
): Promise<Target> {
  if (server === controllers || !needs.controllers) return startOne(server, needs, folder)
  const { flags = [], authority } = needs
  const bare = { controllers: false, nodes: 0, flags, ...(authority ? { authority } : {}) }
  const target = await startOne(server, bare, folder)
  const processes = new Processes(folder)
  try {
    if (controllers === 'oracle') await addReference(processes, target, needs, folder)
    else await addKubewright(processes, target, needs, folder)
  } catch (error) {
    await processes.stop()
    await target.close()
    throw error
  }
  return {
    ...target,
    failed: Promise.race([target.failed, processes.failed]),
    close: async () => {
      await processes.stop()
      await target.close()
    },
  }
}

const startOne = (maker: Maker, needs: TargetNeeds, folder: string): Promise<RunningTarget> =>
  maker === 'kubewright' ? startKubewright(needs, folder) : startReference(needs, folder)

/** A target with what others need in order to work for it. */
interface RunningTarget extends Target {
  readonly port: number
  readonly tokens: Tokens
}

function startReference(needs: TargetNeeds, folder: string): Promise<RunningTarget> {
  const { nodes, flags = [], authority } = needs
  return startControlPlane({
    extent: extentOf(needs),
    nodes,
    folder,
    flags,
    ...(authority ? { authority } : {}),
  })
}

function extentOf({ controllers, nodes, scheduler = nodes > 0 }: TargetNeeds): Extent {
  if (!controllers) return 'apiserver'
  return scheduler ? 'full' : 'kcm'
}

const SERVER = fileURLToPath(new URL('kubewright-server.ts', import.meta.url))
const CONTROLLERS = fileURLToPath(new URL('kubewright-controllers.ts', import.meta.url))

/** What the child that serves is told, as JSON. */
export interface KubewrightOptions {
  readonly port: number
  /** All of them, `--name=value`. */
  readonly flags: readonly string[]
  /** Who works for it in the same process; nobody where there is none. */
  readonly plane?: PlaneOptions
}

async function startKubewright(needs: TargetNeeds, folder: string): Promise<RunningTarget> {
  const { flags = [], authority } = needs
  await mkdir(folder, { recursive: true })
  const place = { bin: '', folder, port: await freePort(), tokens: await writeIdentities(folder) }
  const options: KubewrightOptions = {
    port: place.port,
    flags: withFlags(serverFlags(place, authority?.certificate), flags),
    ...(needs.controllers ? { plane: planeIn(folder, needs) } : {}),
  }
  const processes = new Processes(folder)
  processes.start({
    name: 'kubewright',
    file: process.execPath,
    args: ['--max-semi-space-size=4', SERVER, JSON.stringify(options)],
  })
  const url = urlOf(place)
  try {
    await processes.until(`${url}/readyz`, ADMIN_TOKEN)
  } catch (error) {
    await processes.stop()
    throw error
  }
  const kubeconfig = await writeKubeconfig(place, 'admin', ADMIN_TOKEN)
  const { port, tokens } = place
  const { failed } = processes
  return { kubeconfig, url, port, tokens, failed, close: () => processes.stop() }
}

function planeIn(
  folder: string,
  { nodes, scheduler = nodes > 0, authority, images }: TargetNeeds,
): PlaneOptions {
  const rootCertificate = path.join(folder, 'ca.crt')
  const own = { certificate: rootCertificate, key: path.join(folder, 'ca.key') }
  return {
    rootCertificate,
    authority: authority ?? own,
    nodes,
    scheduler,
    ...(images ? { images } : {}),
  }
}

/** kube-controller-manager and, as needed, kube-scheduler and the nodes of kwok, beside a server that has none of them. */
async function addReference(
  processes: Processes,
  { port, tokens, kubeconfig }: RunningTarget,
  needs: TargetNeeds,
  folder: string,
): Promise<void> {
  const isWhole = extentOf(needs) === 'full'
  const bin = await buildReference([
    'kube-controller-manager',
    ...(isWhole ? (['kube-scheduler'] as const) : []),
    ...(needs.nodes > 0 ? (['kwok', 'kubectl'] as const) : []),
  ])
  const place = { bin, folder, port, tokens }
  await startControllers(processes, place, needs)
  if (isWhole) await startScheduler(processes, place)
  if (needs.nodes > 0) await startNodes(processes, bin, folder, kubeconfig, needs.nodes)
}

/** Kubewright's controllers and nodes in a process of their own, beside a server that has none of them. */
async function addKubewright(
  processes: Processes,
  { port, tokens }: RunningTarget,
  needs: TargetNeeds,
  folder: string,
): Promise<void> {
  const place = { bin: '', folder, port, tokens }
  const options: ControllersOptions = {
    kubeconfig: await writeKubeconfig(place, 'controllers', ADMIN_TOKEN),
    ...planeIn(folder, needs),
  }
  processes.start({
    name: 'kubewright-controllers',
    file: process.execPath,
    args: ['--max-semi-space-size=4', CONTROLLERS, JSON.stringify(options)],
  })
}
