import { access, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { ApiError, createClient } from 'kubewright'
import { Failure, whyNot } from './failure.ts'
import { CLUSTER_FOLDER } from './kubeconfig.ts'
import { PROJECT_FILE } from './project.ts'

/** What `cluster start` leaves for `cluster stop`: which process serves, and where. */
export interface ClusterState {
  readonly pid: number
  readonly url: string
  /** Which nodes it has; absent where nothing runs but the API server. */
  readonly nodes?: ClusterNodes
}

/** How many nodes of each kind a cluster has, and how pods of process nodes reach one another. */
export interface ClusterNodes {
  readonly simulated: number
  readonly process: number
  readonly podNetwork?: 'namespaces' | 'loopback'
}

/** The files of a folder's cluster. */
export interface ClusterFiles {
  readonly folder: string
  readonly kubeconfig: string
  readonly state: string
  readonly log: string
}

/** Where the cluster of a folder keeps its files. */
export function clusterFiles(root: string): ClusterFiles {
  const folder = path.join(root, CLUSTER_FOLDER)
  return {
    folder,
    kubeconfig: path.join(folder, 'kubeconfig'),
    state: path.join(folder, 'cluster.json'),
    log: path.join(folder, 'cluster.log'),
  }
}

/** The folder that a cluster belongs to: the project that `from` lies in, else `from` itself. */
export async function clusterRoot(from: string): Promise<string> {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const there = await access(path.join(folder, PROJECT_FILE)).then(
      () => true,
      () => false,
    )
    if (there) return folder
    if (folder === path.dirname(folder)) return from
  }
}

/** Makes the cluster's folder. Throws a {@link Failure} that says why it cannot be had. */
export async function makeFolder({ folder }: ClusterFiles): Promise<void> {
  await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw new Failure(
      `${folder}, where the cluster keeps its kubeconfig, cannot be made: ${whyNot(error)}`,
      {
        cause: error,
      },
    )
  })
}

/** Writes the kubeconfig (only its owner may read it) and the state. */
export async function writeCluster(
  files: ClusterFiles,
  kubeconfig: string,
  state: ClusterState,
): Promise<void> {
  await makeFolder(files)
  await writeFile(files.kubeconfig, kubeconfig, { mode: 0o600 })
  await writeFile(files.state, `${JSON.stringify(state)}\n`)
}

/** The cluster of a folder if its process still runs; what a dead one left behind is removed. */
export async function runningCluster(files: ClusterFiles): Promise<ClusterState | undefined> {
  const text = await readFile(files.state, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const state = readState(text)
  if (state && isAlive(state.pid) && (await answers(files))) return state
  await forgetCluster(files)
  return undefined
}

function readState(text: string): ClusterState | undefined {
  try {
    const { pid, url, nodes } = JSON.parse(text) as Partial<ClusterState>
    if (typeof pid !== 'number' || typeof url !== 'string') return undefined
    return { pid, url, ...(nodes && { nodes }) }
  } catch {
    return undefined
  }
}

/** Removes the kubeconfig and the state of a cluster that has ended. */
export async function forgetCluster(files: ClusterFiles): Promise<void> {
  await rm(files.state, { force: true })
  await rm(files.kubeconfig, { force: true })
}

/** Whether a process of this number runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/**
 * Whether the server of the folder's kubeconfig answers. A process number alone may have been given to another program since, and a
 * port too; but no other server has a certificate by the kubeconfig's authority.
 */
async function answers({ kubeconfig }: ClusterFiles): Promise<boolean> {
  // A server that is only slow is still one.
  const signal = AbortSignal.timeout(5000)
  try {
    const client = createClient({ kubeconfig })
    // Not a GET: where nothing listens, that would be tried again and again, and pass for slow.
    await client.raw({ method: 'POST', path: '/version', signal })
    await client.close()
    return true
  } catch (error) {
    // Refusing is an answer too.
    return error instanceof ApiError || signal.aborted
  }
}
