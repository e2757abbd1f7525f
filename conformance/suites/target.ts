import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../benchmarks/server.ts'
import {
  type ControlPlaneOptions,
  serverFlags,
  startControlPlane,
  withFlags,
} from '../reference/control-plane.ts'
import { ADMIN_TOKEN, writeIdentities } from '../reference/identities.ts'
import { Processes } from '../reference/processes.ts'

/** Whose answers are looked at: the real one's, kubewright's, or those of some server that a kubeconfig names. */
export type ServerName = 'oracle' | 'kubewright' | 'given'

/** What a suite needs of a server. */
export interface TargetNeeds {
  readonly controllers: boolean
  readonly nodes: number
  /** Whether pods are scheduled. Default: where there are nodes. */
  readonly scheduler?: boolean
  /** Flags of kube-apiserver. */
  readonly flags?: readonly string[]
  /** Files of the authority that client certificates are by, and that signs requests for some. */
  readonly authority?: ControlPlaneOptions['authority']
}

/** A server to be tested. Its administrator's token is `admin-token` unless it was given. */
export interface Target {
  readonly kubeconfig: string
  readonly url: string
  /** Rejects with a sentence when it ends by itself. */
  readonly failed: Promise<never>
  readonly close: () => Promise<void>
}

/** Starts a server of a suite; its files and logs lie in `folder`. */
export async function startTarget(
  server: Exclude<ServerName, 'given'>,
  needs: TargetNeeds,
  folder: string,
): Promise<Target> {
  if (server === 'kubewright') return startKubewright(needs, folder)
  const { controllers, nodes, scheduler = nodes > 0, flags = [], authority } = needs
  const extent = !controllers ? 'apiserver' : scheduler ? 'full' : 'kcm'
  return startControlPlane({
    extent,
    nodes,
    folder,
    flags,
    ...(authority ? { authority } : {}),
  })
}

const SCRIPT = fileURLToPath(new URL('kubewright-server.ts', import.meta.url))

/** What the child that serves is told, as JSON. */
export interface KubewrightOptions {
  readonly port: number
  readonly controllers: boolean
  readonly nodes: number
  readonly scheduler: boolean
  /** All of them, `--name=value`. */
  readonly flags: readonly string[]
  /** Files of the authority that signs certificates. */
  readonly authority: { readonly certificate: string; readonly key: string }
  /** The file to write. */
  readonly kubeconfig: string
  readonly token: string
}

async function startKubewright(needs: TargetNeeds, folder: string): Promise<Target> {
  const { controllers, nodes, scheduler = nodes > 0, flags = [], authority } = needs
  await mkdir(folder, { recursive: true })
  await writeIdentities(folder)
  const port = await freePort()
  const kubeconfig = path.join(folder, 'admin.kubeconfig')
  const own = serverFlags({ folder, port }, authority?.certificate)
  const options: KubewrightOptions = {
    port,
    controllers,
    nodes,
    scheduler,
    flags: withFlags(own, flags),
    authority: authority ?? {
      certificate: path.join(folder, 'ca.crt'),
      key: path.join(folder, 'ca.key'),
    },
    kubeconfig,
    token: ADMIN_TOKEN,
  }
  const processes = new Processes(folder)
  processes.start({
    name: 'kubewright',
    file: process.execPath,
    args: ['--max-semi-space-size=4', SCRIPT, JSON.stringify(options)],
  })
  const url = `https://127.0.0.1:${port}`
  try {
    await processes.until(`${url}/readyz`, ADMIN_TOKEN)
  } catch (error) {
    await processes.stop()
    throw error
  }
  return { kubeconfig, url, failed: processes.failed, close: () => processes.stop() }
}
